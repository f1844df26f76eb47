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
#include "sites.h"

#include <math.h>

/* Parts of the allocations that were freed: at most by keepers, at least by renewers */
#define MOST_KEPT	0.02
#define LEAST_RENEWED	0.25

/* Old bytes for each young one: at least by a steady keeper, at most by a renewer */
#define LEAST_STEADY	0.8
#define MOST_RENEWED	0.5

/* Above it, a callsite has stopped to allocate, and keeps nothing new */
#define MOST_OLD	4

/* Fewer samples do not tell halves apart. */
#define LEAST_SAMPLES	48

/* Bytes of a leak that are worth a sentence, and of which it is asked whether it is too early */
#define LEAST_LEAK	(1 << 20)
#define LEAST_EARLY	(2 << 20)

/* Bytes that keepers hold for each byte of growth, from which on it is too early */
#define LEAST_OLDER	1.5

/* Bytes that a function holds for each byte of growth, if it may be what grows */
#define LEAST_OF_GROWTH	0.4
#define MOST_OF_GROWTH	1.4

/* How often all memory has to be replaced until a cache frees what was seen */
#define ENOUGH_TIMES	1.5

/* @STABLE: it has stopped to allocate */
enum fate { UNKNOWN, STABLE, KEEPS, KEEPS_STEADILY, RENEWS };

/* What is looked through */
struct keepers_search {
	const struct mp_profile *sites;
	const struct mp_row *process;
	const struct mp_alloc_meta *alloc;
	bool is_alone, has_ages, is_older;
};

static bool has_ages(const struct mp_profile *sites)
{
	const struct mp_row *row;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_OLD_SPACE])
			return true;
	return false;
}

static enum fate fate_of(const struct keepers_search *search, const struct mp_row *row)
{
	const double freed = (double)row->value[MP_FREE_OBJECTS] /
			     (double)row->value[MP_ALLOC_OBJECTS];
	const uint64_t distance = mp_alloc_distance(search->alloc, row->value);
	const double live = (double)row->value[MP_INUSE_SPACE];
	const double least = LEAST_SAMPLES * (double)(distance ?: 1);
	const double old = (double)row->value[MP_OLD_SPACE], young = live - old;

	if (search->has_ages && old > MOST_OLD * young)
		return STABLE;
	if (freed <= MOST_KEPT)
		return KEEPS;
	/* a cache that begins to renew itself has as many old blocks, but does not grow */
	if (search->has_ages && old >= LEAST_STEADY * young &&
	    (freed >= LEAST_RENEWED || search->is_older))
		return live >= least ? KEEPS_STEADILY : UNKNOWN;
	return freed >= LEAST_RENEWED && (!search->has_ages || old <= MOST_RENEWED * young) ?
	       RENEWS : UNKNOWN;
}

static bool is_its_own(const struct keepers_search *search, const struct mp_row *row)
{
	const uint32_t pid = row->pid ?: row->only_pid;

	return row->kind == MP_ROW_SITE && !mp_row_is_sum(row) &&
	       (pid ? pid == search->process->pid : search->is_alone) &&
	       row->value[MP_ALLOC_OBJECTS];
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
	else if (fate != STABLE)
		found->unsure += row->value[found->held];
	if (fate != KEEPS && fate != KEEPS_STEADILY)
		return;
	found->kept += row->value[found->held];
	take_larger(&found->keeper, row, found->held);
	if (found->keeper != before)
		found->is_steady = fate == KEEPS_STEADILY;
}

static bool is_early(const struct mp_keepers *found, const struct keepers_search *search)
{
	const int64_t grown = (int64_t)search->process->value[MP_RESIDENT_DELTA];

	return search->is_older && found->unsure >= LEAST_EARLY &&
	       (grown <= 0 || (double)found->unsure >= LEAST_OLDER * (double)grown);
}

/* Whether two callsites are in one function; without its name, they are not. */
static bool is_same_function(const struct mp_profile *sites, const struct mp_row *a,
			     const struct mp_row *b)
{
	const struct mp_line *of_a = mp_profile_line(sites, &a->location);
	const struct mp_line *of_b = mp_profile_line(sites, &b->location);

	return a == b || (of_a && of_b && of_a->function != MP_NAMES_NONE &&
			  of_a->function == of_b->function);
}

static uint64_t held_by_function(const struct keepers_search *search, const struct mp_row *site,
				 enum mp_metric held)
{
	const struct mp_profile *sites = search->sites;
	const struct mp_row *row;
	uint64_t sum = 0;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (is_its_own(search, row) && is_same_function(sites, row, site))
			sum += row->value[held];
	return sum;
}

