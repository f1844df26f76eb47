/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocks: stores the live blocks, and finds them by process and address
 */
#ifndef MP_BLOCKS_H
#define MP_BLOCKS_H

#include "map.h"

#include <stdbool.h>

/**
 * struct mp_block - a live block
 * @ptr: address of the block; 0: the slot is free
 * @size: requested bytes
 * @born_ns: time of the allocation
 * @space: bytes that the block stands for, if it is a sample
 * @objects: number of blocks that this block stands for, in units of 2^-16
 * @process: number of the process
 * @site: number of the site that allocated the block
 * @cgroup: number of the cgroup that the block was charged to
 * @held: a call that may free the block is in progress; mp_heap sets it
 */
struct mp_block {
	uint64_t ptr;
	uint64_t size;
	uint64_t born_ns;
	uint64_t space;
	uint64_t objects;
	uint32_t process;
	uint32_t site;
	uint32_t cgroup;
	uint32_t next;		/* next block of the granule, or next free slot */
	uint32_t left, right;	/* large blocks: children in the process's treap */
	uint32_t up;
	uint32_t next_of_process, prev_of_process;
	bool held;
};

/**
 * struct mp_blocks - all live blocks; all zero means empty
 * @list: slots for blocks, used and free
 * @nr: number of live blocks
 */
struct mp_blocks {
	struct mp_block *list;
	size_t nr;
	size_t nr_slots;
	size_t max_slots;
	uint32_t free;
	struct mp_map granules;		/* process, granule -> first block */
	struct mp_map processes;	/* process -> first block of its list */
	struct mp_map trees;		/* process -> root of its treap */
};

/**
 * mp_blocks_add - add a block
 * @block: copied; no live block of the process may have the same address
 *
 * Return: 0, or -ENOMEM.
 */
int mp_blocks_add(struct mp_blocks *blocks, const struct mp_block *block);

/**
 * mp_blocks_find - find the block that begins at an address
 *
 * Return: the block, valid until the next change, or NULL.
 */
struct mp_block *mp_blocks_find(const struct mp_blocks *blocks,
				uint32_t process, uint64_t ptr);

/**
 * mp_blocks_take - find and remove a block
 * @block: out: copy of the removed block
 *
 * Return: true, or false if no live block begins at @ptr.
 */
bool mp_blocks_take(struct mp_blocks *blocks, uint32_t process, uint64_t ptr,
		    struct mp_block *block);

/**
 * mp_blocks_at - find the block that contains an address
 *
 * Return: the block, valid until the next change, or NULL.
 */
const struct mp_block *mp_blocks_at(const struct mp_blocks *blocks,
				    uint32_t process, uint64_t addr);

/**
 * mp_blocks_pop - remove any block of a process
 * @block: out: copy of the removed block
 *
 * Return: true, or false if the process has no live block.
 */
bool mp_blocks_pop(struct mp_blocks *blocks, uint32_t process,
		   struct mp_block *block);

/**
 * mp_blocks_next - iterate over the live blocks of a process, in no defined
 * order
 * @block: the previous block; NULL: begin
 *
 * Return: the next block, valid until the next change, or NULL.
 */
const struct mp_block *mp_blocks_next(const struct mp_blocks *blocks,
				      uint32_t process,
				      const struct mp_block *block);

/** mp_blocks_free - free all memory; the object is empty afterwards */
void mp_blocks_free(struct mp_blocks *blocks);

#endif
