/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smaps: reads the resident sizes of processes from /proc
 */
#ifndef MP_SMAPS_H
#define MP_SMAPS_H

#include "blocks.h"
#include "profile.h"

#include <sys/types.h>

/**
 * struct mp_smaps_blocks - the live blocks of a process
 * @blocks: live blocks
 * @process: number of the process in @blocks
 * @end_ns: end of the look-ups, CLOCK_MONOTONIC; blocks that were not looked up by
 *	then count as resident
 */
struct mp_smaps_blocks {
	const struct mp_blocks *blocks;
	uint32_t process;
	uint64_t end_ns;
};

/**
 * mp_smaps_fill - read RSS and its parts for a process
 * @row: the function sets the levels and the peak of RSS
 * @blocks: live blocks, to divide HEAP into LIVE-RSS and HELD; or NULL
 *
 * Source: /proc/PID/smaps, status, task, pagemap. The kernel walks the process's
 * page tables, which takes a millisecond per hundred mappings or per GiB. For the
 * cost of blocks see mp_touched().
 *
 * Of a process whose mappings must not be read, RSS is known, and all of it is OTHER.
 *
 * Return: false if the process exited, also if it did so meanwhile; @row stays as it was.
 */
bool mp_smaps_fill(pid_t pid, struct mp_row *row,
		   const struct mp_smaps_blocks *blocks);

/**
 * mp_smaps_sums - read RSS of a process, without its parts
 *
 * Source: /proc/PID/smaps_rollup, /proc/PID/status. It costs a third of
 * mp_smaps_fill().
 *
 * Return: false if the process exited or must not be read.
 */
bool mp_smaps_sums(pid_t pid, struct mp_row *row);

/** mp_smaps_peak - the kernel's high-water mark of a process's RSS; 0: not known */
uint64_t mp_smaps_peak(pid_t pid);

/** mp_smaps_names - set the command name and the cgroup of a row */
void mp_smaps_names(pid_t pid, struct mp_row *row);

/**
 * mp_smaps_process - make the row of a process, with name, cgroup and sizes
 *
 * Return: false if the process exited or must not be read.
 */
bool mp_smaps_process(pid_t pid, struct mp_row *row);

#endif
