// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks: finds a block by its address or by an address inside of it
 *
 * Memory is divided into granules of 128 bytes, and a hash map finds the blocks
 * that begin in a granule. For an address inside a small block, a bounded number
 * of granules below the address is searched. Blocks of 4096 bytes and more are
 * also in a treap per process; its priorities are hashes of the addresses. A block
 * costs about 170 bytes. An addition or removal costs two look-ups. An addition
 * fails with -ENOMEM.
 */
#include "blocks.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

#define GRANULE_BITS	7
#define LARGE		4096
#define NONE		UINT32_MAX

static uint64_t priority(const struct mp_block *block)
{
	return mp_map_hash(block->ptr, block->process);
}

static uint32_t *root_of(const struct mp_blocks *blocks, uint32_t process)
{
	return mp_map_find(&blocks->trees, process, 0);
}

/* Makes @child the child of the node @up, in place of the child @old. */
static void replace_child(struct mp_blocks *blocks, uint32_t process, uint32_t up,
			  uint32_t old, uint32_t child)
{
	struct mp_block *list = blocks->list;

	if (up == NONE)
		*root_of(blocks, process) = child;
	else if (list[up].left == old)
		list[up].left = child;
	else
		list[up].right = child;
	if (child != NONE)
		list[child].up = up;
}

/* Rotates the treap, so that a node becomes the parent of its parent. */
static void rotate(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *list = blocks->list;
	uint32_t up = list[i].up;

	replace_child(blocks, list[i].process, list[up].up, up, i);
	if (list[up].left == i) {
		list[up].left = list[i].right;
		if (list[i].right != NONE)
			list[list[i].right].up = up;
		list[i].right = up;
	} else {
		list[up].right = list[i].left;
		if (list[i].left != NONE)
			list[list[i].left].up = up;
		list[i].left = up;
	}
	list[up].up = i;
}

static bool tree_add(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *list = blocks->list, *block = &list[i];
	uint32_t *root = mp_map_add(&blocks->trees, block->process, 0);
	uint32_t at, up = NONE;

	if (!root)
		return false;
	for (at = *root; at != NONE;) {
		up = at;
		at = block->ptr < list[at].ptr ? list[at].left : list[at].right;
	}
	block->left = block->right = NONE;
	block->up = up;
	if (up == NONE)
		*root = i;
	else if (block->ptr < list[up].ptr)
		list[up].left = i;
	else
		list[up].right = i;
	while (block->up != NONE &&
	       priority(&list[block->up]) < priority(block))
		rotate(blocks, i);
	return true;
}

static void tree_remove(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *list = blocks->list, *block = &list[i];

	while (block->left != NONE && block->right != NONE)
		rotate(blocks, priority(&list[block->left]) <
		       priority(&list[block->right]) ?
		       block->right : block->left);
	replace_child(blocks, block->process, block->up, i,
		      block->left != NONE ? block->left : block->right);
	if (*root_of(blocks, block->process) == NONE)
		mp_map_remove(&blocks->trees, block->process, 0);
}

static uint32_t get_slot(struct mp_blocks *blocks)
{
	uint32_t i;

	if (blocks->nr != blocks->nr_slots) {
		i = blocks->free;
		blocks->free = blocks->list[i].next;
		return i;
	}
	if (blocks->nr_slots == blocks->max_slots &&
	    !mp_array_grow(&blocks->list, &blocks->max_slots,
			   sizeof(*blocks->list)))
		return NONE;
	return (uint32_t)blocks->nr_slots++;
}

static void put_slot(struct mp_blocks *blocks, uint32_t i)
{
	blocks->list[i].ptr = 0;
	blocks->list[i].next = blocks->free;
	blocks->free = i;
}

static bool link_granule(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *block = &blocks->list[i];
	uint32_t *head = mp_map_add(&blocks->granules, block->process,
				    block->ptr >> GRANULE_BITS);

	if (!head)
		return false;
	block->next = *head;
	*head = i;
	return true;
}

static bool link_process(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *block = &blocks->list[i];
	uint32_t *head = mp_map_add(&blocks->processes, block->process, 0);

	if (!head)
		return false;
	block->prev_of_process = NONE;
	block->next_of_process = *head;
	if (*head != NONE)
		blocks->list[*head].prev_of_process = i;
	*head = i;
	return true;
}

static void unlink_granule(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *block = &blocks->list[i];
	uint64_t granule = block->ptr >> GRANULE_BITS;
	uint32_t *head = mp_map_find(&blocks->granules, block->process, granule);
	uint32_t *link = head;

	while (*link != i)
		link = &blocks->list[*link].next;
	*link = block->next;
	if (*head == NONE)
		mp_map_remove(&blocks->granules, block->process, granule);
}

