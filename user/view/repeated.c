// SPDX-License-Identifier: GPL-2.0-only
/*
 * repeated: matches the rows of all runs by name, and takes medians
 *
 * The cost is a sort of the runs for each row and metric. If memory is short, -ENOMEM
 * is returned.
 */
#include "repeated.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row of each run for a row of the result: index + 1, or 0. */
struct members {
	uint32_t at[2][MP_MAX_RUNS];
};

struct matching {
	struct mp_difference *difference;
	struct members *members;
	size_t max;
};

static int make_room(struct matching *matching)
{
	const size_t nr = matching->difference->max;
	struct members *members;

	if (nr <= matching->max)
		return 0;
	members = reallocarray(matching->members, nr, sizeof(*members));
	if (!members)
		return -ENOMEM;
	memset(members + matching->max, 0, (nr - matching->max) * sizeof(*members));
	matching->members = members;
	matching->max = nr;
	return 0;
}

static int match_run(struct matching *matching, const struct mp_difference *run,
		     int side, size_t number)
{
	struct mp_difference_row *row;
	size_t i;

	for (i = 0; i < run->nr; i++) {
		const struct mp_difference_row *is = &run->rows[i];

		row = mp_difference_row(matching->difference, run->names.list[is->comm],
					is->name == MP_NAMES_NONE ? NULL :
					run->names.list[is->name]);
		if (!row || make_room(matching))
			return -ENOMEM;
		if (is->place[1] != MP_NAMES_NONE &&
		    mp_difference_place(matching->difference, row, run->names.list[is->place[1]],
					side, is->weight[1]))
			return -ENOMEM;
		row->has_more[side] |= is->has_more[1];
		matching->members[row - matching->difference->rows].at[side][number] =
			(uint32_t)i + 1;
	}
	return 0;
}

static int compare(const void *x, const void *y, void *is_signed)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	if (*(const bool *)is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

/* What the runs of a side have. Of an even number, the median is the lower one of the middle. */
struct side {
	uint64_t least, median, most;
};

static void sort_values(uint64_t *values, size_t nr, enum mp_metric metric, struct side *side)
{
	bool is_signed = mp_metrics[metric].is_signed;

	qsort_r(values, nr, sizeof(*values), compare, &is_signed);
	*side = (struct side){ values[0], values[(nr - 1) / 2], values[nr - 1] };
}

/* @at: the row of each run; NULL: the sums of the runs */
static void read_side(const struct mp_runs *runs, const uint32_t *at, enum mp_metric metric,
		      struct side *side)
{
	uint64_t values[MP_MAX_RUNS] = { 0 };
	size_t i;

	for (i = 0; i < runs->nr; i++) {
		const struct mp_difference *run = &runs->list[i];

		values[i] = !at ? run->sum.after[metric] :
			    at[i] ? run->rows[at[i] - 1].after[metric] : 0;
	}
	sort_values(values, runs->nr, metric, side);
}

/* The samples that the values of a row of a side are estimates from */
struct samples {
	uint64_t bytes, distance;
};

static struct samples samples_of(const struct mp_runs *runs, const uint32_t *at)
{
	static const enum mp_metric metrics[] = {
		MP_ALLOC_SPACE, MP_ALLOC_OBJECTS, MP_ALLOC_SAMPLES,
	};
	uint64_t medians[MP_NR_METRICS] = { 0 };
	struct side side;
	size_t i;

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		read_side(runs, at, metrics[i], &side);
		medians[metrics[i]] = side.median;
	}
	return (struct samples){ medians[MP_ALLOC_SPACE],
				 mp_alloc_distance(&runs->alloc, medians) };
}

/* The standard error of a side's median, whose variance is 3/2 of a mean's */
static double error_of(const struct mp_runs *runs, enum mp_metric metric,
		       const struct side *side, const struct samples *samples)
{
	const bool is_sum = metric == MP_ALLOC_SPACE || mp_difference_counts_blocks(metric);
	const double distance = (double)samples->distance * (is_sum && runs->spread > 1 ? runs->spread : 1);

	return mp_difference_error_of(metric, side->median, samples->bytes, (uint64_t)distance) /
	       2 * sqrt((runs->nr > 1 ? 1.5 : 1) / (double)runs->nr);
}

/*
 * How many times the range of @nr runs another run has to be away from them: Student's t of
 * 95 % with the error of one more run. Two runs tell little of how far a third one may be.
 */
