/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * freed: finds freed blocks whose pages are still resident, and who keeps these pages
 */
#ifndef MP_FREED_H
#define MP_FREED_H

#include "blame.h"
#include "blocks.h"

/**
 * struct mp_freed_block - a block that was freed
 * @start: address
 * @size: bytes
 * @time_ns: time of the free
 * @owner: number of what allocated the block, as in struct mp_blame_block
 */
struct mp_freed_block {
	uint64_t start;
	uint64_t size;
	uint64_t time_ns;
	uint32_t owner;
};

/**
 * struct mp_freed - freed blocks of one process; all zero means none
 *
 * They may overlap each other and living blocks: bytes belong to the living block, or
 * else to the block that was freed last.
 */
struct mp_freed {
	struct mp_freed_block *list;
	size_t nr, max;
};

/**
 * mp_freed_add - add a freed block to a list
 *
 * Return: 0, or -ENOMEM.
 */
int mp_freed_add(struct mp_freed *freed, const struct mp_freed_block *block);

/**
 * mp_freed_copy - add the freed blocks of a process to a list
 * @blocks: freed blocks of all processes; born_ns is the time of the free
 *
 * Return: 0, or -ENOMEM.
 */
int mp_freed_copy(struct mp_freed *freed, const struct mp_blocks *blocks,
		  uint32_t process);

/**
 * mp_freed_find - find the bytes of freed blocks in resident heap pages
 * @blame: of the same process, after mp_blame_find(). The sums of freed bytes are added
 *	to the total and to the owners
 * @freed: is sorted
 * @blocks: living blocks, sorted
 * @pages: with the classes that mp_blame_find() gave their areas
 *
 * The time is that of a pass over all blocks and runs, and of sorting @freed.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_freed_find(struct mp_blame *blame, struct mp_freed *freed,
		  const struct mp_blame_blocks *blocks, const struct mp_pages *pages);

/** mp_freed_free - free all memory; the list is empty afterwards */
void mp_freed_free(struct mp_freed *freed);

#endif
