/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec-mapping: the files whose code a process has mapped
 */
#ifndef MP_EXEC_MAPPING_H
#define MP_EXEC_MAPPING_H

#include "maps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_exec_mapping - one executable mapping of a file
 * @start: address
 * @end: behind the last one
 * @offset: in the file
 * @dev: of its file system, as the kernel shows it
 * @inode: likewise; file systems with layers may show others in struct stat
 * @path: as the process sees it, " (deleted)" included; not printable
 */
struct mp_exec_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t dev;
	uint64_t inode;
	char path[PATH_MAX];
};

/** mp_exec_mapping_of - whether a line of maps is an executable mapping of a file */
bool mp_exec_mapping_of(const struct mp_map_line *line,
			struct mp_exec_mapping *mapping);

/**
 * mp_exec_mapping_each - every executable mapping of a file
 * @pid: process
 * @take: called for each
 *
 * Source: /proc/PID/maps.
 *
 * Return: 0; -ESRCH where there is no such process; another negative
 * errno.
 */
int mp_exec_mapping_each(pid_t pid,
			 void (*take)(void *context, pid_t pid,
				      const struct mp_exec_mapping *mapping),
			 void *context);

/**
 * mp_exec_mapping_open - open the mapped file itself
 *
 * Source: /proc/PID/map_files, also for deleted files; where that is not
 * allowed, the path below /proc/PID/root if it still leads to that inode.
 *
 * Return: a file descriptor, or a negative errno, see mp_regular_open().
 */
int mp_exec_mapping_open(pid_t pid, const struct mp_exec_mapping *mapping);

#endif
