/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * repeated: compares several runs before a change with several runs after it
 */
#ifndef MP_REPEATED_H
#define MP_REPEATED_H

#include "difference.h"

/* Limit of the runs on each side. */
#define MP_MAX_RUNS	64

/**
 * struct mp_runs - runs of one side
 * @list: for each run its rows, added with mp_difference_add() as the later profile
 * @nr: number of runs, at most MP_MAX_RUNS
 * @alloc: how the runs were sampled, of the one with the largest distance of samples
 * @spread: the largest mp_alloc_spread() of a run; 0: 1
 */
struct mp_runs {
	struct mp_difference list[MP_MAX_RUNS];
	size_t nr;
	struct mp_alloc_meta alloc;
	double spread;
};

/**
 * mp_repeated - compare the medians of two sides
 * @difference: out, must be empty. A value is the median of its runs; a row that a run
 *	does not have counts as 0 there. The noise of a metric is the larger one of the
 *	two sides' ranges, from the least to the greatest value. If the sides do not
 *	overlap, and samples give the error of the medians' difference, within which 95 of
 *	100 unchanged rows are, the noise is not above that
 *
 * Return: 0, or -ENOMEM.
 */
int mp_repeated(const struct mp_runs *before, const struct mp_runs *after,
		struct mp_difference *difference);

/**
 * mp_repeated_row_differs - whether a row differs by more than its noise
 * @part: and by more than this part of the earlier sum of all rows
 */
bool mp_repeated_row_differs(const struct mp_difference *difference, enum mp_metric metric,
			     unsigned int part);

/** mp_repeated_differs - the same, of a row or of the sum */
bool mp_repeated_differs(const struct mp_difference *difference, enum mp_metric metric,
			 unsigned int part);

/**
 * mp_repeated_drop_noise - remove the rows that differ by no more than their noise
 *
 * Return: number of removed rows.
 */
size_t mp_repeated_drop_noise(struct mp_difference *difference, enum mp_metric metric);

#endif
