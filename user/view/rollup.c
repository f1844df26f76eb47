// SPDX-License-Identifier: GPL-2.0-only
/*
 * rollup: adds up cgroups by their paths
 *
 * Each cgroup is compared with all others: a thousand cgroups need a million
 * comparisons. If memory is short, -ENOMEM is returned.
 */
#include "rollup.h"
#include "map.h"
#include "residence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *path_of(const struct mp_profile *profile,
			   const struct mp_row *row)
{
	const char *path = row->kind == MP_ROW_CGROUP && !mp_row_is_sum(row) ?
			   mp_id_names_find(&profile->names, row->cgroup) :
			   NULL;

	return path && path[0] == '/' ? path : NULL;
}

/* Fills a map from ids of cgroups to indices of their rows. */
static int index_rows(const struct mp_profile *profile, struct mp_map *rows)
{
	uint32_t *at;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		if (profile->rows[i].kind != MP_ROW_CGROUP ||
		    mp_row_is_sum(&profile->rows[i]))
			continue;
		at = mp_map_add(rows, profile->rows[i].cgroup, 0);
		if (!at)
			return -ENOMEM;
		*at = (uint32_t)i;
	}
	return 0;
}

/* Finds or adds the row of a cgroup. Returns its index or a negative errno. */
static long row_of(struct mp_profile *profile, struct mp_map *rows, uint64_t id)
{
	const struct mp_row row = { .kind = MP_ROW_CGROUP, .cgroup = id };
	uint32_t *at = mp_map_add(rows, id, 0);

	if (!at)
		return -ENOMEM;
	if (*at == MP_MAP_NEW) {
		if (mp_profile_add(profile, &row))
			return -ENOMEM;
		*at = (uint32_t)profile->nr_rows - 1;
	}
	return *at;
}

/* Clears the sizes of cgroups: a source's sums can include processes without a row. */
static void clear_sizes(struct mp_profile *profile)
{
	static const struct mp_row none;
	struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_CGROUP && !mp_row_is_sum(row)) {
			mp_residence_take(row, &none);
			row->value[MP_INHERITED_LIVE] = 0;
		}
}

/*
 * Counts a process of a cgroup. The source may know more processes than there are rows,
 * or fewer: it does not know the cgroups of processes that did nothing.
 */
static int count_process(struct mp_row *cgroup, struct mp_map *counts)
{
	uint32_t *nr = mp_map_add(counts, cgroup->cgroup, 0);

	if (!nr)
		return -ENOMEM;
	*nr = *nr == MP_MAP_NEW ? 1 : *nr + 1;
	if (*nr > cgroup->nr_processes)
		cgroup->nr_processes = *nr;
	return 0;
}

static int add_process(struct mp_profile *profile, struct mp_map *rows,
		       struct mp_map *counts, size_t process)
{
	long at = row_of(profile, rows, profile->rows[process].cgroup);

	if (at < 0 || count_process(&profile->rows[at], counts))
		return -ENOMEM;
	mp_residence_add(&profile->rows[at], &profile->rows[process]);
	profile->rows[at].value[MP_INHERITED_LIVE] +=
		profile->rows[process].value[MP_INHERITED_LIVE];
	return 0;
}

int mp_rollup_sizes(struct mp_profile *profile)
{
	struct mp_map rows = { 0 }, counts = { 0 };
	size_t i, nr = profile->nr_rows;
	int err = index_rows(profile, &rows);

	clear_sizes(profile);
	for (i = 0; !err && i < nr; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind == MP_ROW_PROCESS && !mp_row_is_sum(row) &&
		    !(row->flags & MP_ROW_EXITED) && row->cgroup)
			err = add_process(profile, &rows, &counts, i);
	}
	mp_map_free(&rows);
	mp_map_free(&counts);
	return err;
}

