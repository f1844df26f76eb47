// SPDX-License-Identifier: GPL-2.0-only
/*
 * top-sites: a sort of a few, a pass over all rows for each cgroup
 */
#include "top-sites.h"

#include <errno.h>
#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The newest program's row of a process is the last one. */
static int compare_rows(const void *x, const void *y)
{
	const struct mp_row *a = *(struct mp_row **)x, *b = *(struct mp_row **)y;

	return compare(a->pid, b->pid) ?: compare(a->start_ns, b->start_ns) ?:
	       compare(b->flags & MP_ROW_EXITED, a->flags & MP_ROW_EXITED) ?:
	       compare(a->exit_ns, b->exit_ns);
}

static int compare_owner(const void *x, const void *y)
{
	const struct mp_row *site = x, *process = *(struct mp_row **)y;

	return compare(site->pid, process->pid) ?:
	       compare(site->start_ns, process->start_ns);
}

int mp_top_sites_join(struct mp_profile *profile)
{
	struct mp_row **rows, **found, *row;
	size_t i, nr = 0;

	rows = calloc(profile->nr_rows + 1, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_PROCESS)
			rows[nr++] = &profile->rows[i];
	qsort(rows, nr, sizeof(*rows), compare_rows);
	for (i = 0; i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		if (row->kind != MP_ROW_SITE)
			continue;
		found = bsearch(row, rows, nr, sizeof(*rows), compare_owner);
		while (found && found + 1 < rows + nr &&
		       !compare_owner(row, found + 1))
			found++;
		if (found)
			row->cgroup = (*found)->cgroup;
	}
	free(rows);
	return 0;
}

size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows)
{
	const struct mp_row *row;
	size_t nr = 0, at;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		if (row->kind != MP_ROW_SITE || row->cgroup != cgroup ||
		    mp_metric_compare(metric, row->value[metric], 0) <= 0)
			continue;
		for (at = nr; at && mp_metric_compare(metric,
				rows[at - 1]->value[metric],
				row->value[metric]) < 0; at--)
			if (at < max)
				rows[at] = rows[at - 1];
		if (at < max)
			rows[at] = row;
		nr += nr < max;
	}
	return nr;
}
