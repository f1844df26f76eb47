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

/* 2^64 divided by the golden ratio: its products with addresses have any first bit. */
#define HASH	0x9e3779b97f4a7c15

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

/* A block is counted as what it is, or in one half of the samples. */
static bool is_exact(const struct mp_block *block)
{
	return block->space / SMALL_WEIGHT <= block->size;
}

static uint64_t *part_of(struct mp_tally_peak *peak, const struct mp_block *block)
{
	return is_exact(block) ? &peak->exact : &peak->half[block->ptr * HASH >> 63];
}

/* Chooses a moment: half @i for twice itself. */
static uint64_t height(const struct mp_tally_peak *peak, int i)
{
	return peak->exact + 2 * peak->half[i];
}

/* What is told of the moment that half @i chooses */
static uint64_t told(const struct mp_tally_peak *peak, int i)
{
	return i == 0 ? peak->exact + peak->half[1] : peak->half[0];
}

static uint64_t kept(const struct mp_heap *heap, const struct mp_tally_peak *peak, int i)
{
	return peak->peak[i] == heap->peak[i] ? peak->at_peak[i] : told(peak, i);
}

static void keep(const struct mp_heap *heap, struct mp_tally_peak *peak)
{
	int i;

	for (i = 0; i < 2; i++) {
		peak->at_peak[i] = kept(heap, peak, i);
		peak->peak[i] = heap->peak[i];
	}
}

uint64_t mp_tally_settled(const struct mp_tally *tally)
{
	return tally->peak.exact + tally->peak.half[0] + tally->peak.half[1];
}

uint64_t mp_tally_highest(const struct mp_tally *tally)
{
	return tally->peak.then[0] + tally->peak.then[1];
}

bool mp_heap_is_peak(const struct mp_heap *heap)
{
	return heap->total.inuse_space > mp_tally_highest(&heap->total);
}

uint64_t mp_heap_at_peak(const struct mp_heap *heap, const struct mp_tally *tally)
{
	return mp_heap_is_peak(heap) ? tally->inuse_space :
	       kept(heap, &tally->peak, 0) + kept(heap, &tally->peak, 1);
}

void mp_heap_peak_add(const struct mp_heap *heap, struct mp_tally *to,
		      const struct mp_tally *from)
{
	const bool is_higher = mp_tally_highest(from) > mp_tally_highest(to);
	int i;

	keep(heap, &to->peak);
	for (i = 0; i < 2; i++) {
		to->peak.at_peak[i] += kept(heap, &from->peak, i);
		to->peak.half[i] += from->peak.half[i];
		if (is_higher) {
			to->peak.most[i] = from->peak.most[i];
			to->peak.then[i] = from->peak.then[i];
		}
	}
	to->peak.exact += from->peak.exact;
}

void mp_heap_peak_reset(struct mp_tally *tally)
{
	struct mp_tally_peak *peak = &tally->peak;
	int i;

	for (i = 0; i < 2; i++) {
		peak->most[i] = height(peak, i);
		peak->at_peak[i] = peak->then[i] = told(peak, i);
		peak->peak[i] = 0;
	}
}

/*
 * Takes this moment for half @i if it is the highest. Of moments that are the same to that half,
 * the other half has the word: few samples may all be in one.
 */
static bool rise(struct mp_tally_peak *peak, int i)
{
	const uint64_t now = height(peak, i);

	if (now < peak->most[i] || (now == peak->most[i] && told(peak, i) <= peak->then[i]))
		return false;
	peak->most[i] = now;
	peak->then[i] = told(peak, i);
	return true;
}

static void settle(struct mp_heap *heap, const struct mp_block *block)
{
	const struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i, half;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		keep(heap, &t.all[i]->peak);
		*part_of(&t.all[i]->peak, block) += block->space;
	}
	for (half = 0; half < 2; half++) {
		for (i = 1; i < MP_HEAP_NR_TALLIES; i++)
			rise(&t.all[i]->peak, half);
		heap->peak[half] += rise(&heap->total.peak, half);
	}
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
	if (is_exact(block)) {
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
		keep(heap, &t.all[i]->peak);
		*part_of(&t.all[i]->peak, block) -= block->space;
	}
}

void mp_heap_peak_settle(struct mp_heap *heap, uint32_t process)
{
	while (heap->processes[process].nr_fresh)
		settle_oldest(heap, process);
}
