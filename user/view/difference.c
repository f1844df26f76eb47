// SPDX-License-Identifier: GPL-2.0-only
/*
 * difference: matches the rows of two profiles by name
 *
 * Rows are matched by name, because two builds of a program have no addresses in
 * common. The cost is one row per name. If memory is short, -ENOMEM is returned.
 */
#include "difference.h"
#include "array.h"
#include "short-name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of a callsite's name */
#define NAME_WIDTH	80

static struct mp_difference_row *row_of(struct mp_difference *difference,
					uint32_t comm, uint32_t name)
{
	uint32_t *known = mp_map_add(&difference->by_name, comm, name);

	if (!known)
		return NULL;
	if (*known != MP_MAP_NEW)
		return &difference->rows[*known];
	if (difference->nr == difference->max &&
	    !mp_array_grow(&difference->rows, &difference->max, sizeof(*difference->rows))) {
		mp_map_remove(&difference->by_name, comm, name);
		return NULL;
	}
	*known = (uint32_t)difference->nr++;
	difference->rows[*known] = (struct mp_difference_row){
		.comm = comm, .name = name, .place = { MP_NAMES_NONE, MP_NAMES_NONE },
	};
	return &difference->rows[*known];
}

struct mp_difference_row *mp_difference_row(struct mp_difference *difference,
					    const char *comm, const char *name)
{
	uint32_t its_comm = mp_names_add(&difference->names, comm);
	uint32_t its_name = name ? mp_names_add(&difference->names, name) : MP_NAMES_NONE;

	if (its_comm == MP_NAMES_NONE || (name && its_name == MP_NAMES_NONE))
		return NULL;
	return row_of(difference, its_comm, its_name);
}

static void add_values(uint64_t *to, const struct mp_row *row, bool with_peaks)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (mp_metrics[i].nature != MP_PEAK)
			to[i] += row->value[i];
		else if (with_peaks && row->value[i] > to[i])
			to[i] = row->value[i];
}

int mp_difference_place(struct mp_difference *difference, struct mp_difference_row *row,
			const char *place, bool after, uint64_t weight)
{
	const bool is_first = row->place[after] == MP_NAMES_NONE;
	uint32_t is;

	if (!place[0])
		return 0;
	is = mp_names_add(&difference->names, place);
	if (is == MP_NAMES_NONE)
		return -ENOMEM;
	row->has_more[after] |= !is_first && is != row->place[after];
	if (is_first || weight > row->weight[after]) {
		row->place[after] = is;
		row->weight[after] = weight;
	}
	return 0;
}

void mp_difference_text(const struct mp_difference *difference,
			const struct mp_difference_row *row, enum mp_metric metric,
			char *text, size_t size)
{
	char *const *names = difference->names.list;
	const bool is_less = mp_difference_of(row, metric) < 0;
	const bool after = row->place[!is_less] == MP_NAMES_NONE ? is_less : !is_less;
	char brief[NAME_WIDTH + 1];

	if (row->name == MP_NAMES_NONE) {
		snprintf(text, size, "%s", names[row->comm]);
		return;
	}
	mp_short_name(brief, NAME_WIDTH, names[row->name]);
	if (row->place[after] == MP_NAMES_NONE)
		snprintf(text, size, "%s", brief);
	else
		snprintf(text, size, "%s %s%s", brief, names[row->place[after]],
			 row->has_more[after] ? " and others" : "");
}

int mp_difference_add(struct mp_difference *difference,
		      const struct mp_profile *profile, enum mp_row_kind kind,
		      bool after,
		      void (*name)(const struct mp_profile *profile, const struct mp_row *row,
				   char *text, char *place),
		      size_t size)
{
	char *text = calloc(2, size);
	struct mp_difference_row *to;
	int err = text ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !err && i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind != kind)
			continue;
		if (kind == MP_ROW_SITE)
			name(profile, row, text, text + size);
		to = mp_difference_row(difference, row->comm,
				       kind == MP_ROW_SITE ? text : NULL);
		if (!to) {
			err = -ENOMEM;
			break;
		}
		if (kind == MP_ROW_SITE)
			err = mp_difference_place(difference, to, text + size, after,
						  row->value[MP_INUSE_SPACE] + row->value[MP_AT_PEAK]);
		add_values(after ? to->after : to->before, row, true);
		add_values(after ? difference->sum.after : difference->sum.before,
			   row, false);
	}
	free(text);
	return err;
}

