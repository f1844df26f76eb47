/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * touched: which bytes of blocks are in pages that are there
 */
#ifndef MP_TOUCHED_H
#define MP_TOUCHED_H

#include "blocks.h"
#include "residence.h"

#include <sys/types.h>

/**
 * mp_touched - find the mappings that are an allocator's, and what of it lives
 * @blocks: that live
 * @process: whose
 * @pid: its process id
 * @mappings: of the process; anonymous ones that hold living blocks become
 *	MP_MAPPING_HEAP, whatever they were taken for
 * @end_ns: CLOCK_MONOTONIC; what was not looked up by then counts as touched
 * @live: out, bytes of living blocks in pages that are present
 * @cut: out, the time did not suffice
 *
 * Source: /proc/PID/pagemap, page by page where blocks are. Some 30 ns per
 * block, and 10 us per 2 MiB in which there are any. Pages of zeros that were
 * only read are present, too. Blocks that overlap count each.
 *
 * Return: 0, or a negative errno.
 */
int mp_touched(const struct mp_blocks *blocks, uint32_t process, pid_t pid,
	       struct mp_mappings *mappings, uint64_t end_ns, uint64_t *live,
	       bool *cut);

#endif