static double ranges_of_one(size_t nr)
{
	static const double ranges[] = { [2] = 11, [3] = 3, [4] = 1.8, [5] = 1.3 };

	return nr < sizeof(ranges) / sizeof(ranges[0]) ? ranges[nr] : 1.2;
}

/*
 * What a row has to differ by: the range of the runs of a side, which is that of samples,
 * too. Where the sides do not overlap, the error of samples is known better than by so few. A
 * side of one run has no range: what is counted has to be farther away from the other one.
 */
static uint64_t noise_of(const struct mp_runs *before, const struct side *old,
			 const struct mp_runs *after, const struct side *new,
			 const struct samples samples[2], enum mp_metric metric, size_t nr_rows)
{
	const uint64_t ranges[2] = { old->most - old->least, new->most - new->least };
	const bool has_one = before->nr < 2 || after->nr < 2;
	const double range = (double)(ranges[0] > ranges[1] ? ranges[0] : ranges[1]);
	const bool is_estimate = before->alloc.rate > 1 && after->alloc.rate > 1 &&
				 (mp_difference_has_error(metric) ||
				  mp_difference_counts_blocks(metric));
	const size_t nr_more = before->nr > after->nr ? before->nr : after->nr;
	double noise = has_one ? range * ranges_of_one(nr_more) : range, error;

	if (is_estimate) {
		error = mp_difference_standard_errors(nr_rows) *
			hypot(error_of(before, metric, old, &samples[0]),
			      error_of(after, metric, new, &samples[1]));
		noise = has_one || (old->least <= new->most && new->least <= old->most) ?
			fmax(error, range) : error;
	}
	return (uint64_t)fmin(0x1p63, noise);
}

static void fill(const struct mp_runs *before, const struct mp_runs *after,
		 const struct members *members, struct mp_difference_row *row, size_t nr_rows)
{
	const uint32_t *at[2] = { members ? members->at[0] : NULL,
				  members ? members->at[1] : NULL };
	const struct samples samples[2] = { samples_of(before, at[0]), samples_of(after, at[1]) };
	struct side old, new;
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		read_side(before, at[0], i, &old);
		read_side(after, at[1], i, &new);
		row->before[i] = old.median;
		row->after[i] = new.median;
		row->noise[i] = noise_of(before, &old, after, &new, samples, i, nr_rows);
	}
}

int mp_repeated(const struct mp_runs *before, const struct mp_runs *after,
		struct mp_difference *difference)
{
	struct matching matching = { .difference = difference };
	size_t i;
	int err = 0;

	for (i = 0; !err && i < before->nr; i++)
		err = match_run(&matching, &before->list[i], 0, i);
	for (i = 0; !err && i < after->nr; i++)
		err = match_run(&matching, &after->list[i], 1, i);
	for (i = 0; !err && i < difference->nr; i++)
		fill(before, after, &matching.members[i], &difference->rows[i],
		     difference->nr);
	if (!err)
		fill(before, after, NULL, &difference->sum, 1);
	free(matching.members);
	return err;
}

static bool is_more_than_noise(const struct mp_difference_row *row, enum mp_metric metric,
			       uint64_t least)
{
	const uint64_t width = mp_difference_width(row, metric);

	return width && width > row->noise[metric] && width >= least;
}

bool mp_repeated_row_differs(const struct mp_difference *difference, enum mp_metric metric,
			     unsigned int part)
{
	const uint64_t least = difference->sum.before[metric] / part;
	const struct mp_difference_row *row;

	for (row = difference->rows; row < difference->rows + difference->nr; row++)
		if (is_more_than_noise(row, metric, least))
			return true;
	return false;
}

bool mp_repeated_differs(const struct mp_difference *difference, enum mp_metric metric,
			 unsigned int part)
{
	return mp_repeated_row_differs(difference, metric, part) ||
	       is_more_than_noise(&difference->sum, metric,
				  difference->sum.before[metric] / part);
}

size_t mp_repeated_drop_noise(struct mp_difference *difference, enum mp_metric metric)
{
	size_t i, kept = 0, nr = difference->nr;

	for (i = 0; i < nr; i++)
		if (mp_difference_width(&difference->rows[i], metric) >
		    difference->rows[i].noise[metric])
			difference->rows[kept++] = difference->rows[i];
	difference->nr = kept;
	mp_map_free(&difference->by_name);
	return nr - kept;
}
