/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * smaps: what processes hold, as the kernel adds it up for anyone
 */
#ifndef MP_SMAPS_H
#define MP_SMAPS_H

#include "blocks.h"
#include "profile.h"

#include <sys/types.h>

/**
 * struct mp_smaps_blocks - what is known of a process's allocations
 * @blocks: that live
 * @process: whose, as @blocks numbers them
 * @end_ns: CLOCK_MONOTONIC; blocks that were not looked up by then count whole
 */
struct mp_smaps_blocks {
	const struct mp_blocks *blocks;
	uint32_t process;
	uint64_t end_ns;
};

/**
 * mp_smaps_fill - the sizes of a process, and what they are made of
 * @row: its levels are filled, and its peak
 * @blocks: to part HEAP by; or NULL
 *
 * Source: /proc/PID/smaps, status, task, pagemap. Walks the process's page
 * tables: a millisecond per hundred mappings or per GiB; see mp_touched() for
 * blocks.
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_smaps_fill(pid_t pid, struct mp_row *row,
		   const struct mp_smaps_blocks *blocks);

/**
 * mp_smaps_sums - the sizes of a process, and not what they are made of
 *
 * Source: /proc/PID/smaps_rollup, /proc/PID/status: a third of the cost.
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_smaps_sums(pid_t pid, struct mp_row *row);

/** mp_smaps_names - a process's name and cgroup */
void mp_smaps_names(pid_t pid, struct mp_row *row);

/**
 * mp_smaps_process - a row for a process, with name, cgroup and sizes
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_smaps_process(pid_t pid, struct mp_row *row);

#endif
