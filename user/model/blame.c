// SPDX-License-Identifier: GPL-2.0-only
/*
 * blame: charges the resident pages of a process to the living blocks on them
 *
 * Two passes in the order of addresses: one over the blocks, for what each has in
 * memory and in swap, and one over the pages that are present, for who keeps them. The
 * inside of a large block is one step. Nothing is allocated, so nothing can fail.
 * A report of a million blocks on 250000 pages takes half a second of CPU time in all.
 */
#include "blame.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>

const unsigned int mp_blame_fills[MP_BLAME_FILLS] = { 5, 10, 25, 50, 75, 100 };

int mp_blame_add(struct mp_blame_blocks *blocks, const struct mp_blame_block *block)
{
	if (blocks->nr == blocks->max &&
	    !mp_array_grow(&blocks->list, &blocks->max, sizeof(*block)))
		return -ENOMEM;
	blocks->list[blocks->nr++] = *block;
	return 0;
}

void mp_blame_free_blocks(struct mp_blame_blocks *blocks)
{
	free(blocks->list);
	*blocks = (struct mp_blame_blocks){ 0 };
}

/* Of two blocks with one address the smaller one is later, and has the bytes. */
static int compare_blocks(const void *x, const void *y)
{
	const struct mp_blame_block *a = x, *b = y;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->size < b->size) - (a->size > b->size);
}

void mp_blame_sort(struct mp_blame_blocks *blocks)
{
	if (blocks->nr)
		qsort(blocks->list, blocks->nr, sizeof(*blocks->list), compare_blocks);
}

static uint64_t end_of(const struct mp_blame_block *block)
{
	uint64_t size = block->size ? block->size : 1;

	/* a block of a hostile process may have any size */
	return size > UINT64_MAX - block->start ? UINT64_MAX : block->start + size;
}

uint64_t mp_blame_own_end(const struct mp_blame_blocks *blocks, size_t i)
{
	uint64_t end = end_of(&blocks->list[i]);

	return i + 1 < blocks->nr && blocks->list[i + 1].start < end ?
	       blocks->list[i + 1].start : end;
}

bool mp_blame_has(const struct mp_blame_blocks *blocks, uint64_t start, uint64_t end)
{
	size_t at = mp_array_above(blocks->list, blocks->nr, start, start);

	if (at < blocks->nr && blocks->list[at].start < end)
		return true;
	return at && end_of(&blocks->list[at - 1]) > start;
}

static bool may_hold_blocks(uint32_t class)
{
	return class == MP_MAPPING_HEAP || class == MP_MAPPING_ANON ||
	       class == MP_MAPPING_STACK || class == MP_MAPPING_BSS;
}

void mp_blame_mark(const struct mp_blame_blocks *blocks, struct mp_mappings *mappings)
{
	struct mp_mapping *mapping;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		mapping = &mappings->list[i];
		if (may_hold_blocks(mapping->class) &&
		    mp_blame_has(blocks, mapping->start, mapping->end))
			mapping->class = MP_MAPPING_HEAP;
	}
}

static bool is_heap(const struct mp_page_area *area)
{
	return area->class == MP_MAPPING_HEAP || area->class == MP_MAPPING_ANON;
}

/* A share of a block's space, in proportion to its bytes. */
static uint64_t share_of(const struct mp_blame_block *block, uint64_t bytes)
{
	if (block->space == block->size)
		return bytes;
	return block->size ? (uint64_t)((__uint128_t)block->space * bytes / block->size) : 0;
}

static struct mp_blame_sum *owner_of(struct mp_blame *blame,
				     const struct mp_blame_block *block)
{
	return block->owner < blame->nr_owners ? &blame->owners[block->owner] : NULL;
}

static void add_states(struct mp_blame_sum *sum, const struct mp_blame_sum *part,
		       bool is_sampled)
{
	int i;

	if (!sum)
		return;
	sum->resident += part->resident;
	sum->swapped += part->swapped;
	sum->untouched += part->untouched;
	sum->huge += part->huge;
	sum->cold += part->cold;
	sum->heap += part->heap;
	sum->blame += is_sampled ? part->heap : 0;
	for (i = 0; i < MP_PAGE_MAX_NODES; i++)
		sum->node[i] += part->node[i];
}

