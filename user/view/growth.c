// SPDX-License-Identifier: GPL-2.0-only
/*
 * growth: a table of values, a row for each name and a column for each profile
 *
 * A row costs 16 bytes for each profile, and its names.
 */
#include "growth.h"
#include "array.h"
#include "cgroup-short.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples that a row must have grown by: with fewer, chance is as large as the growth. */
#define LEAST_SAMPLES	4

/* Chance makes a row grow by three errors in one case of 700. */
#define LEAST_ERRORS	3

static int name_row(struct mp_growth *growth, const struct mp_profile *profile,
		    const struct mp_row *row, const char *name, struct mp_growth_row *new)
{
	char id[MP_CGROUP_ID_SIZE];

	new->name = mp_names_add(&growth->names, name);
	new->comm = mp_names_add(&growth->names, row->comm);
	new->cgroup = mp_names_add(&growth->names,
				   mp_profile_cgroup(profile, row->cgroup, id));
	new->shown = new->cgroup;
	return new->name == MP_NAMES_NONE || new->comm == MP_NAMES_NONE ||
	       new->cgroup == MP_NAMES_NONE ? -ENOMEM : 0;
}

/* Finds the name of the container, which may be known in later profiles only. */
static int show_container(struct mp_growth *growth, const struct mp_profile *profile,
			  uint64_t cgroup, struct mp_growth_row *row)
{
	char text[MP_CGROUP_SHORT_SIZE];

	if (row->shown == row->cgroup &&
	    mp_container_shown(text, sizeof(text), profile, cgroup, false))
		row->shown = mp_names_add(&growth->names, text);
	return row->shown == MP_NAMES_NONE ? -ENOMEM : 0;
}

/* Values, and behind them the bytes that were allocated until each profile. */
static int new_row(struct mp_growth *growth, const struct mp_growth_row *new, uint32_t *at)
{
	double *values = calloc(2 * growth->max, sizeof(*values));

	if (!values)
		return -ENOMEM;
	if (growth->nr_rows == growth->max_rows &&
	    !mp_array_grow(&growth->rows, &growth->max_rows, sizeof(*growth->rows))) {
		free(values);
		return -ENOMEM;
	}
	*at = (uint32_t)growth->nr_rows;
	growth->rows[growth->nr_rows] = *new;
	growth->rows[growth->nr_rows].values = values;
	growth->rows[growth->nr_rows++].allocs = values + growth->max;
	return 0;
}

/* Finds or adds the row. @found is NULL if there are too many. */
static int find_row(struct mp_growth *growth, const struct mp_growth_row *wanted,
		    struct mp_growth_row **found)
{
	const uint64_t name = (uint64_t)wanted->name << 32 | wanted->comm;
	uint32_t *at = mp_map_find(&growth->by_names, name, wanted->cgroup);
	int err = 0;

	*found = NULL;
	if (!at && growth->nr_rows == MP_GROWTH_MAX_ROWS) {
		growth->nr_dropped++;
		return 0;
	}
	if (!at)
		at = mp_map_add(&growth->by_names, name, wanted->cgroup);
	if (!at)
		return -ENOMEM;
	if (*at == MP_MAP_NEW)
		err = new_row(growth, wanted, at);
	if (!err)
		*found = &growth->rows[*at];
	return err;
}

static int add_row(struct mp_growth *growth, const struct mp_profile *profile,
		   const struct mp_row *row, const char *name)
{
	const uint32_t number = row->location.binary;
	const struct mp_binary *binary = number ? &profile->binaries[number - 1] : NULL;
	struct mp_growth_row wanted = { 0 }, *found;
	int err = name_row(growth, profile, row, name, &wanted);

	if (!err)
		err = find_row(growth, &wanted, &found);
	if (err || !found)
		return err;
	err = show_container(growth, profile, row->cgroup, found);
	found->values[growth->nr] += (double)row->value[growth->metric];
	found->allocs[growth->nr] += (double)row->value[MP_ALLOC_SPACE];
	found->distance = fmax(found->distance,
			   (double)mp_alloc_distance(&profile->meta.alloc, row->value));
	if (binary && mp_row_has_location(row)) {
		found->build_id_size = binary->build_id_size;
		memcpy(found->build_id, binary->build_id, sizeof(found->build_id));
	}
	return err;
}

/* A cgroup's row that an ancestor's includes is shown, too; an exited process has nothing. */
static bool is_wanted(const struct mp_growth *growth, const struct mp_row *row)
{
	return row->kind == growth->kind && row->value[growth->metric] &&
	       !(row->flags & MP_ROW_OVERFLOW) &&
	       (row->kind != MP_ROW_PROCESS || !(row->flags & MP_ROW_EXITED));
}

