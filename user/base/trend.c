// SPDX-License-Identifier: GPL-2.0-only
/*
 * trend: the estimator of Theil and Sen
 *
 * H. Theil, A rank-invariant method of linear and polynomial regression analysis (1950);
 * P. K. Sen, Estimates of the regression coefficient based on Kendall's tau (1968). A
 * least-squares line would follow each peak of what is allocated and freed.
 *
 * 48 points have 1128 pairs, whose slopes are sorted: some 100 us. Where the growth begins
 * costs that for each point, but is only looked for if there is growth.
 */
#include "trend.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Of the normal distribution, for MP_TREND_CONFIDENCE. */
#define Z	3.09

/* Parts of the points, whose least values must rise. */
#define WINDOWS	4

struct points {
	const double *times, *values;
	size_t nr;
	double *slopes;		/* room for all pairs */
};

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/* The points from @begin to before @end. */
static struct points part(const struct points *points, size_t begin, size_t end)
{
	return (struct points){
		points->times + begin, points->values + begin, end - begin, points->slopes,
	};
}

/* Sorts the slopes of all pairs. Returns their number. */
static size_t sort_slopes(const struct points *points)
{
	size_t i, j, nr = 0;

	for (i = 0; i < points->nr; i++)
		for (j = i + 1; j < points->nr; j++)
			if (points->times[j] > points->times[i])
				points->slopes[nr++] =
					(points->values[j] - points->values[i]) /
					(points->times[j] - points->times[i]);
	qsort(points->slopes, nr, sizeof(*points->slopes), compare);
	return nr;
}

static double slope_of(const struct points *points)
{
	const size_t nr = sort_slopes(points);

	return !nr ? 0 : nr % 2 ? points->slopes[nr / 2] :
	       (points->slopes[nr / 2 - 1] + points->slopes[nr / 2]) / 2;
}

/* Sen's interval: by the variance of Kendall's S, without ties. */
static void fit(const struct points *points, struct mp_trend *trend)
{
	const double n = (double)points->nr;
	const double width = Z * sqrt(n * (n - 1) * (2 * n + 5) / 18);
	size_t nr;
	double low, high;

	trend->slope = slope_of(points);
	nr = sort_slopes(points);
	low = floor(((double)nr - width) / 2);
	high = ceil(((double)nr + width) / 2);
	if (!nr || low < 0 || high >= (double)nr) {
		/* too few points for this confidence */
		trend->low = -INFINITY;
		trend->high = INFINITY;
		return;
	}
	trend->low = points->slopes[(size_t)low];
	trend->high = points->slopes[(size_t)high];
}

static double least(const struct points *points, size_t begin, size_t end)
{
	double value = points->values[begin];
	size_t i;

	for (i = begin + 1; i < end; i++)
		value = fmin(value, points->values[i]);
	return value;
}

static bool keeps_growing(const struct points *points, const struct mp_trend *trend)
{
	const struct points last = part(points, (WINDOWS - 1) * points->nr / WINDOWS, points->nr);
	double floor = -INFINITY, next;
	size_t i;

	/* an interval that begins at nearly 0 is of values that hardly change */
	if (trend->slope <= 0 || trend->low < trend->slope / 100 ||
	    slope_of(&last) < trend->slope / 4)
		return false;
	for (i = 0; i < WINDOWS; i++) {
		next = least(points, i * points->nr / WINDOWS, (i + 1) * points->nr / WINDOWS);
		if (next <= floor)
			return false;
		floor = next;
	}
	return true;
}

/* Sum of the distances from a line, which lies in the middle of the points. */
static double distance(const struct points *points, double slope)
{
	double rest[MP_TREND_MAX], sum = 0, middle;
	size_t i;

	for (i = 0; i < points->nr; i++)
		rest[i] = points->values[i] - slope * points->times[i];
	if (!points->nr)
		return 0;
	middle = median(rest, points->nr);
	for (i = 0; i < points->nr; i++)
		sum += fabs(rest[i] - middle);
	return sum;
}

/*
 * Finds the point at which a level begins to rise: the points before it are near a
 * level, and those from it on near a line. It must be better by a fifth than a line alone.
 */
static size_t find_begin(const struct points *points)
{
	struct points before, after;
	double best = 0.8 * distance(points, slope_of(points)), sum;
	size_t begin = 0, i;

	for (i = 2; i + MP_TREND_MIN <= points->nr; i++) {
		before = part(points, 0, i);
		after = part(points, i, points->nr);
		sum = distance(&before, 0) + distance(&after, slope_of(&after));
		if (sum < best) {
			best = sum;
			begin = i;
		}
	}
	return begin;
}

/* Tries the points from @first on. */
static bool try_from(const struct points *points, size_t first, struct mp_trend *trend)
{
	const struct points some = part(points, first, points->nr);
	struct points grown;

	fit(&some, trend);
	trend->begin = first;
	trend->grows = keeps_growing(&some, trend);
	trend->throughout = trend->grows && !first;
	if (!trend->grows)
		return false;
	trend->begin = find_begin(points);
	grown = part(points, trend->begin, points->nr);
	fit(&grown, trend);
	return true;
}

int mp_trend_fit(const double *times, const double *values, size_t nr,
		 struct mp_trend *trend)
{
	struct points points = { times, values, nr, NULL };
	struct mp_trend half;

	*trend = (struct mp_trend){ 0 };
	if (nr < MP_TREND_MIN || nr > MP_TREND_MAX)
		return 0;
	points.slopes = malloc(nr * (nr - 1) / 2 * sizeof(*points.slopes));
	if (!points.slopes)
		return -ENOMEM;
	if (!try_from(&points, 0, trend) && nr / 2 >= MP_TREND_MIN &&
	    try_from(&points, nr / 2, &half))
		*trend = half;
	free(points.slopes);
	return 0;
}