static void unlink_process(struct mp_blocks *blocks, uint32_t i)
{
	struct mp_block *list = blocks->list, *block = &list[i];

	if (block->next_of_process != NONE)
		list[block->next_of_process].prev_of_process =
			block->prev_of_process;
	if (block->prev_of_process != NONE)
		list[block->prev_of_process].next_of_process =
			block->next_of_process;
	else if (block->next_of_process != NONE)
		*mp_map_find(&blocks->processes, block->process, 0) =
			block->next_of_process;
	else
		mp_map_remove(&blocks->processes, block->process, 0);
}

int mp_blocks_add(struct mp_blocks *blocks, const struct mp_block *block)
{
	uint32_t i = get_slot(blocks);

	if (i == NONE)
		return -ENOMEM;
	blocks->list[i] = *block;
	blocks->nr++;
	if (!link_granule(blocks, i))
		goto put;
	if (!link_process(blocks, i))
		goto granule;
	if (block->size >= LARGE && !tree_add(blocks, i))
		goto process;
	return 0;

process:
	unlink_process(blocks, i);
granule:
	unlink_granule(blocks, i);
put:
	put_slot(blocks, i);
	blocks->nr--;
	return -ENOMEM;
}

static void remove_block(struct mp_blocks *blocks, uint32_t i, struct mp_block *block)
{
	*block = blocks->list[i];
	if (block->size >= LARGE)
		tree_remove(blocks, i);
	unlink_process(blocks, i);
	unlink_granule(blocks, i);
	put_slot(blocks, i);
	blocks->nr--;
}

static uint32_t first_in(const struct mp_blocks *blocks, uint32_t process,
			 uint64_t granule)
{
	const uint32_t *head = mp_map_find(&blocks->granules, process, granule);

	return head ? *head : NONE;
}

struct mp_block *mp_blocks_find(const struct mp_blocks *blocks,
				uint32_t process, uint64_t ptr)
{
	uint32_t i = first_in(blocks, process, ptr >> GRANULE_BITS);

	while (i != NONE && blocks->list[i].ptr != ptr)
		i = blocks->list[i].next;
	return i == NONE ? NULL : &blocks->list[i];
}

bool mp_blocks_take(struct mp_blocks *blocks, uint32_t process, uint64_t ptr,
		    struct mp_block *block)
{
	const struct mp_block *known = mp_blocks_find(blocks, process, ptr);

	if (!known)
		return false;
	remove_block(blocks, known - blocks->list, block);
	return true;
}

static bool is_in(const struct mp_block *block, uint64_t addr)
{
	return addr >= block->ptr && addr - block->ptr < block->size;
}

static const struct mp_block *large_at(const struct mp_blocks *blocks,
				       uint32_t process, uint64_t addr)
{
	const uint32_t *root = root_of(blocks, process);
	const struct mp_block *below = NULL;
	uint32_t i = root ? *root : NONE;

	while (i != NONE) {
		const struct mp_block *block = &blocks->list[i];

		if (block->ptr <= addr)
			below = block;
		i = block->ptr <= addr ? block->right : block->left;
	}
	return below && is_in(below, addr) ? below : NULL;
}

const struct mp_block *mp_blocks_at(const struct mp_blocks *blocks,
				    uint32_t process, uint64_t addr)
{
	const struct mp_block *block = large_at(blocks, process, addr);
	uint64_t granule = addr >> GRANULE_BITS;
	uint32_t i, n;

	for (n = 0; !block && n <= LARGE >> GRANULE_BITS && n <= granule; n++)
		for (i = first_in(blocks, process, granule - n);
		     !block && i != NONE; i = blocks->list[i].next)
			if (is_in(&blocks->list[i], addr))
				block = &blocks->list[i];
	return block;
}

bool mp_blocks_pop(struct mp_blocks *blocks, uint32_t process,
		   struct mp_block *block)
{
	const uint32_t *head = mp_map_find(&blocks->processes, process, 0);

	if (!head)
		return false;
	remove_block(blocks, *head, block);
	return true;
}

const struct mp_block *mp_blocks_next(const struct mp_blocks *blocks,
				      uint32_t process,
				      const struct mp_block *block)
{
	const uint32_t *head = block ? &block->next_of_process :
			       mp_map_find(&blocks->processes, process, 0);

	return head && *head != NONE ? &blocks->list[*head] : NULL;
}

void mp_blocks_free(struct mp_blocks *blocks)
{
	free(blocks->list);
	mp_map_free(&blocks->granules);
	mp_map_free(&blocks->processes);
	mp_map_free(&blocks->trees);
	*blocks = (struct mp_blocks){ 0 };
}