/* Adds bytes in present pages of one state. */
static void add_present(struct mp_blame_sum *part, uint32_t state, uint64_t bytes)
{
	const uint32_t node = (state & MP_PAGE_NODES) >> MP_PAGE_NODE_SHIFT;

	part->resident += bytes;
	part->huge += state & MP_PAGE_HUGE ? bytes : 0;
	part->cold += state & MP_PAGE_COLD ? bytes : 0;
	if (node && node <= MP_PAGE_MAX_NODES)
		part->node[node - 1] += bytes;
}

/* Lets the parts of a block stand for its space. */
static void scale(struct mp_blame_sum *part, const struct mp_blame_block *block)
{
	int i;

	part->resident = share_of(block, part->resident);
	part->swapped = share_of(block, part->swapped);
	part->huge = share_of(block, part->huge);
	part->cold = share_of(block, part->cold);
	part->heap = share_of(block, part->heap);
	for (i = 0; i < MP_PAGE_MAX_NODES; i++)
		part->node[i] = share_of(block, part->node[i]);
}

bool mp_blame_is_heap(const struct mp_pages *pages, const struct mp_page_run *run)
{
	size_t at = mp_array_above(pages->areas, pages->nr_areas, end, run->start);

	return at < pages->nr_areas && is_heap(&pages->areas[at]);
}

/*
 * Adds up the states of the bytes of a block, up to @end. @first: a run that does not
 * end before the block. Returns the number of runs that it looked at.
 */
static size_t add_block(struct mp_blame *blame, const struct mp_blame_block *block,
			uint64_t end, const struct mp_pages *pages, size_t first)
{
	struct mp_blame_sum part = { 0 };
	uint64_t from, to;
	size_t i;

	for (i = first; i < pages->nr_runs && pages->runs[i].start < end; i++) {
		const struct mp_page_run *run = &pages->runs[i];

		from = run->start > block->start ? run->start : block->start;
		to = run->end < end ? run->end : end;
		if (from >= to)
			continue;
		if (!(run->state & MP_PAGE_PRESENT)) {
			part.swapped += to - from;
			continue;
		}
		add_present(&part, run->state, to - from);
		part.heap += mp_blame_is_heap(pages, run) ? to - from : 0;
	}
	scale(&part, block);
	part.untouched = block->space - part.resident - part.swapped;
	add_states(owner_of(blame, block), &part, blame->is_sampled);
	add_states(&blame->total, &part, blame->is_sampled);
	return i - first;
}

/*
 * Blocks that do not overlap take a step each, and one for each run. A hostile process
 * may claim blocks that all overlap: after many steps a block ends where the next begins.
 */
static void add_blocks(struct mp_blame *blame, const struct mp_blame_blocks *blocks,
		       const struct mp_pages *pages)
{
	size_t i, run = 0, steps = 16 * (blocks->nr + pages->nr_runs), taken;
	const struct mp_blame_block *block;
	uint64_t end;

	for (i = 0; i < blocks->nr; i++) {
		block = &blocks->list[i];
		end = !block->size ? block->start :
		      steps ? end_of(block) : mp_blame_own_end(blocks, i);
		while (run < pages->nr_runs &&
		       pages->runs[run].end <= block->start)
			run++;
		taken = add_block(blame, block, end, pages, run);
		steps -= taken < steps ? taken : steps;
	}
}

/* Place of the second pass. */
struct sweep {
	struct mp_blame *blame;
	const struct mp_blame_blocks *blocks;
	const struct mp_pages *pages;
	const struct mp_page_area *area;
	uint64_t top;		/* end of the last block's pages, if the area is the break */
	size_t block;		/* first block that does not end before the place */
};

static void charge(struct sweep *sweep, const struct mp_blame_block *block,
		   uint64_t bytes, int bin)
{
	struct mp_blame_sum *owner = owner_of(sweep->blame, block);

	sweep->blame->total.blame += bytes;
	sweep->blame->total.fill[bin] += bytes;
	if (owner) {
		owner->blame += bytes;
		owner->fill[bin] += bytes;
	}
}

