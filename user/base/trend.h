/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trend: finds out whether a quantity keeps growing, and how fast
 */
#ifndef MP_TREND_H
#define MP_TREND_H

#include <stdbool.h>
#include <stddef.h>

/* Fewer points have no trend. */
#define MP_TREND_MIN	8

/* Of intervals: the most that MP_TREND_MIN points allow. */
#define MP_TREND_CONFIDENCE	0.998

/* Limit of points: the work is the square of their number. */
#define MP_TREND_MAX	256

/**
 * struct mp_trend - a line through points
 * @slope: units of value for a unit of time, by Theil and Sen: the median of the slopes of
 *	all pairs of points. Up to 29 % of the points can be anything without effect
 * @low, @high: interval of @slope, by Sen, with MP_TREND_CONFIDENCE
 * @begin: the point at which the growth begins; 0: perhaps before
 * @grows: see mp_trend_fit()
 * @throughout: over all points, not only over the later half of them
 */
struct mp_trend {
	double slope;
	double low, high;
	size_t begin;
	bool grows;
	bool throughout;
};

/**
 * mp_trend_fit - fit a line, and decide whether the quantity keeps growing
 * @times: in rising order; @nr values
 * @values: the quantity at these times
 * @nr: at most MP_TREND_MAX
 *
 * It grows if, over all points or over the later half of them,
 * - all of the interval is above 0,
 * - the least values of four windows rise: what comes and goes returns to its floor,
 * - and the last window alone has at least a quarter of the slope: what was filled once
 *   does not grow any more. In the last fifth of the points the two look the same.
 *
 * The first of these has a chance of 1 in 200 with random values, and the second of 1 in 24.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_trend_fit(const double *times, const double *values, size_t nr,
		 struct mp_trend *trend);

#endif
