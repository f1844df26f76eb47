// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-peak: keeps the bytes of the last peak until a tally changes
 *
 * So a new peak costs nothing for the tallies that do not change.
 */
#include "heap-peak.h"

/* A sample counts at once if it stands for at most so many times its own bytes. */
#define SMALL_WEIGHT	2

/* At least so many other samples must follow: one alone may stand for more than all before. */
#define LATER		4

struct mp_heap_tallies mp_heap_tallies_of(struct mp_heap *heap, const struct mp_block *block)
{
	return (struct mp_heap_tallies){ {
		&heap->total,
		&heap->processes[block->process].tally,
		&heap->cgroups[block->cgroup].tally,
		&heap->sites[block->site].tally,
		block->site == heap->dropped ? &heap->nobody :
			&heap->sites[heap->sites[block->site].callsite].tally,
	} };
}

/* What a tally had at the last peak of the settled blocks */
static uint64_t kept(const struct mp_heap *heap, const struct mp_tally *tally)
{
	return tally->peak == heap->peak ? tally->at_peak : tally->settled_space;
}

static void keep(const struct mp_heap *heap, struct mp_tally *tally)
{
	tally->at_peak = kept(heap, tally);
	tally->peak = heap->peak;
}

bool mp_heap_is_peak(const struct mp_heap *heap)
{
	return heap->total.inuse_space > heap->total.peak_space;
}

uint64_t mp_heap_at_peak(const struct mp_heap *heap, const struct mp_tally *tally)
{
	return mp_heap_is_peak(heap) ? tally->inuse_space : kept(heap, tally);
}

void mp_heap_peak_add(const struct mp_heap *heap, struct mp_tally *to,
		      const struct mp_tally *from)
{
	keep(heap, to);
	to->at_peak += kept(heap, from);
	to->settled_space += from->settled_space;
	if (from->peak_space > to->peak_space)
		to->peak_space = from->peak_space;
}

static void settle(struct mp_heap *heap, const struct mp_block *block)
{
	const struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	const uint64_t peak = heap->total.peak_space;
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		keep(heap, t.all[i]);
		t.all[i]->settled_space += block->space;
		if (t.all[i]->settled_space > t.all[i]->peak_space)
			t.all[i]->peak_space = t.all[i]->settled_space;
	}
	heap->peak += heap->total.peak_space > peak;
}

/* Settles the blocks that have become old enough, when @space more bytes were allocated. */
static void settle_older(struct mp_heap *heap, uint32_t number, uint64_t space)
{
	struct mp_heap_process *process = &heap->processes[number];
	const struct mp_block *block;
	struct mp_heap_fresh *fresh;
	uint64_t step;
	uint32_t i, nr = 0;

	for (i = 0; i < process->nr_fresh; i++) {
		fresh = &process->fresh[i];
		step = fresh->space / LATER + 1;
		if (step > space)
			step = space;
		if (fresh->left > step) {
			fresh->left -= step;
			process->fresh[nr++] = *fresh;
			continue;
		}
		block = mp_blocks_find(&heap->blocks, number, fresh->ptr);
		if (block)
			settle(heap, block);
	}
	process->nr_fresh = nr;
}

static void settle_oldest(struct mp_heap *heap, uint32_t number)
{
	struct mp_heap_process *process = &heap->processes[number];

	process->fresh[0].left = 0;
	settle_older(heap, number, 0);
}

void mp_heap_peak_alloc(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_process *process = &heap->processes[block->process];

	settle_older(heap, block->process, block->space);
	if (block->space / SMALL_WEIGHT <= block->size) {
		settle(heap, block);
		return;
	}
	if (process->nr_fresh == MP_HEAP_FRESH)
		settle_oldest(heap, block->process);
	process->fresh[process->nr_fresh++] = (struct mp_heap_fresh){
		.ptr = block->ptr, .space = block->space, .left = block->space,
	};
}

/* Forgets that a block is fresh. Returns false if it is not. */
static bool take_fresh(struct mp_heap_process *process, uint64_t ptr)
{
	uint32_t i, nr = 0;

	for (i = 0; i < process->nr_fresh; i++)
		if (process->fresh[i].ptr != ptr)
			process->fresh[nr++] = process->fresh[i];
	if (nr == process->nr_fresh)
		return false;
	process->nr_fresh = nr;
	return true;
}

void mp_heap_peak_drop(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_tallies t;
	int i;

	if (take_fresh(&heap->processes[block->process], block->ptr))
		return;
	t = mp_heap_tallies_of(heap, block);
	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		keep(heap, t.all[i]);
		t.all[i]->settled_space -= block->space;
	}
}

void mp_heap_peak_settle(struct mp_heap *heap, uint32_t process)
{
	while (heap->processes[process].nr_fresh)
		settle_oldest(heap, process);
}
