/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-memory: what cgroups are charged with
 */
#ifndef MP_CGROUP_MEMORY_H
#define MP_CGROUP_MEMORY_H

#include "profile.h"

#include <sys/types.h>

/* Deeper ones lack those furthest above. */
#define MP_CGROUP_DEPTH	16

/**
 * mp_cgroup_memory_read - read the files of a cgroup's directory
 * @path: of the directory
 * @row: CURRENT, MEM-PEAK, and of memory.stat anon, file and kernel are set; 0
 *	for what is not there, as in the root and without the memory controller
 */
void mp_cgroup_memory_read(const char *path, struct mp_row *row);

/**
 * mp_cgroup_memory_of - a row for a process's cgroup and for each above it
 * @rows: MP_CGROUP_DEPTH of them
 *
 * Return: how many.
 */
int mp_cgroup_memory_of(pid_t pid, struct mp_row *rows);

/**
 * mp_cgroup_memory_fill - read those of a profile's rows
 *
 * Source: the cgroup v2 mount, by the rows' paths. 100 us each; those that are
 * gone, or that the mount does not show, stay as they are.
 */
void mp_cgroup_memory_fill(struct mp_profile *profile);

#endif