/* Whether the function of a callsite may be what grows. */
static bool may_grow(const struct mp_keepers *found, const struct keepers_search *search,
		     const struct mp_row *row)
{
	const double grown = (double)(int64_t)search->process->value[MP_RESIDENT_DELTA];
	double held, error;
	enum fate fate;

	if (!is_its_own(search, row) || row->value[found->held] < LEAST_LEAK || grown <= 0)
		return false;
	fate = fate_of(search, row);
	if (fate == RENEWS || fate == STABLE)
		return false;
	held = (double)held_by_function(search, row, found->held);
	/* a few samples of a thread that allocates fast are far from the truth */
	error = (double)mp_metric_error((uint64_t)held,
					mp_alloc_distance(search->alloc, row->value));
	return held + error >= LEAST_OF_GROWTH * grown && held - error <= MOST_OF_GROWTH * grown;
}

/*
 * The largest callsites of the functions that hold about as much as the process grew by. A
 * cache may hold that much by chance, so there may be two; of three, none is named.
 */
static void find_what_grows(struct mp_keepers *found, const struct keepers_search *search)
{
	const struct mp_profile *sites = search->sites;
	const struct mp_row *row, *first = NULL, *second = NULL;

	found->keeper = NULL;
	for (row = sites ? sites->rows : NULL; row && row < sites->rows + sites->nr_rows; row++) {
		if (!may_grow(found, search, row))
			continue;
		if (!first || is_same_function(sites, first, row))
			take_larger(&first, row, found->held);
		else if (!second || is_same_function(sites, second, row))
			take_larger(&second, row, found->held);
		else
			return;
	}
	if (second && second->value[found->held] > first->value[found->held]) {
		row = first;
		first = second;
		second = row;
	}
	found->keeper = first;
	found->other = second;
}

static uint64_t time_of(const struct memprof_status *status)
{
	const uint64_t end_ns = mp_status_end_ns(status);

	return end_ns > status->start_ns ? end_ns - status->start_ns : 0;
}

/*
 * Finds the largest keeper in another function, if it is not much smaller: then the first one
 * is not all of the answer. Blocks that Python keeps in lists of free objects have the line
 * that allocated them first.
 */
static void find_other(struct mp_keepers *found, const struct keepers_search *search)
{
	const struct mp_profile *sites = search->sites;
	const struct mp_row *row;
	enum fate fate;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (!is_its_own(search, row) || row->value[found->held] < LEAST_LEAK ||
		    row->value[found->held] < found->keeper->value[found->held] / 2)
			continue;
		fate = fate_of(search, row);
		if ((fate == KEEPS || fate == KEEPS_STEADILY) &&
		    !is_same_function(sites, found->keeper, row))
			take_larger(&found->other, row, found->held);
	}
}

/*
 * The time after which a cache frees blocks that were seen, if new blocks take the place of
 * all memory as fast as until now.
 */
static uint64_t time_enough(const struct mp_row *process, uint64_t seen_ns)
{
	const double new = (double)process->value[MP_INUSE_SPACE];
	const double all = (double)process->value[MP_RESIDENT];
	const double ns = new > 0 ? ENOUGH_TIMES * (double)seen_ns * all / new : 0;

	/* at least half as long again, whatever the sizes are */
	return (uint64_t)fmin(fmax(ns, ENOUGH_TIMES * (double)seen_ns), 0x1p62);
}

/* A keeper beside one that renews more; or that explains a part of what the process grew by. */
static bool is_notable(const struct mp_keepers *found, const struct mp_row *process)
{
	const enum mp_metric held = found->held;
	uint64_t kept;

	if (!found->keeper || found->keeper->value[held] < LEAST_LEAK)
		return false;
	kept = found->keeper->value[held];
	return found->is_early || found->is_growing ||
	       (kept >= process->value[held] / 10 &&
		(found->is_steady || (found->renewer && found->renewer->value[held] >= kept)));
}

struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone)
{
	const bool exited = process->flags & MP_ROW_EXITED;
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	struct mp_keepers found = { .held = exited ? MP_AT_EXIT : MP_INUSE_SPACE };
	const struct keepers_search search = {
		.sites = sites, .process = process, .alloc = &meta->alloc,
		.is_alone = is_alone, .has_ages = sites && !exited && has_ages(sites),
		/* a snapshot of the library knows no size of before */
		.is_older = meta->source != MP_SOURCE_PRELOAD && !exited &&
			    mp_row_is_older(process, meta),
	};
	size_t i;

	if (!sites)
		found.unsure = process->value[found.held];
	for (i = 0; sites && i < sites->nr_rows; i++)
		if (is_its_own(&search, &sites->rows[i]))
			take_site(&found, &sites->rows[i], fate_of(&search, &sites->rows[i]));
	found.is_early = is_early(&found, &search);
	found.seen_ns = time_of(&meta->status);
	found.enough_ns = time_enough(process, found.seen_ns);
	if (found.is_early)
		find_what_grows(&found, &search);
	else
		found.is_growing = search.is_older && grown > 0 && found.keeper &&
				   found.keeper->value[found.held] >= (uint64_t)grown / 4;
	found.is_notable = is_notable(&found, process);
	if (sites && found.is_notable && !found.is_early)
		find_other(&found, &search);
	return found;
}
