/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-blocks: the living blocks of a region
 */
#ifndef MP_REGION_BLOCKS_H
#define MP_REGION_BLOCKS_H

#include "blame.h"
#include "region-window.h"

/**
 * struct mp_region_blocks - windows on the table of living blocks; all zero means closed
 * @entries, @blocks: the table, by slot
 */
struct mp_region_blocks {
	struct mp_region_window entries, blocks;
};

/** struct mp_region_span - times of allocations, both included, CLOCK_MONOTONIC */
struct mp_region_span {
	uint64_t from_ns, until_ns;
};

/**
 * mp_region_blocks_open - open the table
 *
 * Call mp_region_blocks_close() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_blocks_open(struct mp_region_blocks *blocks,
			  const struct mp_region *region);

/**
 * mp_region_blocks_read - read the block in a slot
 * @i: slot, below blocks->entries.nr
 * @span: when it was allocated
 * @ptr: out: address of the block
 * @block: out
 *
 * If the process replaces the block meanwhile, it is read again.
 *
 * Return: false if no such block is there.
 */
bool mp_region_blocks_read(struct mp_region_blocks *blocks, uint64_t i,
			   const struct mp_region_span *span, uint64_t *ptr, struct memprof_region_block *block);

/**
 * mp_region_blocks_youngest_ns - when the youngest block was allocated; 0: not known
 *
 * Nobody wrote the time at which a process was killed: it has no younger block.
 */
uint64_t mp_region_blocks_youngest_ns(const struct mp_region *region);

/**
 * mp_region_blocks_all - read all living blocks
 * @list: out; the owner of a block is its stack
 *
 * Return: 0; -ENOMEM; -E2BIG if there are more than MP_RESIDENT_MAX_BLOCKS.
 */
int mp_region_blocks_all(const struct mp_region *region, struct mp_blame_blocks *list);

/** mp_region_blocks_close - free the windows */
void mp_region_blocks_close(struct mp_region_blocks *blocks);

#endif
