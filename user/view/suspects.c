// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspects: compares what functions hold with what the process grew by
 */
#include "suspects.h"
#include "array.h"
#include "map.h"
#include "sites.h"

#include <stdlib.h>

/* Bytes that a function holds for each byte of growth, if it may be what grows */
#define LEAST_OF_GROWTH	0.4
#define MOST_OF_GROWTH	1.4

/* The part of the growth that makes a suspect, if nobody holds about all of it */
#define LEAST_PART	0.1

/* The sums of functions that have a name: one pass for all, as there may be many callsites. */
struct function_sums {
	struct mp_map by_function;
	uint64_t *list;
	size_t nr, max;
};

static uint64_t *sum_of(struct function_sums *sums, const struct mp_fates *fates,
			const struct mp_row *row, bool adds)
{
	const struct mp_line *line = mp_profile_line(fates->sites, &row->location);
	uint32_t *known;

	if (!line || line->function == MP_NAMES_NONE)
		return NULL;
	if (!adds) {
		known = mp_map_find(&sums->by_function, line->function, 0);
		return known ? &sums->list[*known] : NULL;
	}
	known = mp_map_add(&sums->by_function, line->function, 0);
	if (!known)
		return NULL;
	if (*known == MP_MAP_NEW) {
		if (sums->nr == sums->max &&
		    !mp_array_grow(&sums->list, &sums->max, sizeof(*sums->list))) {
			mp_map_remove(&sums->by_function, line->function, 0);
			return NULL;
		}
		*known = (uint32_t)sums->nr;
		sums->list[sums->nr++] = 0;
	}
	return &sums->list[*known];
}

/* If memory is short, sums of some functions are those of their callsites. */
static void add_up(struct function_sums *sums, const struct mp_fates *fates)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row;
	uint64_t *sum;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		sum = mp_fates_have(fates, row) ? sum_of(sums, fates, row, true) : NULL;
		if (sum)
			*sum += row->value[fates->held];
	}
}

bool mp_suspects_hold(const struct mp_fates *fates, const struct mp_row *row, uint64_t held,
		      bool all)
{
	const double grown = (double)(int64_t)fates->process->value[MP_RESIDENT_DELTA];
	const enum mp_fate fate = mp_fate_of(fates, row);
	double error;

	if (row->value[fates->held] < MP_LEAST_LEAK || grown <= 0 || fate == MP_FATE_RENEWED ||
	    fate == MP_FATE_STABLE)
		return false;
	if (!all)
		return (double)held >= LEAST_PART * grown;
	/* a few samples of a thread that allocates fast are far from the truth */
	error = (double)mp_metric_error(held, mp_alloc_distance(fates->alloc, row->value));
	return (double)held + error >= LEAST_OF_GROWTH * grown &&
	       (double)held - error <= MOST_OF_GROWTH * grown;
}

/* Whether the function of a callsite may be what grows. */
static bool may_grow(const struct mp_fates *fates,
		     struct function_sums *sums, const struct mp_row *row, bool all)
{
	const uint64_t *sum;

	if (row->value[fates->held] < MP_LEAST_LEAK || !mp_fates_have(fates, row))
		return false;
	sum = sum_of(sums, fates, row, false);
	return mp_suspects_hold(fates, row, sum ? *sum : row->value[fates->held], all);
}

/* The largest callsite that may be what grows, outside of the functions of @before */
static const struct mp_row *next_suspect(const struct mp_fates *fates,
					 struct function_sums *sums,
					 const struct mp_row *const *before, size_t nr, bool all)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row, *largest = NULL;
	size_t i;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (row->value[fates->held] < MP_LEAST_LEAK)
			continue;
		for (i = 0; i < nr && !mp_fates_are_same(fates, before[i], row); i++)
			;
		if (i == nr && may_grow(fates, sums, row, all))
			mp_fates_take_larger(fates, &largest, row);
	}
	return largest;
}

size_t mp_suspects_find(const struct mp_fates *fates, bool all, const struct mp_row **suspects)
{
	struct function_sums sums = { 0 };
	size_t nr;

	add_up(&sums, fates);
	for (nr = 0; nr < MP_MAX_SUSPECTS; nr++) {
		suspects[nr] = next_suspect(fates, &sums, suspects, nr, all);
		if (!suspects[nr])
			break;
	}
	free(sums.list);
	mp_map_free(&sums.by_function);
	return nr;
}
