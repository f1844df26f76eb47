// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers: compares frees with allocations, and old blocks with young ones
 *
 * A callsite that frees nothing keeps all. One that makes a value from temporary ones frees
 * most, and may leak the rest: then as much of it is from the first half of the time as from
 * the second. A cache frees its oldest blocks first, so little of it is from the first half
 * once it has freed a quarter; one that chooses at random has freed a fifth when a fifth of
 * the old blocks is gone. A table that the program began with has nothing young.
 */
#include "keepers.h"

/* Parts of the allocations that were freed: at most by keepers, at least by renewers */
#define MOST_KEPT	0.02
#define LEAST_RENEWED	0.25

/* Old bytes for each young one: at least by a steady keeper, at most by a renewer */
#define LEAST_STEADY	0.8
#define MOST_RENEWED	0.5

/* Above it, a callsite has stopped to allocate, and keeps nothing new */
#define MOST_OLD	4

/* Fewer samples do not tell halves apart. */
#define LEAST_SAMPLES	100

/* Bytes of a leak that are worth a sentence */
#define LEAST_LEAK	(1 << 20)

/* Of less than that it is not asked whether it is too early, in bytes. */
#define LEAST_EARLY	(8 << 20)

enum fate { UNKNOWN, KEEPS, KEEPS_STEADILY, RENEWS };

static bool has_ages(const struct mp_profile *sites)
{
	const struct mp_row *row;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_OLD_SPACE])
			return true;
	return false;
}

static enum fate fate_of(const struct mp_row *row, bool has_ages, uint64_t rate)
{
	const double freed = (double)row->value[MP_FREE_OBJECTS] /
			     (double)row->value[MP_ALLOC_OBJECTS];
	const double live = (double)row->value[MP_INUSE_SPACE];
	const double old = (double)row->value[MP_OLD_SPACE], young = live - old;

	if (has_ages && old > MOST_OLD * young)
		return UNKNOWN;
	if (freed <= MOST_KEPT)
		return KEEPS;
	if (freed < LEAST_RENEWED)
		return UNKNOWN;
	if (!has_ages || old <= MOST_RENEWED * young)
		return RENEWS;
	return old >= LEAST_STEADY * young &&
	       live >= LEAST_SAMPLES * (double)(rate ?: 1) ? KEEPS_STEADILY : UNKNOWN;
}

static bool is_its_own(const struct mp_row *row, const struct mp_row *process, bool is_alone)
{
	return row->kind == MP_ROW_SITE && !mp_row_is_sum(row) &&
	       (row->pid || row->only_pid ? (row->pid ?: row->only_pid) == process->pid :
					    is_alone);
}

static void take_larger(const struct mp_row **largest, const struct mp_row *row,
			enum mp_metric metric)
{
	if (!*largest || row->value[metric] > (*largest)->value[metric])
		*largest = row;
}

static void take_site(struct mp_keepers *found, const struct mp_row *row, enum fate fate)
{
	const struct mp_row *before = found->keeper;

	if (fate == RENEWS)
		take_larger(&found->renewer, row, found->held);
	if (fate != KEEPS && fate != KEEPS_STEADILY)
		return;
	found->kept += row->value[found->held];
	take_larger(&found->keeper, row, found->held);
	if (found->keeper != before)
		found->is_steady = fate == KEEPS_STEADILY;
}

/* A snapshot of the library knows no size of before. */
static bool is_early(const struct mp_keepers *found, const struct mp_meta *meta,
		     const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];

	return meta->source != MP_SOURCE_PRELOAD && mp_row_is_older(process, meta) &&
	       !(process->flags & MP_ROW_EXITED) && found->kept >= LEAST_EARLY &&
	       (grown <= 0 || found->kept / 2 >= (uint64_t)grown);
}

/* A keeper beside one that renews more; or that explains a part of what the process grew by. */
static bool is_notable(const struct mp_keepers *found, const struct mp_meta *meta,
		       const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	const enum mp_metric held = found->held;
	uint64_t kept;

	if (!found->keeper || found->keeper->value[held] < LEAST_LEAK)
		return false;
	kept = found->keeper->value[held];
	if (mp_row_is_older(process, meta) && grown > 0 && kept >= (uint64_t)grown / 4)
		return true;
	return kept >= process->value[held] / 10 &&
	       (found->is_steady || (found->renewer && found->renewer->value[held] >= kept));
}

struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone)
{
	const bool exited = process->flags & MP_ROW_EXITED;
	struct mp_keepers found = { .held = exited ? MP_AT_EXIT : MP_INUSE_SPACE };
	const int64_t grown = (int64_t)process->value[MP_GROWTH];
	const bool ages = sites && !exited && has_ages(sites);
	const struct mp_row *row, *grower = NULL;
	size_t i;

	if (!sites)
		found.kept = process->value[found.held];
	for (i = 0; sites && i < sites->nr_rows; i++) {
		row = &sites->rows[i];
		if (!is_its_own(row, process, is_alone))
			continue;
		if (row->value[MP_ALLOC_OBJECTS])
			take_site(&found, row, fate_of(row, ages, meta->alloc.rate));
		if (!grower || (int64_t)row->value[MP_GROWTH] > (int64_t)grower->value[MP_GROWTH])
			grower = row;
	}
	if (grower && grown > 0 && (int64_t)grower->value[MP_GROWTH] > grown / 2)
		found.grower = grower;
	found.is_early = is_early(&found, meta, process);
	found.is_notable = !found.is_early && is_notable(&found, meta, process);
	return found;
}