int64_t mp_difference_of(const struct mp_difference_row *row,
			 enum mp_metric metric)
{
	return (int64_t)(row->after[metric] - row->before[metric]);
}

uint64_t mp_difference_width(const struct mp_difference_row *row,
			     enum mp_metric metric)
{
	uint64_t delta = row->after[metric] - row->before[metric];

	return (int64_t)delta < 0 ? -delta : delta;
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct mp_difference_row *a = x, *b = y;
	enum mp_metric metric = *(enum mp_metric *)arg;
	uint64_t wide_a = mp_difference_width(a, metric);
	uint64_t wide_b = mp_difference_width(b, metric);

	if (wide_a != wide_b)
		return wide_a < wide_b ? 1 : -1;
	if (a->after[metric] != b->after[metric])
		return a->after[metric] < b->after[metric] ? 1 : -1;
	if (a->comm != b->comm)
		return a->comm < b->comm ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

static bool differs(const struct mp_difference_row *row)
{
	return memcmp(row->before, row->after, sizeof(row->before));
}

void mp_difference_sort(struct mp_difference *difference, enum mp_metric metric)
{
	size_t i, kept = 0;

	for (i = 0; i < difference->nr; i++)
		if (differs(&difference->rows[i]))
			difference->rows[kept++] = difference->rows[i];
	difference->nr = kept;
	/* rows were removed, so the row numbers in the map are not valid any more */
	mp_map_free(&difference->by_name);
	if (kept)
		qsort_r(difference->rows, kept, sizeof(*difference->rows),
			compare, &metric);
}

bool mp_difference_has_error(enum mp_metric metric)
{
	return mp_metrics[metric].sampled & MP_FROM_ALLOC &&
	       mp_metrics[metric].unit == MP_UNIT_BYTES && !mp_metrics[metric].is_signed;
}

bool mp_difference_counts_blocks(enum mp_metric metric)
{
	return metric == MP_ALLOC_OBJECTS;
}

double mp_difference_error_of(enum mp_metric metric, uint64_t value, uint64_t bytes,
			      uint64_t rate)
{
	if (mp_difference_has_error(metric))
		return (double)mp_metric_error(value, rate);
	return mp_difference_counts_blocks(metric) && bytes ?
	       (double)value * (double)mp_metric_error(bytes, rate) / (double)bytes : 0;
}

/* The approximation of the quantile is within 0.003 (Abramowitz and Stegun 26.2.22). */
double mp_difference_standard_errors(size_t nr)
{
	const double t = sqrt(-2 * log(0.025 / (double)(nr ?: 1)));

	return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
}

/* @errors: how many standard errors make the noise; errors of metrics are two of them */
static void set_error(struct mp_difference_row *row, const struct mp_alloc_meta *alloc_before,
		      const struct mp_alloc_meta *alloc_after, double errors)
{
	const uint64_t before = mp_alloc_distance(alloc_before, row->before);
	const uint64_t after = mp_alloc_distance(alloc_after, row->after);
	size_t i;

	for (i = 0; i < MP_NR_METRICS; i++)
		row->noise[i] = (uint64_t)fmin(errors / 2 * hypot(
			mp_difference_error_of(i, row->before[i], row->before[MP_ALLOC_SPACE],
					       before),
			mp_difference_error_of(i, row->after[i], row->after[MP_ALLOC_SPACE],
					       after)), 0x1p63);
}

void mp_difference_error(struct mp_difference *difference, const struct mp_alloc_meta *before,
			 const struct mp_alloc_meta *after)
{
	const double errors = mp_difference_standard_errors(difference->nr);
	size_t i;

	for (i = 0; i < difference->nr; i++)
		set_error(&difference->rows[i], before, after, errors);
	set_error(&difference->sum, before, after, 2);
}

void mp_difference_free(struct mp_difference *difference)
{
	mp_names_free(&difference->names);
	mp_map_free(&difference->by_name);
	free(difference->rows);
	*difference = (struct mp_difference){ 0 };
}