/* Counts pages on which no block lives. */
static void hold(struct sweep *sweep, uint64_t from, uint64_t to)
{
	struct mp_blame *blame = sweep->blame;
	uint64_t below = to < sweep->top ? to : sweep->top;

	if (!sweep->area->has_blocks) {
		blame->held_empty += to - from;
		return;
	}
	if (below < from)
		below = from;
	blame->held_arena += below - from;
	blame->held_top += to - below;
}

static uint64_t bytes_on(const struct sweep *sweep, size_t i, uint64_t page)
{
	uint64_t end = mp_blame_own_end(sweep->blocks, i), page_end = page + sweep->pages->page_size;
	uint64_t start = sweep->blocks->list[i].start;

	if (start < page)
		start = page;
	if (end > page_end)
		end = page_end;
	return end > start ? end - start : 0;
}

static int bin_of(uint64_t bytes, uint64_t page_size)
{
	int bin = 0;

	while (bin < MP_BLAME_FILLS - 1 && bytes * 100 > mp_blame_fills[bin] * page_size)
		bin++;
	return bin;
}

/*
 * Divides a page by the blocks on it. The share of a block is the difference between
 * two rounded sums, so that the shares add up to the page.
 */
static void divide(struct sweep *sweep, uint64_t page)
{
	const uint64_t size = sweep->pages->page_size;
	const struct mp_blame_blocks *blocks = sweep->blocks;
	uint64_t all = 0, so_far = 0, before = 0, now;
	size_t i;
	int bin;

	for (i = sweep->block; i < blocks->nr && blocks->list[i].start < page + size; i++)
		all += bytes_on(sweep, i, page);
	if (!all) {
		hold(sweep, page, page + size);
		return;
	}
	bin = bin_of(all, size);
	for (i = sweep->block; i < blocks->nr && blocks->list[i].start < page + size; i++) {
		so_far += bytes_on(sweep, i, page);
		now = so_far * size / all;
		charge(sweep, &blocks->list[i], now - before, bin);
		before = now;
	}
}

/* Charges the next pages of a run, from @page on. Returns the end of these pages. */
static uint64_t step(struct sweep *sweep, uint64_t page, uint64_t end)
{
	const struct mp_blame_blocks *blocks = sweep->blocks;
	const uint64_t mask = ~(sweep->pages->page_size - 1);
	uint64_t next, block_end;

	while (sweep->block < blocks->nr && mp_blame_own_end(blocks, sweep->block) <= page)
		sweep->block++;
	if (sweep->block == blocks->nr || blocks->list[sweep->block].start >= end) {
		hold(sweep, page, end);
		return end;
	}
	next = blocks->list[sweep->block].start & mask;
	if (next > page) {
		hold(sweep, page, next);
		return next;
	}
	block_end = mp_blame_own_end(blocks, sweep->block) & mask;
	if (block_end > end)
		block_end = end;
	if (blocks->list[sweep->block].start <= page && block_end > page) {
		charge(sweep, &blocks->list[sweep->block], block_end - page,
		       MP_BLAME_FILLS - 1);
		return block_end;
	}
	divide(sweep, page);
	return page + sweep->pages->page_size;
}

/* The end of the pages of the last block that begins below the end of an area. */
static uint64_t top_of(const struct mp_blame_blocks *blocks,
		       const struct mp_page_area *area, uint64_t page_size)
{
	size_t at = mp_array_above(blocks->list, blocks->nr, start, area->end - 1);
	uint64_t end = at ? mp_blame_own_end(blocks, at - 1) : 0;

	if (!area->is_break || end > area->end - page_size)
		return area->end;
	return (end + page_size - 1) & ~(page_size - 1);
}

static void add_pages(struct mp_blame *blame, const struct mp_blame_blocks *blocks,
		      struct mp_pages *pages)
{
	struct sweep sweep = { .blame = blame, .blocks = blocks, .pages = pages };
	struct mp_page_area *area;
	uint64_t page;
	size_t i, run = 0;

