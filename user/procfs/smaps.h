/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smaps: the resident sizes of processes, from /proc
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
 * @end_ns: CLOCK_MONOTONIC; blocks that were not looked up until then count as
 *	resident
 */
struct mp_smaps_blocks {
	const struct mp_blocks *blocks;
	uint32_t process;
	uint64_t end_ns;
};

/**
 * mp_smaps_fill - read the sizes of a process and their parts
 * @row: its levels and its peak are set
 * @blocks: to divide HEAP; or NULL
 *
 * Source: /proc/PID/smaps, status, task, pagemap. The kernel walks the
 * process's page tables: a millisecond per hundred mappings or per GiB. See
 * mp_touched() for blocks.
 *
 * Return: false if the process exited or must not be read.
 */
bool mp_smaps_fill(pid_t pid, struct mp_row *row,
		   const struct mp_smaps_blocks *blocks);

/**
 * mp_smaps_sums - read the sizes of a process without their parts
 *
 * Source: /proc/PID/smaps_rollup, /proc/PID/status: a third of the cost.
 *
 * Return: false if the process exited or must not be read.
 */
bool mp_smaps_sums(pid_t pid, struct mp_row *row);

/** mp_smaps_names - set the command name and the cgroup of a row */
void mp_smaps_names(pid_t pid, struct mp_row *row);

/**
 * mp_smaps_process - make the row of a process, with name, cgroup and sizes
 *
 * Return: false if the process exited or must not be read.
 */
bool mp_smaps_process(pid_t pid, struct mp_row *row);

#endif
