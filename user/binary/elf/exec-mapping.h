/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec-mapping: lists the executable file mappings of a process
 */
#ifndef MP_EXEC_MAPPING_H
#define MP_EXEC_MAPPING_H

#include "maps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_exec_mapping - an executable mapping of a file
 * @start: first address
 * @end: first address after the mapping
 * @offset: offset of @start in the file
 * @dev: device of its file system, as in /proc/PID/maps
 * @inode: as in /proc/PID/maps; overlay file systems may have another number in
 *	struct stat
 * @path: in the process's namespace, including " (deleted)"; untrusted
 */
struct mp_exec_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t dev;
	uint64_t inode;
	char path[PATH_MAX];
};

/** mp_exec_mapping_of - check whether a line of maps is an executable mapping of a file */
bool mp_exec_mapping_of(const struct mp_map_line *line,
			struct mp_exec_mapping *mapping);

/**
 * mp_exec_mapping_each - call a function for each executable mapping of a file
 * @pid: process
 * @take: called for each mapping
 * @context: passed to @take
 *
 * Source: /proc/PID/maps.
 *
 * Return: 0; -ESRCH if the process does not exist; another negative errno.
 */
int mp_exec_mapping_each(pid_t pid,
			 void (*take)(void *context, pid_t pid,
				      const struct mp_exec_mapping *mapping),
			 void *context);

/**
 * mp_exec_mapping_open - open the mapped file
 *
 * It is opened by its path below /proc/PID/root, if that path still has the same device and inode.
 * Else it is opened through /proc/PID/map_files, which also works for deleted files. If that is not
 * permitted, it is opened by its path if that has the same inode.
 *
 * Return: a file descriptor, or a negative errno, see mp_regular_open().
 */
int mp_exec_mapping_open(pid_t pid, const struct mp_exec_mapping *mapping);

#endif