int mp_growth_add(struct mp_growth *growth, const struct mp_profile *profile,
		  void (*name_of)(const struct mp_profile *profile,
				  const struct mp_row *row, char *text),
		  size_t size)
{
	const struct mp_row *row;
	char *text;
	int err = 0;

	if (growth->nr == growth->max)
		return -E2BIG;
	text = calloc(1, size);
	if (!text)
		return -ENOMEM;
	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++) {
		if (!is_wanted(growth, row))
			continue;
		if (mp_row_has_location(row))
			name_of(profile, row, text);
		err = add_row(growth, profile, row, text);
	}
	free(text);
	growth->rate = growth->metric == MP_INUSE_SPACE ? profile->meta.alloc.rate : 0;
	growth->times[growth->nr++] = (double)profile->meta.status.now_ns / 1e9;
	return err;
}

/* What the cgroup is called in another row */
static uint32_t shown_of(const struct mp_growth *growth, uint32_t cgroup)
{
	size_t i;

	for (i = 0; i < growth->nr_rows; i++)
		if (growth->rows[i].cgroup == cgroup)
			return growth->rows[i].shown;
	return cgroup;
}

int mp_growth_raise(struct mp_growth *growth, size_t at, const char *comm, const char *cgroup,
		    double value)
{
	struct mp_growth_row wanted = {
		.name = mp_names_add(&growth->names, ""),
		.comm = mp_names_add(&growth->names, comm),
		.cgroup = mp_names_add(&growth->names, cgroup),
	}, *found;
	int err;

	if (wanted.name == MP_NAMES_NONE || wanted.comm == MP_NAMES_NONE ||
	    wanted.cgroup == MP_NAMES_NONE)
		return -ENOMEM;
	wanted.shown = shown_of(growth, wanted.cgroup);
	err = find_row(growth, &wanted, &found);
	if (!err && found && found->values[at] < value)
		found->values[at] = value;
	return err;
}

static int compare_slopes(const void *a, const void *b)
{
	const struct mp_growth_row *x = a, *y = b;

	return x->trend.slope < y->trend.slope ? 1 : x->trend.slope > y->trend.slope ? -1 :
	       x->name < y->name ? -1 : x->name > y->name;
}

/* Mean bytes between the samples of a row; 0: it is no estimate */
static double rate_of(const struct mp_growth *growth, const struct mp_growth_row *row)
{
	return growth->rate ? fmax((double)growth->rate, row->distance) : 0;
}

/*
 * The standard error of a row's growth. The samples of the blocks that came and went make it:
 * a leak has few of these, however large it is. It is at most the error of the difference of
 * two estimates, which is that of a cache whose entries are replaced.
 */
static double error_of(const struct mp_growth *growth, const struct mp_growth_row *row,
		       double grown)
{
	const size_t last = growth->nr - 1;
	const double came = row->allocs[last] - row->allocs[row->trend.begin];
	const double flow = came + fmax(came - grown, 0);
	const double two = 2 * fmax(row->values[last], 0);

	return sqrt(rate_of(growth, row) * (came > 0 && flow < two ? flow : two));
}

static bool is_enough(const struct mp_growth *growth, const struct mp_growth_row *row,
		      double least)
{
	const double seconds = growth->times[growth->nr - 1] - growth->times[row->trend.begin];
	const double grown = row->trend.slope * seconds, rate = rate_of(growth, row);

	return grown >= least &&
	       (rate <= 1 || (grown >= LEAST_SAMPLES * rate &&
			      grown >= LEAST_ERRORS * error_of(growth, row, grown)));
}

int mp_growth_find(struct mp_growth *growth, double least)
{
	struct mp_growth_row *row;
	size_t i, nr = 0;
	int err = 0;

	for (i = 0; i < growth->nr_rows; i++) {
		row = &growth->rows[i];
		err = err ?: mp_trend_fit(growth->times, row->values, growth->nr, &row->trend);
		if (!err && row->trend.grows && is_enough(growth, row, least))
			growth->rows[nr++] = *row;
		else
			free(row->values);
	}
	growth->nr_rows = nr;
	mp_map_free(&growth->by_names);
	if (nr)
		qsort(growth->rows, nr, sizeof(*growth->rows), compare_slopes);
	return err;
}

void mp_growth_free(struct mp_growth *growth)
{
	size_t i;

	for (i = 0; i < growth->nr_rows; i++)
		free(growth->rows[i].values);
	free(growth->rows);
	mp_names_free(&growth->names);
	mp_map_free(&growth->by_names);
	growth->rows = NULL;
	growth->nr_rows = growth->max_rows = growth->nr = 0;
}
