/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-peak: finds the peak of the living bytes, and what each tally had then
 *
 * A sample may stand for megabytes of small blocks. Where such blocks are freed at once, some
 * sample lives by chance at any peak that is looked for, and would be most of it. So a sample
 * that is much smaller than what it stands for counts for peaks when it has lived until its
 * process has allocated as much again, by some other samples. What is left out is a few samples.
 *
 * The highest of many estimates is too high: it is the one that erred most. So samples are in one
 * of two halves by their address. Where one half is highest is a moment, and what is told of it
 * is the other half, which knows nothing of that choice. Both together are an estimate without
 * such a bias. Where all is growth up to one peak, both halves have the same moment.
 */
#ifndef MP_HEAP_PEAK_H
#define MP_HEAP_PEAK_H

#include "heap.h"

/* A block is counted in so many tallies. */
#define MP_HEAP_NR_TALLIES	5

struct mp_heap_tallies {
	struct mp_tally *all[MP_HEAP_NR_TALLIES];
};

/** mp_heap_tallies_of - the tallies that count a block: those of all, and of what it belongs to */
struct mp_heap_tallies mp_heap_tallies_of(struct mp_heap *heap, const struct mp_block *block);

/**
 * mp_heap_peak_alloc - count a new block for peaks, now or later
 * @block: a copy of one of heap->blocks, which its tallies have already as in use
 */
void mp_heap_peak_alloc(struct mp_heap *heap, const struct mp_block *block);

/** mp_heap_peak_drop - stop counting a block for peaks */
void mp_heap_peak_drop(struct mp_heap *heap, const struct mp_block *block);

/** mp_heap_peak_settle - count all living blocks of a process for peaks, because it ends */
void mp_heap_peak_settle(struct mp_heap *heap, uint32_t process);

/** mp_heap_peak_reset - make what lives now the highest of a tally */
void mp_heap_peak_reset(struct mp_tally *tally);

/** mp_heap_peak_add - add what a tally had at the peak to another one */
void mp_heap_peak_add(const struct mp_heap *heap, struct mp_tally *to,
		      const struct mp_tally *from);

#endif
