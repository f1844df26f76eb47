// SPDX-License-Identifier: GPL-2.0-only
/*
 * top-sites: keeps the highest values in a sorted list
 *
 * The cost is one pass over all rows per cgroup. Nothing can fail.
 */
#include "top-sites.h"
#include "own-rows.h"

size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows)
{
	const struct mp_row *row;
	size_t nr = 0, at;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		if (row->kind != MP_ROW_SITE || mp_own_is_site(profile, row) ||
		    (row->cgroup != cgroup && cgroup != MP_TOP_ALL) ||
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