int mp_rollup_growth(struct mp_profile *profile)
{
	struct mp_row *rows = profile->rows, *row, *end = rows + profile->nr_rows;
	struct mp_map cgroups = { 0 };
	uint32_t *at;
	int err = index_rows(profile, &cgroups);

	for (row = rows; !err && row < end; row++)
		if (row->kind == MP_ROW_CGROUP && !mp_row_is_sum(row))
			row->value[MP_GROWTH] = 0;
	for (row = rows; !err && row < end; row++) {
		at = row->kind == MP_ROW_PROCESS && !(row->flags & MP_ROW_EXITED) ?
		     mp_map_find(&cgroups, row->cgroup, 0) : NULL;
		if (at)
			rows[*at].value[MP_GROWTH] += row->value[MP_GROWTH];
	}
	for (row = rows; !err && row < end; row++)
		if (row->kind == MP_ROW_CGROUP && (int64_t)row->value[MP_GROWTH] >
						  (int64_t)row->value[MP_GROWTH_PEAK])
			row->value[MP_GROWTH_PEAK] = row->value[MP_GROWTH];
	mp_map_free(&cgroups);
	return err;
}

static void add_values(struct mp_row *to, const struct mp_row *from)
{
	bool exited = from->flags & MP_ROW_EXITED;
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		if (mp_metrics[i].nature == MP_PEAK)
			to->value[i] = from->value[i] > to->value[i] ?
				       from->value[i] : to->value[i];
		else if (mp_metrics[i].nature == MP_FLOW || !exited)
			to->value[i] += from->value[i];
	}
	to->nr_processes += !exited && !mp_row_is_sum(from);
}

/* Removes all rows of cgroups. */
static void drop_cgroups(struct mp_profile *profile)
{
	size_t i, kept = 0;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind != MP_ROW_CGROUP)
			profile->rows[kept++] = profile->rows[i];
	profile->nr_rows = kept;
}

int mp_rollup_processes(struct mp_profile *profile)
{
	struct mp_map rows = { 0 };
	size_t i, nr;
	long at;
	int err = 0;

	drop_cgroups(profile);
	nr = profile->nr_rows;
	for (i = 0; !err && i < nr; i++) {
		if (profile->rows[i].kind != MP_ROW_PROCESS ||
		    !profile->rows[i].cgroup)
			continue;
		at = row_of(profile, &rows, profile->rows[i].cgroup);
		if (at < 0)
			err = (int)at;
		else
			add_values(&profile->rows[at], &profile->rows[i]);
	}
	mp_map_free(&rows);
	return err;
}

static bool is_above(const char *path, const char *below)
{
	size_t len = strlen(path);

	return (len == 1 && below[1]) ||
	       (!strncmp(path, below, len) && below[len] == '/' && len > 1);
}

/* Cuts a path to the path of its parent. Returns false for the root. */
static bool cut_to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}

static uint64_t id_of(struct mp_profile *profile, const char *path)
{
	const struct mp_id_names *names = &profile->names;
	uint64_t id;
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->texts[i], path))
			return names->ids[i];
	id = MP_CGROUP_MADE_UP | names->nr;
	return mp_id_names_add(&profile->names, id, path) ? 0 : id;
}

/* Appends a row for a cgroup that passes the filter, if it has none. */
static int add_ancestor(struct mp_profile *profile, const struct mp_filter *filter,
			struct mp_map *rows, const char *path)
{
	struct mp_row row = { .kind = MP_ROW_CGROUP };

	row.cgroup = id_of(profile, path);
	if (!row.cgroup)
		return -ENOMEM;
	if (!mp_filter_passes(filter, profile, &row))
		return 0;
	return row_of(profile, rows, row.cgroup) < 0 ? -ENOMEM : 0;
}

/* Appends rows for those ancestors of a row's cgroup that have no row. */
static int add_ancestors(struct mp_profile *profile, const struct mp_filter *filter,
			 struct mp_map *rows, size_t row)
{
	const char *known = path_of(profile, &profile->rows[row]);
	char *path = known ? strdup(known) : NULL;
	int err = known && !path ? -ENOMEM : 0;

	while (!err && path && cut_to_parent(path))
		err = add_ancestor(profile, filter, rows, path);
	free(path);
	return err;
}

/* Raises a peak to the current sum, whose parts exist at the same time. */
static void raise_peak(struct mp_row *row, enum mp_metric peak, enum mp_metric now)
{
	if (mp_metric_compare(now, row->value[now], row->value[peak]) > 0)
		row->value[peak] = row->value[now];
}

