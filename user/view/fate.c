// SPDX-License-Identifier: GPL-2.0-only
/*
 * fate: compares frees with allocations, and old blocks with young ones
 *
 * A callsite that frees nothing keeps all. One that makes a value from temporary ones frees
 * most, and may leak the rest: then as much of it is from the first half of the time as from
 * the second. A cache frees its oldest blocks first, so little of it is from the first half
 * once it has freed a quarter; one that chooses at random has freed a fifth when a fifth of
 * the old blocks is gone. A table that the program began with has nothing young.
 */
#include "fate.h"
#include "sites.h"

#include <string.h>

/* Parts of the allocations that were freed: at most by keepers, at least by renewers */
#define MOST_KEPT	0.02
#define LEAST_RENEWED	0.25

/* Old bytes for each young one: at least by a steady keeper, at most by a renewer */
#define LEAST_STEADY	0.8
#define MOST_RENEWED	0.5

/* Above it, a callsite has stopped allocating, and keeps nothing new */
#define MOST_OLD	4

/* Fewer samples do not tell halves apart. */
#define LEAST_SAMPLES	48

/* Enough to name a callsite beside another one */
#define FEW_SAMPLES	24

bool mp_fates_have_ages(const struct mp_profile *sites)
{
	const struct mp_row *row;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_OLD_SPACE])
			return true;
	return false;
}

enum mp_fate mp_fate_of(const struct mp_fates *fates, const struct mp_row *row)
{
	const double freed = (double)row->value[MP_FREE_OBJECTS] /
			     (double)(row->value[MP_ALLOC_OBJECTS] ?: 1);
	const uint64_t distance = mp_alloc_distance(fates->alloc, row->value);
	const double live = (double)row->value[MP_INUSE_SPACE];
	const double least = LEAST_SAMPLES * (double)(distance ?: 1);
	const double old = (double)row->value[MP_OLD_SPACE], young = live - old;

	/* a file may have frees alone */
	if (!row->value[MP_ALLOC_OBJECTS])
		return MP_FATE_UNKNOWN;
	/* one block, such as a table, is no habit */
	if (row->value[MP_ALLOC_OBJECTS] == 1 && freed <= MOST_KEPT)
		return MP_FATE_STABLE;
	if (fates->has_ages && old > MOST_OLD * young)
		return MP_FATE_STABLE;
	if (freed <= MOST_KEPT)
		return MP_FATE_KEPT;
	/* no age says anything of a callsite without blocks */
	if (freed >= LEAST_RENEWED && live <= 0)
		return MP_FATE_RENEWED;
	/* what is far below its peak may not grow any more, however old the rest is */
	if (!fates->is_older && live < (double)row->value[MP_PEAK_SPACE] / 2)
		return MP_FATE_UNKNOWN;
	/* a cache that begins to renew itself has as many old blocks, but does not grow */
	if (fates->has_ages && old >= LEAST_STEADY * young &&
	    (freed >= LEAST_RENEWED || fates->is_older))
		return live >= least ? MP_FATE_KEPT_STEADILY : MP_FATE_UNKNOWN;
	return freed >= LEAST_RENEWED && (!fates->has_ages || old <= MOST_RENEWED * young) ?
	       MP_FATE_RENEWED : MP_FATE_UNKNOWN;
}

bool mp_fate_keeps_rest(const struct mp_fates *fates, const struct mp_row *row)
{
	const uint64_t distance = mp_alloc_distance(fates->alloc, row->value);
	const double live = (double)row->value[MP_INUSE_SPACE];
	const double old = (double)row->value[MP_OLD_SPACE], young = live - old;

	return fates->has_ages && live >= FEW_SAMPLES * (double)(distance ?: 1) &&
	       (double)row->value[MP_FREE_OBJECTS] >=
	       LEAST_RENEWED * (double)row->value[MP_ALLOC_OBJECTS] &&
	       old >= LEAST_STEADY * young && old <= MOST_OLD * young;
}

bool mp_fates_had(const struct mp_fates *fates, const struct mp_row *row)
{
	const uint32_t pid = row->pid ?: row->only_pid;

	return row->kind == MP_ROW_SITE && !mp_row_is_sum(row) &&
	       (pid ? pid == fates->process->pid : fates->is_alone) &&
	       row->value[MP_ALLOC_OBJECTS];
}

/* An exec takes the memory of the program before. Callsites have the name of their program. */
bool mp_fates_have(const struct mp_fates *fates, const struct mp_row *row)
{
	return mp_fates_had(fates, row) &&
	       !(fates->process->flags & MP_ROW_EXECUTED && row->comm[0] &&
		 strcmp(row->comm, fates->process->comm));
}

bool mp_fates_are_same(const struct mp_fates *fates, const struct mp_row *a,
		       const struct mp_row *b)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_line *of_a = mp_profile_line(sites, &a->location);
	const struct mp_line *of_b = mp_profile_line(sites, &b->location);

	return a == b || (of_a && of_b && of_a->function != MP_NAMES_NONE &&
			  of_a->function == of_b->function);
}

uint64_t mp_fates_held(const struct mp_fates *fates, const struct mp_row *site)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row;
	uint64_t sum = 0;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (mp_fates_have(fates, row) && mp_fates_are_same(fates, row, site))
			sum += row->value[fates->held];
	return sum;
}
