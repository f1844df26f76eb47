/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * touched: which bytes of blocks are in present pages
 */
#ifndef MP_TOUCHED_H
#define MP_TOUCHED_H

#include "blocks.h"
#include "residence.h"

#include <sys/types.h>

/**
 * mp_touched - find an allocator's mappings and the resident bytes of live
 * blocks
 * @blocks: live blocks
 * @process: number of the process in @blocks
 * @pid: its process id
 * @mappings: of the process; anonymous mappings with live blocks become
 *	MP_MAPPING_HEAP
 * @end_ns: CLOCK_MONOTONIC; blocks that were not looked up until then count as
 *	resident
 * @live: out; bytes of live blocks in present pages
 * @cut: out; the time was not sufficient
 *
 * Source: /proc/PID/pagemap, for the pages of blocks. About 30 ns per block,
 * and 10 us per 2 MiB that contain blocks. Zero pages that were only read are
 * present, too. Overlapping blocks are each counted.
 *
 * Return: 0, or a negative errno.
 */
int mp_touched(const struct mp_blocks *blocks, uint32_t process, pid_t pid,
	       struct mp_mappings *mappings, uint64_t end_ns, uint64_t *live,
	       bool *cut);

#endif
