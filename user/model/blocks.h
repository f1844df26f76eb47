/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blocks: what is allocated and not freed yet, by process and address
 */
#ifndef MP_BLOCKS_H
#define MP_BLOCKS_H

#include "map.h"

#include <stdbool.h>

/**
 * struct mp_block - a block that lives
 * @ptr: its address; 0 marks a free place
 * @size: bytes that were asked for
 * @born_ns: when
 * @space: bytes that it stands for
 * @objects: that it stands for, in units of 2^-16
 * @process: whose
 * @site: that allocated it
 * @cgroup: that it was charged to
 * @held: by a call that may end it; the caller's
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
	uint32_t next;		/* in its granule, or free */
	uint32_t left, right;	/* large ones: in the process's tree */
	uint32_t up;
	uint32_t next_of_process, prev_of_process;
	bool held;
};

/**
 * struct mp_blocks - all of them; all zero is none
 * @list: places, used and free
 * @nr: that live
 */
struct mp_blocks {
	struct mp_block *list;
	size_t nr;
	size_t nr_slots;
	size_t max_slots;
	uint32_t free;
	struct mp_map granules;		/* process, granule -> first block */
	struct mp_map processes;	/* process -> head of its list */
	struct mp_map trees;		/* process -> root of its large ones */
};

/**
 * mp_blocks_add - a block lives
 * @block: copied; no block at its address lives
 *
 * Return: 0, or -ENOMEM.
 */
int mp_blocks_add(struct mp_blocks *blocks, const struct mp_block *block);

/** mp_blocks_find - the block of an address, valid until the next change; or NULL */
struct mp_block *mp_blocks_find(const struct mp_blocks *blocks,
				uint32_t process, uint64_t ptr);

/**
 * mp_blocks_take - a block lives no more
 * @block: out
 *
 * Return: whether it did.
 */
bool mp_blocks_take(struct mp_blocks *blocks, uint32_t process, uint64_t ptr,
		    struct mp_block *block);

/**
 * mp_blocks_at - the block that an address is in
 *
 * Return: it, valid until the next change, or NULL.
 */
const struct mp_block *mp_blocks_at(const struct mp_blocks *blocks,
				    uint32_t process, uint64_t addr);

/**
 * mp_blocks_pop - take any block of a process
 * @block: out
 *
 * Return: whether there was one.
 */
bool mp_blocks_pop(struct mp_blocks *blocks, uint32_t process,
		   struct mp_block *block);

/**
 * mp_blocks_next - walk over what lives of a process, in no useful order
 * @block: of the process; NULL: begin
 *
 * Return: the next one, valid until the next change, or NULL.
 */
const struct mp_block *mp_blocks_next(const struct mp_blocks *blocks,
				      uint32_t process,
				      const struct mp_block *block);

/** mp_blocks_free - free all; none is left afterwards */
void mp_blocks_free(struct mp_blocks *blocks);

#endif
