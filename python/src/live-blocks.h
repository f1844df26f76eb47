/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * live-blocks.h: copies the sampled blocks in use from the region of this process.
 */
#ifndef MEMPROF_PYTHON_LIVE_BLOCKS_H
#define MEMPROF_PYTHON_LIVE_BLOCKS_H

#include <memprof/region.h>

#include <stddef.h>

/**
 * struct live_block - a sampled block in use
 * @address: of the block
 * @size: requested bytes
 * @weight_bytes: bytes that the sample stands for
 * @birth_ns: time of the allocation, CLOCK_MONOTONIC
 * @stack: index in MEMPROF_REGION_STACKS, or MEMPROF_REGION_NO_STACK
 */
struct live_block {
	uint64_t address;
	uint64_t size;
	uint64_t weight_bytes;
	uint64_t birth_ns;
	uint32_t stack;
};

struct live_blocks {
	struct live_block *list;
	size_t nr;
};

int live_blocks_copy(struct live_blocks *blocks,
		     const struct memprof_region_header *region, uint64_t after,
		     uint64_t since_ns);
void live_blocks_free(struct live_blocks *blocks);
const struct memprof_region_stack *
live_blocks_stack(const struct memprof_region_header *region, uint32_t stack);
const struct memprof_region_function *
live_blocks_function(const struct memprof_region_header *region, uint64_t frame);

#endif
