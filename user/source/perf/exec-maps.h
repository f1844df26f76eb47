/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec-maps: reports the files that processes map executable
 */
#ifndef MP_EXEC_MAPS_H
#define MP_EXEC_MAPS_H

#include "cpu-rings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_exec_map - a new executable mapping, or a new process name
 * @pid: the process
 * @dev: device number of the file system, as in struct stat
 * @inode: inode of the file; 0 for memory without a file, and if the process
 *	called exec or changed its name
 */
struct mp_exec_map {
	pid_t pid;
	uint64_t dev;
	uint64_t inode;
};

/**
 * struct mp_exec_maps - a ring for each CPU
 * @poll_fd: readable when there are records to drain; -1 if not open
 * @nr_lost: number of mappings that were not reported because a ring was full
 */
struct mp_exec_maps {
	int poll_fd;
	struct mp_cpu_rings rings;
	uint64_t nr_lost;
};

/**
 * mp_exec_maps_open - start to record mappings on every CPU
 * @wakes: @poll_fd is readable after each mapping; if not, when a ring is filled by a quarter
 *
 * Children do not inherit the rings over fork.
 *
 * Return: 0, or a negative errno such as -EACCES.
 */
int mp_exec_maps_open(struct mp_exec_maps *maps, bool wakes);

/**
 * mp_exec_maps_drain - read the recorded mappings
 * @take: called for each mapping
 */
void mp_exec_maps_drain(struct mp_exec_maps *maps,
			void (*take)(void *context,
				     const struct mp_exec_map *map),
			void *context);

/** mp_exec_maps_close - stop recording and close the rings */
void mp_exec_maps_close(struct mp_exec_maps *maps);

#endif