	for (i = 0; i < pages->nr_areas; i++) {
		area = &pages->areas[i];
		sweep.area = area;
		sweep.top = top_of(blocks, area, pages->page_size);
		for (; run < pages->nr_runs && pages->runs[run].start < area->end; run++)
			for (page = pages->runs[run].start; is_heap(area) &&
			     pages->runs[run].state & MP_PAGE_PRESENT &&
			     page < pages->runs[run].end;)
				page = step(&sweep, page, pages->runs[run].end);
	}
}

void mp_blame_find(struct mp_blame *blame, const struct mp_blame_blocks *blocks,
		   struct mp_pages *pages)
{
	struct mp_page_area *area;
	size_t i;

	for (i = 0; i < pages->nr_areas; i++) {
		area = &pages->areas[i];
		area->has_blocks = mp_blame_has(blocks, area->start, area->end);
		if (area->has_blocks && may_hold_blocks(area->class))
			area->class = MP_MAPPING_HEAP;
	}
	add_blocks(blame, blocks, pages);
	/* most blocks on a page are not known if blocks are samples */
	if (!blame->is_sampled)
		add_pages(blame, blocks, pages);
}

void mp_blame_put(struct mp_row *row, const struct mp_blame_sum *sum)
{
	uint64_t *value = row->value;
	int i;

	value[MP_BLOCK_RESIDENT] += sum->resident;
	value[MP_BLOCK_SWAPPED] += sum->swapped;
	value[MP_BLOCK_UNTOUCHED] += sum->untouched;
	value[MP_BLOCK_HUGE] += sum->huge;
	value[MP_COLD] += sum->cold;
	value[MP_BLAME] += sum->blame;
	value[MP_PINNED] += sum->blame > sum->heap ? sum->blame - sum->heap : 0;
	value[MP_FREED_RESIDENT] += sum->freed;
	value[MP_FREED_PINNED] += sum->freed_pinned;
	for (i = 0; i < MP_BLAME_FILLS; i++)
		value[MP_FILL_5 + i] += sum->fill[i];
	for (i = 0; i < MP_PAGE_MAX_NODES; i++)
		value[MP_NODE_0 + i] += sum->node[i];
}

/* The process grew between two looks: what the second one found counts. */
static void grow(struct mp_row *row, uint64_t bytes)
{
	row->value[MP_HEAP_RESIDENT] += bytes;
	row->value[MP_RESIDENT] += bytes;
	row->value[MP_RESIDENT_ANON] += bytes;
	if (row->value[MP_PEAK_RESIDENT] < row->value[MP_RESIDENT])
		row->value[MP_PEAK_RESIDENT] = row->value[MP_RESIDENT];
}

uint64_t mp_blame_process(struct mp_row *row, const struct mp_blame *blame)
{
	uint64_t *value = row->value, moved = 0;
	uint64_t found = blame->total.blame + blame->held_top + blame->held_arena +
			 blame->held_empty;
	struct mp_blame_sum sum = blame->total;

	if (blame->is_sampled) {
		if (sum.blame > value[MP_HEAP_RESIDENT])
			sum.blame = value[MP_HEAP_RESIDENT];
		mp_blame_put(row, &sum);
		value[MP_HELD_PAGES] = value[MP_HEAP_RESIDENT] - sum.blame;
		return 0;
	}
	mp_blame_put(row, &sum);
	value[MP_HELD_TOP] = blame->held_top;
	value[MP_HELD_ARENA] = blame->held_arena;
	value[MP_HELD_EMPTY] = blame->held_empty;
	if (found > value[MP_HEAP_RESIDENT]) {
		moved = found - value[MP_HEAP_RESIDENT];
		grow(row, moved);
	} else {
		moved = value[MP_HEAP_RESIDENT] - found;
		value[MP_HELD_ARENA] += moved;
	}
	value[MP_HELD_PAGES] = value[MP_HEAP_RESIDENT] - sum.blame;
	return moved;
}
