/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-memory: reads how much memory the kernel charges to cgroups
 */
#ifndef MP_CGROUP_MEMORY_H
#define MP_CGROUP_MEMORY_H

#include "profile.h"

#include <sys/types.h>

/* Limit of rows for a cgroup and its ancestors; the topmost are left out. */
#define MP_CGROUP_DEPTH	16

/**
 * mp_cgroup_memory_number - read a file that has one number, such as memory.max
 * @path: path of the cgroup's directory
 *
 * Return: the number; 0 if there is no such file, or no number in it: "max", no limit.
 */
uint64_t mp_cgroup_memory_number(const char *path, const char *name);

/**
 * mp_cgroup_memory_cache - bytes of files in a cgroup's memory that can be dropped
 * @path: path of the cgroup's directory
 *
 * What is in tmpfs or shared memory cannot be, and is not in it.
 */
uint64_t mp_cgroup_memory_cache(const char *path);

/**
 * mp_cgroup_memory_read - read the memory files of a cgroup
 * @path: path of the cgroup's directory
 * @row: the function sets CURRENT, MEM-PEAK, and anon, file and kernel of
 *	memory.stat. A missing value is 0: the root cgroup, and a cgroup without the
 *	memory controller, do not have these files
 */
void mp_cgroup_memory_read(const char *path, struct mp_row *row);

/**
 * mp_cgroup_memory_of - make rows for a process's cgroup and all its ancestors
 * @rows: out: the rows, ancestors last; MP_CGROUP_DEPTH elements
 *
 * Return: number of rows.
 */
int mp_cgroup_memory_of(pid_t pid, struct mp_row *rows);

/**
 * mp_cgroup_memory_room - bytes that a cgroup can still be charged now
 * @cgroup: path below the mount of cgroup v2
 * @room: out: bytes until memory.max is reached, the least of it and its ancestors. Cached
 *	files do not count: the kernel drops them first
 *
 * Return: true; false if none of them has a limit, or it does not exist.
 */
bool mp_cgroup_memory_room(const char *cgroup, uint64_t *room);

/**
 * mp_cgroup_memory_fill - read the memory of all cgroups in a profile
 *
 * Source: the cgroup v2 mount, by the paths of the rows. A row costs about 100 us.
 * The values are 0 if the cgroup is not below the mount, or does not exist any more
 * (MP_ROW_REMOVED). A new cgroup with the path of a removed one is not mistaken for
 * it.
 */
void mp_cgroup_memory_fill(struct mp_profile *profile);

#endif
