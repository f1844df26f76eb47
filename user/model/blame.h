/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blame: charges the resident pages of a process to the living blocks on them
 */
#ifndef MP_BLAME_H
#define MP_BLAME_H

#include "pages.h"

/**
 * struct mp_blame_block - a living block
 * @start: address
 * @size: bytes
 * @space: bytes that the block stands for; @size, unless it is a sample
 * @owner: number of what allocated the block; if it is not below the number of owners,
 *	the block counts only in the total
 */
struct mp_blame_block {
	uint64_t start;
	uint64_t size;
	uint64_t space;
	uint32_t owner;
};

/**
 * struct mp_blame_blocks - living blocks of one process; all zero means none
 */
struct mp_blame_blocks {
	struct mp_blame_block *list;
	size_t nr, max;
};

/*
 * Bounds of how full a page is, in percent. Bin 0 has the pages with living blocks in
 * at most 5 % of their bytes; the last bin those with more than 75 %.
 */
#define MP_BLAME_FILLS	6
extern const unsigned int mp_blame_fills[MP_BLAME_FILLS];

/**
 * struct mp_blame_sum - what one owner has, in bytes
 * @resident, @swapped, @untouched: of its blocks; they add up to the space of its blocks
 * @huge: part of @resident in huge pages
 * @cold: part of @resident in pages that were not referenced
 * @node: @resident by NUMA node, where the nodes of pages are known
 * @heap: part of @resident in pages that are charged
 * @blame: bytes of pages that are charged to it
 * @fill: @blame by how full the pages are; 0 if blocks are samples
 * @freed: bytes of its freed blocks in resident heap pages, not used again
 * @freed_pinned: part of @freed on pages with living blocks
 * @kept: part of @freed_pinned on pages where @keeper has most of the living bytes
 * @keeper: number of the owner whose @kept is the largest; valid if @kept is not 0
 */
struct mp_blame_sum {
	uint64_t resident, swapped, untouched;
	uint64_t huge, cold, heap, blame;
	uint64_t node[MP_PAGE_MAX_NODES];
	uint64_t fill[MP_BLAME_FILLS];
	uint64_t freed, freed_pinned, kept;
	uint32_t keeper;
};

/**
 * struct mp_blame - the pages of a process
 * @is_sampled: in: blocks are samples. A page then is charged with the estimated bytes
 *	of blocks on it only, because most of the blocks on it are not known
 * @owners: out: sums by owner
 * @nr_owners: number of owners
 * @total: out: sum of the process
 * @held_top: out: bytes in pages of the break above its last block
 * @held_arena: out: bytes in other pages without a block, in mappings with blocks
 * @held_empty: out: bytes in mappings without a block
 */
struct mp_blame {
	bool is_sampled;
	struct mp_blame_sum *owners;
	size_t nr_owners;
	struct mp_blame_sum total;
	uint64_t held_top, held_arena, held_empty;
};

/**
 * mp_blame_add - add a block to a list
 *
 * Return: 0, or -ENOMEM.
 */
int mp_blame_add(struct mp_blame_blocks *blocks, const struct mp_blame_block *block);

/**
 * mp_blame_sort - sort blocks by address; needed before mp_blame_mark() and
 * mp_blame_find()
 */
void mp_blame_sort(struct mp_blame_blocks *blocks);

/**
 * mp_blame_mark - make heap mappings of those that may hold blocks, and do
 *
 * Stacks and .bss with living blocks become MP_MAPPING_HEAP.
 */
void mp_blame_mark(const struct mp_blame_blocks *blocks, struct mp_mappings *mappings);

/** mp_blame_has - whether a sorted block lies in a range */
bool mp_blame_has(const struct mp_blame_blocks *blocks, uint64_t start, uint64_t end);

/**
 * mp_blame_find - find who has the pages
 * @blame: sums are added to @owners
 * @blocks: sorted. If they overlap, each is resident, swapped and untouched for itself,
 *	and the bytes of a page belong to the block that begins last
 * @pages: pages of heap mappings are charged, of other mappings not
 *
 * A resident page is charged, whole, to the living blocks on it, in proportion to
 * their bytes there; a block of 0 bytes counts as one. The shares are rounded so that
 * they add up to the page. The time is that of one pass over blocks and runs.
 */
void mp_blame_find(struct mp_blame *blame, const struct mp_blame_blocks *blocks,
		   struct mp_pages *pages);

/** mp_blame_own_end - the end of the bytes of block @i that no later block has */
uint64_t mp_blame_own_end(const struct mp_blame_blocks *blocks, size_t i);

/** mp_blame_is_heap - whether the pages of a run are charged, after mp_blame_find() */
bool mp_blame_is_heap(const struct mp_pages *pages, const struct mp_page_run *run);

/** mp_blame_put - add a sum to the metrics of a row */
void mp_blame_put(struct mp_row *row, const struct mp_blame_sum *sum);

/**
 * mp_blame_process - set the metrics of a process
 * @row: has its HEAP, and no metrics of its blocks. If the pages that were found are
 *	more than HEAP, because the process grew in between, HEAP and RSS become larger
 *
 * Return: bytes by which HEAP and the pages that were found differ.
 */
uint64_t mp_blame_process(struct mp_row *row, const struct mp_blame *blame);

/** mp_blame_free_blocks - free all memory; the list is empty afterwards */
void mp_blame_free_blocks(struct mp_blame_blocks *blocks);

#endif
