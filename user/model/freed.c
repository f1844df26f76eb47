// SPDX-License-Identifier: GPL-2.0-only
/*
 * freed: divides resident memory without a living block by who had it last
 *
 * A pass in the order of addresses. Several freed blocks may have had the same place at
 * different times. A heap has those of the current place, the one that was freed last on top.
 * The top owns the bytes up to the next place, unless a living block has them.
 *
 * Only the first and the last page of such a piece can have living blocks on it. The
 * callsite with most bytes there is the page's keeper.
 */
#include "freed.h"
#include "array.h"
#include "map.h"

#include <errno.h>
#include <stdlib.h>

/* Callsites that are distinguished on one page: blocks of others are not compared. */
#define MAX_ON_PAGE	16

struct sweep {
	struct mp_blame *blame;
	const struct mp_freed *freed;
	const struct mp_blame_blocks *blocks;
	const struct mp_pages *pages;
	uint32_t *heap;		/* freed blocks at the place */
	size_t nr_heap;
	size_t next;		/* freed block that begins next */
	size_t block;		/* first living block that does not end before the place */
	size_t run;		/* first run that does not end before the place */
	uint64_t page;		/* whose keeper is known */
	uint32_t keeper;
	bool kept;		/* a living block is on the page */
	struct mp_map pairs;	/* owner, keeper -> number in bytes */
	uint64_t *bytes;
	size_t nr_bytes, max_bytes;
};

int mp_freed_add(struct mp_freed *freed, const struct mp_freed_block *block)
{
	if (freed->nr == freed->max &&
	    !mp_array_grow(&freed->list, &freed->max, sizeof(*block)))
		return -ENOMEM;
	freed->list[freed->nr++] = *block;
	return 0;
}

int mp_freed_copy(struct mp_freed *freed, const struct mp_blocks *blocks,
		  uint32_t process)
{
	const struct mp_block *block = NULL;
	int err = 0;

	while (!err && (block = mp_blocks_next(blocks, process, block)))
		err = mp_freed_add(freed, &(struct mp_freed_block){
			.start = block->ptr, .size = block->size,
			.time_ns = block->born_ns, .owner = block->site,
		});
	return err;
}

void mp_freed_free(struct mp_freed *freed)
{
	free(freed->list);
	*freed = (struct mp_freed){ 0 };
}

