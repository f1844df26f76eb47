// SPDX-License-Identifier: GPL-2.0-only
/*
 * leading-metric: compares what processes took with their living blocks
 *
 * The cost is two passes over the rows.
 */
#include "leading-metric.h"
#include "choice.h"

/* LIVE does not explain a growth of that many bytes, if it is a fourth of it or less. */
#define MIN_GROWTH	(8 << 20)
#define GROWTH_LEADS	4

/* A smaller growth, in bytes, is not compared with TOUCHED. */
#define MIN_TOUCHED	(1 << 20)

/* What a process took: a runtime may have mapped before what it takes into use now. */
static int64_t taken_by(const struct mp_row *row)
{
	const int64_t growth = (int64_t)row->value[MP_GROWTH];
	const int64_t delta = (int64_t)row->value[MP_RESIDENT_DELTA];

	return growth > delta ? growth : delta;
}

/*
 * Whether processes that run have taken more memory than their living blocks explain: they
 * have a heap of their own, as runtimes do, or map memory themselves.
 */
bool mp_growth_leads(const struct mp_profile *profile)
{
	int64_t growth = 0, live = 0;
	const struct mp_row *row;
	bool runs = false;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS)
			continue;
		runs |= !(row->flags & MP_ROW_EXITED);
		growth += taken_by(row);
		live += (int64_t)row->value[MP_INUSE_SPACE];
	}
	return runs && growth > MIN_GROWTH && growth / GROWTH_LEADS > live;
}

/* Whether most of what processes took beyond their living blocks was freed, and is kept. */
static bool freed_leads(const struct mp_profile *profile)
{
	uint64_t growth = 0, freed = 0;
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || row->flags & MP_ROW_EXITED ||
		    taken_by(row) <= 0)
			continue;
		growth += (uint64_t)taken_by(row);
		if (row->value[MP_PEAK_SPACE] > row->value[MP_INUSE_SPACE])
			freed += row->value[MP_PEAK_SPACE] - row->value[MP_INUSE_SPACE];
	}
	return freed > growth / 2;
}

enum mp_metric mp_growth_metric(const struct mp_profile *profile)
{
	const struct mp_row *only = mp_profile_only_process(profile);
	const double delta = only ? (double)(int64_t)only->value[MP_RESIDENT_DELTA] : 0;
	const double touched = only ? (double)only->value[MP_TOUCHED] : 0;

	return only && !(only->flags & MP_ROW_EXITED) && delta >= MIN_TOUCHED &&
	       touched >= 0.75 * delta && touched <= 1.25 * delta ? MP_TOUCHED : MP_GROWTH;
}

/* The metric that names who has the memory. */
enum mp_metric mp_leading_metric(const struct mp_profile *profile, bool ended)
{
	if (ended)
		return MP_AT_PEAK;
	if (mp_growth_leads(profile)) {
		if (freed_leads(profile) && mp_choice_has(profile, MP_AT_PEAK))
			return MP_AT_PEAK;
		/* whose code touches memory says more than who maps it */
		return mp_choice_has(profile, MP_TOUCHED) ? MP_TOUCHED : MP_GROWTH;
	}
	return mp_choice_has(profile, MP_INUSE_SPACE) ? MP_INUSE_SPACE :
	       mp_choice_has(profile, MP_ALLOC_SPACE) ? MP_ALLOC_SPACE : MP_TOUCHED;
}
