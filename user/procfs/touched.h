/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * touched: finds how many bytes of the live blocks are in resident pages
 */
#ifndef MP_TOUCHED_H
#define MP_TOUCHED_H

#include "blocks.h"
#include "residence.h"

#include <sys/types.h>

/**
 * mp_touched - find the mappings that contain live blocks, and the resident bytes of
 * these blocks
 * @blocks: live blocks
 * @process: number of the process in @blocks
 * @pid: process id of the process
 * @mappings: mappings of the process; anonymous mappings with live blocks become
 *	MP_MAPPING_HEAP
 * @end_ns: end of the look-ups, CLOCK_MONOTONIC; blocks that were not looked up by
 *	then count as resident
 * @live: out: bytes of live blocks in resident pages
 * @cut: out: the time ended before all blocks were looked up
 *
 * Source: /proc/PID/pagemap, for the pages of blocks. It takes about 30 ns per block,
 * and 10 us per 2 MiB that contain blocks. Zero pages that were only read are
 * resident, too. If blocks overlap, each of them is counted.
 *
 * Return: 0, or a negative errno.
 */
int mp_touched(const struct mp_blocks *blocks, uint32_t process, pid_t pid,
	       struct mp_mappings *mappings, uint64_t end_ns, uint64_t *live,
	       bool *cut);

#endif