static int compare(const void *x, const void *y)
{
	const struct mp_freed_block *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static uint64_t end_of(const struct mp_freed_block *block)
{
	/* a block of a hostile process may have any size */
	return block->size > UINT64_MAX - block->start ? UINT64_MAX :
							  block->start + block->size;
}

static uint64_t time_at(const struct sweep *sweep, size_t i)
{
	return sweep->freed->list[sweep->heap[i]].time_ns;
}

static void swap(struct sweep *sweep, size_t i, size_t j)
{
	const uint32_t other = sweep->heap[i];

	sweep->heap[i] = sweep->heap[j];
	sweep->heap[j] = other;
}

static void push(struct sweep *sweep, uint32_t block)
{
	size_t i = sweep->nr_heap++;

	sweep->heap[i] = block;
	for (; i && time_at(sweep, i) > time_at(sweep, (i - 1) / 2); i = (i - 1) / 2)
		swap(sweep, i, (i - 1) / 2);
}

static void pop(struct sweep *sweep)
{
	size_t i = 0, child;

	sweep->heap[0] = sweep->heap[--sweep->nr_heap];
	while ((child = 2 * i + 1) < sweep->nr_heap) {
		if (child + 1 < sweep->nr_heap &&
		    time_at(sweep, child + 1) > time_at(sweep, child))
			child++;
		if (time_at(sweep, i) >= time_at(sweep, child))
			return;
		swap(sweep, i, child);
		i = child;
	}
}

/* The callsite with most bytes on a page, among the first callsites on it. */
static void find_keeper(struct sweep *sweep, uint64_t page)
{
	const uint64_t page_end = page + sweep->pages->page_size;
	const struct mp_blame_blocks *blocks = sweep->blocks;
	uint64_t start, end, sums[MAX_ON_PAGE], most = 0;
	uint32_t owners[MAX_ON_PAGE];
	size_t i = sweep->block, nr = 0, at;

	sweep->page = page;
	sweep->kept = false;
	while (i && mp_blame_own_end(blocks, i - 1) > page)
		i--;
	for (; i < blocks->nr && blocks->list[i].start < page_end; i++) {
		start = blocks->list[i].start > page ? blocks->list[i].start : page;
		end = mp_blame_own_end(blocks, i);
		if (end > page_end)
			end = page_end;
		if (end <= start)
			continue;
		for (at = 0; at < nr && owners[at] != blocks->list[i].owner; at++)
			;
		if (at == MAX_ON_PAGE)
			continue;
		if (at == nr) {
			owners[nr] = blocks->list[i].owner;
			sums[nr++] = 0;
		}
		sums[at] += end - start;
		sweep->kept = true;
		if (sums[at] > most) {
			most = sums[at];
			sweep->keeper = owners[at];
		}
	}
}

/* Adds bytes of a freed block on a page, if living blocks are on the page, too. */
static int add_kept(struct sweep *sweep, uint32_t owner, uint64_t page, uint64_t bytes)
{
	struct mp_blame *blame = sweep->blame;
	uint32_t *number;

	if (sweep->page != page)
		find_keeper(sweep, page);
	if (!sweep->kept)
		return 0;
	blame->total.freed_pinned += bytes;
	if (owner >= blame->nr_owners)
		return 0;
	blame->owners[owner].freed_pinned += bytes;
	number = mp_map_add(&sweep->pairs, owner, sweep->keeper);
	if (number && *number == MP_MAP_NEW) {
		if (sweep->nr_bytes == sweep->max_bytes &&
		    !mp_array_grow(&sweep->bytes, &sweep->max_bytes, sizeof(*sweep->bytes)))
			return -ENOMEM;
		*number = (uint32_t)sweep->nr_bytes;
		sweep->bytes[sweep->nr_bytes++] = 0;
	}
	if (!number)
		return -ENOMEM;
	sweep->bytes[*number] += bytes;
	return 0;
}

/* Adds a piece of a freed block, as far as it is resident. No living block is in it. */
static int add_piece(struct sweep *sweep, uint32_t owner, uint64_t from, uint64_t to)
{
	const struct mp_pages *pages = sweep->pages;
	const uint64_t size = pages->page_size, mask = ~(size - 1);
	struct mp_blame *blame = sweep->blame;
	uint64_t start, end;
	size_t i;
	int err = 0;

	while (sweep->run < pages->nr_runs && pages->runs[sweep->run].end <= from)
		sweep->run++;
	for (i = sweep->run; !err && i < pages->nr_runs && pages->runs[i].start < to; i++) {
		const struct mp_page_run *run = &pages->runs[i];

		if (!(run->state & MP_PAGE_PRESENT) || !mp_blame_is_heap(pages, run))
			continue;
		start = run->start > from ? run->start : from;
		end = run->end < to ? run->end : to;
		blame->total.freed += end - start;
		if (owner < blame->nr_owners)
			blame->owners[owner].freed += end - start;
		if ((start & mask) + size >= end) {
			err = add_kept(sweep, owner, start & mask, end - start);
			continue;
		}
		err = add_kept(sweep, owner, start & mask, (start & mask) + size - start) ?:
		      add_kept(sweep, owner, (end - 1) & mask, end - ((end - 1) & mask));
	}
	return err;
}

/* Returns the end of the living blocks that are at a place, or the place. */
static uint64_t skip_living(struct sweep *sweep, uint64_t at)
{
	const struct mp_blame_blocks *blocks = sweep->blocks;
	uint64_t end;

	for (; sweep->block < blocks->nr; sweep->block++) {
		end = mp_blame_own_end(blocks, sweep->block);
		if (end <= at)
			continue;
		if (blocks->list[sweep->block].start > at)
			break;
		at = end;
	}
	return at;
}

/* The end of the piece that begins at a place, and belongs to one freed block. */
static uint64_t end_of_piece(const struct sweep *sweep)
{
	uint64_t end = end_of(&sweep->freed->list[sweep->heap[0]]);

	if (sweep->next < sweep->freed->nr && sweep->freed->list[sweep->next].start < end)
		end = sweep->freed->list[sweep->next].start;
	if (sweep->block < sweep->blocks->nr &&
	    sweep->blocks->list[sweep->block].start < end)
		end = sweep->blocks->list[sweep->block].start;
	return end;
}

static int add_pieces(struct sweep *sweep)
{
	const struct mp_freed *freed = sweep->freed;
	uint64_t at = 0, end;
	int err = 0;

	while (!err) {
		at = skip_living(sweep, at);
		while (sweep->next < freed->nr && freed->list[sweep->next].start <= at)
			push(sweep, (uint32_t)sweep->next++);
		while (sweep->nr_heap && end_of(&freed->list[sweep->heap[0]]) <= at)
			pop(sweep);
		if (sweep->nr_heap) {
			end = end_of_piece(sweep);
			err = add_piece(sweep, freed->list[sweep->heap[0]].owner, at, end);
			at = end;
		} else if (sweep->next < freed->nr) {
			at = freed->list[sweep->next].start;
		} else {
			break;
		}
	}
	return err;
}

/* Finds for each owner who keeps most of the pages of its freed blocks. */
static void find_keepers(const struct sweep *sweep)
{
	const struct mp_map_slot *slot = sweep->pairs.slots;
	struct mp_blame_sum *owner;

	for (; slot < sweep->pairs.slots + sweep->pairs.nr_slots; slot++) {
		if (!slot->used || slot->value >= sweep->nr_bytes)
			continue;
		owner = &sweep->blame->owners[slot->a];
		if (sweep->bytes[slot->value] <= owner->kept)
			continue;
		owner->kept = sweep->bytes[slot->value];
		owner->keeper = (uint32_t)slot->b;
	}
}

int mp_freed_find(struct mp_blame *blame, struct mp_freed *freed,
		  const struct mp_blame_blocks *blocks, const struct mp_pages *pages)
{
	struct sweep sweep = {
		.blame = blame, .freed = freed, .blocks = blocks, .pages = pages,
		.page = UINT64_MAX,
	};
	int err = -ENOMEM;

	if (!freed->nr)
		return 0;
	qsort(freed->list, freed->nr, sizeof(*freed->list), compare);
	sweep.heap = calloc(freed->nr, sizeof(*sweep.heap));
	if (sweep.heap)
		err = add_pieces(&sweep);
	find_keepers(&sweep);
	free(sweep.heap);
	free(sweep.bytes);
	mp_map_free(&sweep.pairs);
	return err;
}
