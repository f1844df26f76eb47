/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup-memory: the memory that the kernel charges to cgroups
 */
#ifndef MP_CGROUP_MEMORY_H
#define MP_CGROUP_MEMORY_H

#include "profile.h"

#include <sys/types.h>

/* Limit of ancestors. Of deeper cgroups the topmost ancestors are missing. */
#define MP_CGROUP_DEPTH	16

/**
 * mp_cgroup_memory_read - read the files of a cgroup's directory
 * @path: of the directory
 * @row: CURRENT, MEM-PEAK, and anon, file and kernel of memory.stat are set.
 *	Missing values are 0, as in the root and without the memory controller
 */
void mp_cgroup_memory_read(const char *path, struct mp_row *row);

/**
 * mp_cgroup_memory_of - make a row for a process's cgroup and for each ancestor
 * @rows: out; MP_CGROUP_DEPTH elements
 *
 * Return: number of rows.
 */
int mp_cgroup_memory_of(pid_t pid, struct mp_row *rows);

/**
 * mp_cgroup_memory_fill - read the values for a profile's rows
 *
 * Source: the cgroup v2 mount, by the rows' paths. About 100 us per row. A
 * cgroup that does not exist any more, or is not below the mount, gets 0, also where
 * there is a new one at its path (MP_ROW_REMOVED).
 */
void mp_cgroup_memory_fill(struct mp_profile *profile);

#endif
