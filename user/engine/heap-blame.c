// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-blame: finds the rows of the engine's sites; the cost is one pass over the sites
 */
#include "heap-blame.h"

/* The row of a callsite or stack, or NULL. */
static struct mp_row *row_of(const struct mp_heap *heap, size_t site,
			     struct mp_profile *profile)
{
	const size_t row = site < heap->nr_sites ? heap->sites[site].row : MP_HEAP_NONE;

	return row < profile->nr_rows && mp_row_has_location(&profile->rows[row]) ?
	       &profile->rows[row] : NULL;
}

static void put(const struct mp_heap *heap, size_t site, const struct mp_blame_sum *sum,
		struct mp_profile *profile)
{
	struct mp_row *row = row_of(heap, site, profile);
	const struct mp_row *keeper = sum->kept ? row_of(heap, sum->keeper, profile) : NULL;

	if (!row)
		return;
	mp_blame_put(row, sum);
	if (keeper && sum->kept > row->kept) {
		row->keeper = keeper->location;
		row->kept = sum->kept;
	}
}

void mp_heap_put_blame(const struct mp_heap *heap, const struct mp_blame *blame,
		       struct mp_profile *profile)
{
	const size_t nr = blame->nr_owners < heap->nr_sites ? blame->nr_owners :
							      heap->nr_sites;
	size_t i, callsite;

	for (i = 0; i < nr; i++) {
		callsite = heap->sites[i].callsite;
		put(heap, i, &blame->owners[i], profile);
		if (callsite != i)
			put(heap, callsite, &blame->owners[i], profile);
	}
}