static void add_below(struct mp_row *to, const struct mp_row *from)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		if (i >= MP_CGROUP_CURRENT && i <= MP_CGROUP_REST)
			continue;
		if (mp_metrics[i].nature != MP_PEAK)
			to->value[i] += from->value[i];
		else if (to->value[i] < from->value[i])
			to->value[i] = from->value[i];
	}
	raise_peak(to, MP_PEAK_SPACE, MP_INUSE_SPACE);
	raise_peak(to, MP_PEAK_RESIDENT, MP_RESIDENT);
	raise_peak(to, MP_GROWTH_PEAK, MP_GROWTH);
	to->nr_processes += from->nr_processes;
	to->flags |= from->flags &
		     (MP_ROW_MAPPED | MP_ROW_SPLIT | MP_ROW_BOUND);
}

/* Copies the callsites of a cgroup to an ancestor. */
static int copy_sites(struct mp_profile *profile, size_t nr, uint64_t from,
		      uint64_t to)
{
	struct mp_row copy;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		if (profile->rows[i].kind != MP_ROW_SITE ||
		    profile->rows[i].cgroup != from)
			continue;
		copy = profile->rows[i];
		copy.cgroup = to;
		/* two rows must not have the same histogram: a merge would add it twice */
		copy.location.histogram = 0;
		err = mp_profile_add(profile, &copy);
	}
	return err;
}

/* Adds each row to the rows of all its ancestors. @before: rows before any addition. */
static int add_up(struct mp_profile *profile, const struct mp_row *before)
{
	size_t i, j, nr = profile->nr_rows;
	const char *path, *above;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		path = path_of(profile, &before[i]);
		for (j = 0; path && !err && j < nr; j++) {
			above = path_of(profile, &before[j]);
			if (!above || !is_above(above, path))
				continue;
			add_below(&profile->rows[j], &before[i]);
			profile->rows[i].flags |= MP_ROW_ROLLED;
			err = copy_sites(profile, nr, before[i].cgroup,
					 before[j].cgroup);
		}
	}
	return err;
}

int mp_rollup_nested(struct mp_profile *profile, const struct mp_filter *filter)
{
	size_t i, nr = profile->nr_rows;
	struct mp_map rows = { 0 };
	struct mp_row *before;
	int err = index_rows(profile, &rows);

	for (i = 0; !err && i < nr; i++)
		err = add_ancestors(profile, filter, &rows, i);
	mp_map_free(&rows);
	if (err || !profile->nr_rows)
		return err;
	before = calloc(profile->nr_rows, sizeof(*before));
	if (!before)
		return -ENOMEM;
	memcpy(before, profile->rows, profile->nr_rows * sizeof(*before));
	err = add_up(profile, before);
	free(before);
	/* merge copies of the same callsite, which came from several cgroups */
	if (!err)
		mp_profile_merge(profile);
	return err;
}

static uint64_t pss_below(const struct mp_profile *profile, const char *path)
{
	const struct mp_row *row;
	const char *below;
	uint64_t sum = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		below = path_of(profile, row);
		if (below && is_above(path, below) &&
		    !(row->flags & MP_ROW_ROLLED))
			sum += row->value[MP_PROPORTIONAL];
	}
	return sum;
}

static bool is_nested(const struct mp_profile *profile, const char *path)
{
	const struct mp_row *row;
	const char *above;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		above = path_of(profile, row);
		if (above && row->value[MP_CGROUP_CURRENT] &&
		    is_above(above, path))
			return true;
	}
	return false;
}

void mp_rollup_rest(struct mp_profile *profile)
{
	struct mp_row *row;
	const char *path;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		path = path_of(profile, row);
		if (!path || !row->value[MP_CGROUP_CURRENT])
			continue;
		row->value[MP_CGROUP_REST] = row->value[MP_CGROUP_CURRENT] -
			row->value[MP_PROPORTIONAL] - pss_below(profile, path);
		if (is_nested(profile, path))
			row->flags |= MP_ROW_NESTED;
	}
}
