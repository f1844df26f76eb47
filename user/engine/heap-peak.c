// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-peak: keeps the bytes of the last peak until a tally changes
 *
 * So a new peak costs nothing for the tallies that do not change.
 */
#include "heap-peak.h"

#include <math.h>

/* A sample counts at once if it stands for at most so many times its own bytes. */
#define SMALL_WEIGHT	2

/* At least so many other samples must follow: one alone may stand for more than all before. */
#define LATER		4

/*
 * A moment counts for so many standard errors less. With one, estimates of a peak that lasts are
 * three times as far from each other; with three, a short peak of twice as much is missed.
 */
#define ERRORS		2

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

static int half_of(const struct mp_block *block)
{
	return block->ptr * HASH >> 63;
}

static uint64_t square(const struct mp_block *block)
{
	const uint64_t kib = block->space >> 10;

	return kib < 1UL << 31 ? kib * kib : 1UL << 62;
}

/*
 * By this, half @i chooses a moment: what it can be sure of. Early samples may stand for much less
 * than late ones, and then the highest estimate would be one of the worst.
 */
static uint64_t height(const struct mp_tally_peak *peak, int i)
{
	const uint64_t error = (uint64_t)(ERRORS * sqrt((double)peak->squares[i])) << 10;

	return peak->exact + (peak->settled[i] > error ? 2 * (peak->settled[i] - error) : 0);
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
		to->peak.settled[i] += from->peak.settled[i];
		to->peak.squares[i] += from->peak.squares[i];
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

/* Looks whether the bytes of a block, which have changed, have made this moment the highest. */
static void look(struct mp_heap *heap, const struct mp_heap_tallies *t)
{
	int i, half;

	for (half = 0; half < 2; half++) {
		for (i = 1; i < MP_HEAP_NR_TALLIES; i++)
			rise(&t->all[i]->peak, half);
		heap->peak[half] += rise(&heap->total.peak, half);
	}
}

static void count_exact(struct mp_heap *heap, const struct mp_block *block)
{
	const struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		keep(heap, &t.all[i]->peak);
		t.all[i]->peak.exact += block->space;
	}
	look(heap, &t);
}

/* A sample that lives when another one is taken is there, as far as samples can tell. */
static void count_sample(struct mp_heap *heap, const struct mp_block *block)
{
	const struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		keep(heap, &t.all[i]->peak);
		t.all[i]->peak.half[half_of(block)] += block->space;
	}
}

static void settle(struct mp_heap *heap, const struct mp_block *block)
{
	const struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	struct mp_tally_peak *peak;
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		peak = &t.all[i]->peak;
		peak->settled[half_of(block)] += block->space;
		peak->squares[half_of(block)] += square(block);
	}
	look(heap, &t);
}

/* Counts the blocks that have become old enough, when @space more bytes were allocated. */
static void grow_older(struct mp_heap *heap, uint32_t number, uint64_t space)
{
	struct mp_heap_process *process = &heap->processes[number];
	const struct mp_block *block;
	struct mp_heap_fresh *fresh;
	uint64_t step;
	uint32_t i, nr = 0;

	for (i = 0; i < process->nr_fresh; i++) {
		fresh = &process->fresh[i];
		block = mp_blocks_find(&heap->blocks, number, fresh->ptr);
		if (!block)
			continue;
		if (!fresh->is_counted)
			count_sample(heap, block);
		fresh->is_counted = true;
		step = fresh->space / LATER + 1;
		if (step > space)
			step = space;
		if (fresh->left > step) {
			fresh->left -= step;
			process->fresh[nr++] = *fresh;
		} else {
			settle(heap, block);
		}
	}
	process->nr_fresh = nr;
}

static void settle_oldest(struct mp_heap *heap, uint32_t number)
{
	struct mp_heap_process *process = &heap->processes[number];

	process->fresh[0].left = 0;
	grow_older(heap, number, 0);
}

void mp_heap_peak_alloc(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_process *process = &heap->processes[block->process];

	grow_older(heap, block->process, block->space);
	if (is_exact(block)) {
		count_exact(heap, block);
		return;
	}
	if (process->nr_fresh == MP_HEAP_FRESH)
		settle_oldest(heap, block->process);
	process->fresh[process->nr_fresh++] = (struct mp_heap_fresh){
		.ptr = block->ptr, .space = block->space, .left = block->space,
	};
}

/* Takes a block from those that are fresh. Returns false if it is not. */
static bool take_fresh(struct mp_heap_process *process, uint64_t ptr,
		       struct mp_heap_fresh *taken)
{
	uint32_t i, nr = 0;

	for (i = 0; i < process->nr_fresh; i++)
		if (process->fresh[i].ptr != ptr)
			process->fresh[nr++] = process->fresh[i];
		else
			*taken = process->fresh[i];
	if (nr == process->nr_fresh)
		return false;
	process->nr_fresh = nr;
	return true;
}

void mp_heap_peak_drop(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_fresh fresh;
	bool is_settled = !take_fresh(&heap->processes[block->process], block->ptr, &fresh);
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	struct mp_tally_peak *peak;
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		peak = &t.all[i]->peak;
		keep(heap, peak);
		if (is_exact(block)) {
			peak->exact -= block->space;
			continue;
		}
		if (is_settled) {
			peak->settled[half_of(block)] -= block->space;
			peak->squares[half_of(block)] -= square(block);
		}
		if (is_settled || fresh.is_counted)
			peak->half[half_of(block)] -= block->space;
	}
}

void mp_heap_peak_settle(struct mp_heap *heap, uint32_t process)
{
	while (heap->processes[process].nr_fresh)
		settle_oldest(heap, process);
}
