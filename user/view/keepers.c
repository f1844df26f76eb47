// SPDX-License-Identifier: GPL-2.0-only
/*
 * keepers: finds the callsite that keeps its blocks, and what stands beside it
 */
#include "keepers.h"
#include "handed-on.h"
#include "judge-callers.h"
#include "runtimes.h"
#include "servers.h"
#include "sites.h"
#include "suspects.h"

/* Bytes of which it is asked whether it is too early */
#define LEAST_EARLY	(2 << 20)

/* Bytes that a process may grow by and is told not to */
#define MOST_FLAT	(256 << 10)

/* Bytes that keepers hold for each byte of growth, from which on it is too early */
#define LEAST_OLDER	1.5

/* The same, if they hold as many bytes more than that as no heap has free by chance */
#define LEAST_REPLACED	1.3
#define REPLACED	(8 << 20)

/* If all that may be kept is at most that many bytes for each byte of growth, it is what grew. */
#define MOST_NEW	1.25

/* A program that began less than that before the session may have caches that still fill. */
#define YOUNG_NS	(3600 * 1000000000ULL)

/* A callsite that frees little is named beside the first one if it holds this part as much */
#define LEAST_BESIDE	32

/* The part that such a one may free */
#define MOST_FREED	4

/* Parts of what a leak holds since it began that are from the first half of the time */
#define LEAST_OLD	0.2
#define MOST_OLD	0.8

/* Of the peak, the part that a program ended with and that is worth a sentence */
#define LEAST_LEFT	10

/* Two that keep what they allocate hold that many bytes at most for each byte of growth. */
#define MOST_OF_TWO	1.15

static void take_site(struct mp_keepers *found, const struct mp_fates *fates,
		      const struct mp_row *row)
{
	const struct mp_row *before = found->keeper;
	const enum mp_fate fate = mp_fate_of(fates, row);

	if (fate == MP_FATE_RENEWED)
		mp_fates_take_larger(fates, &found->renewer, row);
	else if (fate == MP_FATE_STABLE)
		found->stable += row->value[found->held];
	else
		found->unsure += row->value[found->held];
	if (!mp_fate_is_kept(fate))
		return;
	found->kept += row->value[found->held];
	mp_fates_take_larger(fates, &found->keeper, row);
	if (found->keeper != before)
		found->is_steady = fate == MP_FATE_KEPT_STEADILY;
}

static bool is_early(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];

	const double times = grown > 0 ? (double)found->unsure / (double)grown : LEAST_OLDER;

	return fates->is_older && found->unsure >= LEAST_EARLY &&
	       (times >= LEAST_OLDER ||
		(times >= LEAST_REPLACED && (int64_t)found->unsure - grown >= REPLACED));
}

/* The caller of a wrapper may be a cache that has freed nothing yet, beside one that frees much. */
static void doubt_caller(struct mp_keepers *found, const struct mp_fates *fates)
{
	const uint64_t held = found->caller.value[found->held];

	if (found->unsure < held)
		found->unsure = held;
	found->is_early = is_early(found, fates);
	if (found->is_early)
		found->nr_callers = 0;
}

/* What the keepers in a function hold */
static uint64_t kept_by_function(const struct mp_fates *fates, const struct mp_row *site)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row;
	uint64_t sum = 0;
	enum mp_fate fate;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (!mp_fates_have(fates, row) || !mp_fates_are_same(fates, row, site))
			continue;
		fate = mp_fate_of(fates, row);
		if (row == site || mp_fate_is_kept(fate))
			sum += row->value[fates->held];
	}
	return sum;
}

/*
 * Whether both may be what the process grew by. What holds more than the rest of the growth
 * took the place of something: a cache that has not freed anything yet.
 */
static bool may_both(const struct mp_keepers *found, const struct mp_fates *fates,
		     const struct mp_row *other)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];
	const uint64_t both = mp_keepers_row(found)->value[found->held] +
			      other->value[found->held];

	return !found->is_growing || !fates->is_older ||
	       (double)both <= MOST_OF_TWO * (double)grown;
}

/* Whether a keeper frees at most a part of what it allocates, such as what it only works with */
static bool frees_little(const struct mp_row *row)
{
	return row->value[MP_FREE_OBJECTS] <= row->value[MP_ALLOC_OBJECTS] / MOST_FREED;
}

/*
 * Finds the largest keeper in another function, if it is not much smaller: then the first one
 * is not all of the answer. Blocks that Python keeps in lists of free objects have the line
 * that allocated them first, which may be one of its library's: that is not told beside one of
 * the program's.
 */
static void find_other(struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_profile *sites = fates->sites;
	const bool is_own = !mp_is_in_library(sites, found->keeper);
	const struct mp_row *row;
	enum mp_fate fate;
	uint64_t least;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (!mp_fates_have(fates, row) || row->value[found->held] < MP_LEAST_LEAK)
			continue;
		fate = mp_fate_of(fates, row);
		least = found->keeper->value[found->held] /
			(frees_little(row) ? LEAST_BESIDE : MP_LEAST_OTHER);
		if (mp_fate_is_kept(fate) && row->value[found->held] >= least &&
		    !(is_own && mp_is_in_library(sites, row)) &&
		    !mp_fates_are_same(fates, found->keeper, row))
			mp_fates_take_larger(fates, &found->other, row);
	}
	if (!mp_runtimes_is_own(sites, found->keeper))
		mp_callers_beside(found, fates, found->keeper->value[found->held] / LEAST_BESIDE);
	if (mp_keepers_other(found) && !may_both(found, fates, mp_keepers_other(found))) {
		found->other = NULL;
		found->has_wrapped = false;
	}
}

/* A keeper beside one that renews more; or that explains a part of what the process grew by. */
static bool is_notable(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_row *process = fates->process;
	const enum mp_metric held = found->held;
	uint64_t kept;

	if (!found->keeper || mp_keepers_row(found)->value[held] < MP_LEAST_LEAK)
		return false;
	/* an interpreter's own function is no answer: a hint says how to see the program's */
	if (!found->nr_callers && mp_runtimes_is_own(fates->sites, found->keeper))
		return false;
	kept = mp_keepers_row(found)->value[held];
	return found->is_early || found->is_growing || found->nr_callers ||
	       (kept >= process->value[held] / 10 &&
		(found->is_steady || (found->renewer && found->renewer->value[held] >= kept)));
}

static void find_what_grows(struct mp_keepers *found, const struct mp_fates *fates, bool all)
{
	const struct mp_row *suspects[MP_MAX_SUSPECTS] = { 0 };
	const size_t nr = fates->sites ? mp_suspects_find(fates, all, suspects) : 0;

	found->keeper = suspects[0];
	found->other = suspects[1];
	found->third = suspects[2];
	found->nr_more = nr > 3 ? nr - 3 : 0;
}

static void find_suspects(struct mp_keepers *found, const struct mp_fates *fates)
{
	find_what_grows(found, fates, true);
	if (fates->sites)
		mp_callers_suspect(found, fates);
	if (found->keeper && !found->nr_callers && !found->other)
		mp_callers_beside(found, fates, MP_LEAST_LEAK);
}

/*
 * Nothing is sure to keep its blocks, but the process grew. If all that may be kept is hardly
 * more than that, it did not take the place of older blocks: who has most of it is what grows.
 * Else who holds about as much as the growth, or a part of it, may leak, and more time tells.
 */
static void suspect(struct mp_keepers *found, const struct mp_fates *fates)
{
	const double grown = (double)(int64_t)fates->process->value[MP_RESIDENT_DELTA];
	struct mp_keepers other = *found;

	find_suspects(&other, fates);
	other.is_early = !other.keeper || other.nr_callers ||
			 (double)other.unsure > MOST_NEW * grown ||
			 other.keeper->value[other.held] < MP_LEAST_NAMED_SAMPLES *
			 mp_alloc_distance(fates->alloc, other.keeper->value);
	other.is_growing = other.is_steady = !other.is_early;
	if (!other.keeper)
		find_what_grows(&other, fates, false);
	other.is_notable = is_notable(&other, fates);
	if (other.is_notable)
		*found = other;
}

/* Whether a process grows by what many callsites hold, each of which holds too little yet. */
static bool holds_too_little(const struct mp_fates *fates, int64_t grown)
{
	const enum mp_metric held = fates->held;
	const struct mp_row *row;

	if (!fates->sites || !fates->is_older || grown < MP_LEAST_LEAK ||
	    fates->process->value[held] < MP_LEAST_LEAK)
		return false;
	for (row = fates->sites->rows; row < fates->sites->rows + fates->sites->nr_rows; row++)
		if (mp_fates_have(fates, row) && row->value[held] >= MP_LEAST_LEAK)
			return false;
	return true;
}

/* Whether a keeper holds a part of the growth that has not stopped. */
static bool may_explain(const struct mp_keepers *found, int64_t grown)
{
	const int64_t going_on = grown - (int64_t)found->stable;
	const int64_t held = (int64_t)mp_keepers_row(found)->value[found->held];

	return held >= going_on / 4 && held >= grown / 10;
}

/* A cache that fills for the first time looks as a leak does. */
static bool may_fill(const struct mp_keepers *found, const struct mp_fates *fates,
		     const struct mp_meta *meta)
{
	/* CLOCK_BOOTTIME; after a suspension it is later than the session's clock: "may" is right */
	const uint64_t begin_ns = fates->process->start_ns ?: fates->process->began_ns;

	return found->is_growing && begin_ns &&
	       (meta->status.start_ns < begin_ns + found->seen_ns ||
		meta->status.start_ns < begin_ns + YOUNG_NS);
}

/*
 * What frees nothing may be a cache that fills. Who frees much beside it, and keeps the rest, is
 * no such cache, however little that is.
 */
static void find_beside(struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_profile *sites = fates->sites;
	const struct mp_row *row;

	if (found->nr_callers || mp_keepers_other(found) || found->handed_on || found->is_steady)
		return;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (mp_fates_have(fates, row) && row->value[found->held] >= MP_LEAST_LEAK &&
		    mp_fate_keeps_rest(fates, row) &&
		    !mp_is_in_library(sites, row) && !mp_runtimes_is_own(sites, row) &&
		    !mp_fates_are_same(fates, found->keeper, row))
			mp_fates_take_larger(fates, &found->beside, row);
	/* a full cache that drops what it has at random looks alike, but nothing grew by it */
	if (found->beside && !may_both(found, fates, found->beside))
		found->beside = NULL;
}

/* Where there are several processes, one that holds little is not worth a sentence. */
static bool is_flat(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];

	return fates->process->value[MP_RESIDENT] && grown < MOST_FLAT && grown > -MP_LEAST_LEAK &&
	       (fates->is_alone || fates->process->value[found->held] >= MP_LEAST_LEAK);
}

/* A slow leak holds little after seconds, and so does what comes and goes. */
static bool is_slow(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];

	return grown >= MOST_FLAT && grown < LEAST_EARLY &&
	       (int64_t)fates->process->value[found->held] >= grown / 2;
}

/*
 * Nobody keeps anything: then the process has not grown, or it has stopped to, and the largest
 * callsite that has stopped holds a part of its growth.
 */
static void look_at_rest(struct mp_keepers *found, const struct mp_fates *fates)
{
	const int64_t grown = (int64_t)fates->process->value[MP_RESIDENT_DELTA];
	const struct mp_row *row, *largest = NULL;

	for (row = fates->sites->rows; row < fates->sites->rows + fates->sites->nr_rows; row++)
		if (mp_fates_have(fates, row) && mp_fate_of(fates, row) == MP_FATE_STABLE)
			mp_fates_take_larger(fates, &largest, row);
	if (largest && grown >= LEAST_EARLY &&
	    (int64_t)largest->value[found->held] >= grown / 3)
		found->stopped = largest;
	found->is_flat = is_flat(found, fates);
	found->is_slow = !found->stopped && is_slow(found, fates);
}

/*
 * Of a program that began with the recording, nothing tells what it is meant to keep. But what
 * holds a good part of all, and has not stopped after some time, is what a person asks for.
 */
static bool goes_on(const struct mp_keepers *found, const struct mp_fates *fates)
{
	const struct mp_row *row = found->keeper;
	const double held = row ? (double)row->value[found->held] : 0;
	const double old = row ? (double)row->value[MP_OLD_SPACE] : 0;

	return fates->has_ages && !fates->is_older && !found->is_brief && held >= MP_LEAST_LEAK &&
	       held >= (double)fates->process->value[found->held] / 4 &&
	       old >= LEAST_OLD * held && old <= MOST_OLD * held &&
	       !mp_runtimes_is_own(fates->sites, row);
}

/* Who has most of what a program did not free when it ended */
static const struct mp_row *find_largest(const struct mp_fates *fates)
{
	const struct mp_row *row, *largest = NULL;

	for (row = fates->sites->rows; row < fates->sites->rows + fates->sites->nr_rows; row++)
		if (mp_fates_have(fates, row))
			mp_fates_take_larger(fates, &largest, row);
	return largest && largest->value[fates->held] ? largest : NULL;
}

/* Bytes that the program that ended did not free, without those that an exec took before */
static uint64_t left_at_exit(const struct mp_fates *fates)
{
	uint64_t bytes = fates->process->value[MP_AT_EXIT];
	const struct mp_row *row;

	for (row = fates->sites->rows; row < fates->sites->rows + fates->sites->nr_rows; row++)
		if (mp_fates_had(fates, row) && !mp_fates_have(fates, row))
			bytes -= row->value[MP_AT_EXIT] < bytes ? row->value[MP_AT_EXIT] : bytes;
	return bytes;
}

/* Who has most of what was not freed, if that is a good part of the peak */
static const struct mp_row *find_left(const struct mp_fates *fates, uint64_t held)
{
	return held < MP_LEAST_LEAK || held < fates->process->value[MP_PEAK_SPACE] / LEAST_LEFT ?
	       NULL : find_largest(fates);
}

/* The same, if it holds half of that, at least a megabyte, and more than a few samples */
static const struct mp_row *find_rest(const struct mp_fates *fates, uint64_t left)
{
	const struct mp_row *row = find_largest(fates);
	const uint64_t held = row ? row->value[fates->held] : 0;

	return held >= MP_LEAST_LEAK && held >= left / 2 &&
	       held >= MP_FEW_SAMPLES * mp_alloc_distance(fates->alloc, row->value) ? row : NULL;
}

/* Who had most when a program's heap was largest; an interpreter's own function is no answer */
static const struct mp_row *find_top(const struct mp_fates *fates, bool began_before)
{
	const struct mp_row *row, *top = NULL;

	/* what ran before had blocks that nobody has seen */
	if (!fates->is_alone || began_before ||
	    fates->process->value[MP_AT_PEAK] < MP_LEAST_LEAK)
		return NULL;
	for (row = fates->sites->rows; row < fates->sites->rows + fates->sites->nr_rows; row++)
		if (mp_fates_had(fates, row) &&
		    (!top || row->value[MP_AT_PEAK] > top->value[MP_AT_PEAK]))
			top = row;
	return top && top->value[MP_AT_PEAK] && !mp_runtimes_is_own(fates->sites, top) ?
	       top : NULL;
}

struct mp_keepers mp_keepers_find(const struct mp_profile *sites, const struct mp_meta *meta,
				  const struct mp_row *process, bool is_alone)
{
	const bool exited = process->flags & MP_ROW_EXITED;
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	struct mp_keepers found = { .held = exited ? MP_AT_EXIT : MP_INUSE_SPACE };
	const struct mp_fates fates = {
		.sites = sites, .process = process, .alloc = &meta->alloc, .held = found.held,
		.is_alone = is_alone, .has_ages = sites && !exited && mp_fates_have_ages(sites),
		/* a snapshot of the library knows no size of before */
		.is_older = meta->source != MP_SOURCE_PRELOAD && !exited &&
			    mp_row_is_older(process, meta),
	};
	size_t i;

	if (exited && sites)
		found.left_space = left_at_exit(&fates);
	/* what was killed could not free anything any more */
	if (exited && process->signal && sites) {
		found.left = find_left(&fates, found.left_space);
		found.top = found.left ? NULL : find_top(&fates, mp_row_is_older(process, meta));
		found.is_before_exec = found.top && !mp_fates_have(&fates, found.top);
		return found;
	}
	for (i = 0; sites && i < sites->nr_rows; i++)
		if (mp_fates_have(&fates, &sites->rows[i]))
			take_site(&found, &fates, &sites->rows[i]);
	found.seen_ns = mp_status_seen_ns(&meta->status);
	found.is_brief = found.seen_ns < MP_BRIEF_NS;
	found.is_early = is_early(&found, &fates);
	if (sites && !found.is_early)
		mp_callers_judge(&found, &fates);
	if (found.nr_callers)
		doubt_caller(&found, &fates);
	if (found.is_early)
		find_suspects(&found, &fates);
	else
		found.is_growing = fates.is_older && grown > 0 && found.keeper &&
				   may_explain(&found, grown);
	found.is_notable = is_notable(&found, &fates);
	if (sites && found.is_notable && !found.is_early && !found.nr_callers) {
		found.of_function = kept_by_function(&fates, found.keeper);
		find_other(&found, &fates);
		mp_callers_most_for(&found, &fates);
		mp_handed_on_find(&found, &fates);
		mp_callers_common(&found, &fates);
	}
	if (found.nr_callers == 2 && !may_both(&found, &fates, &found.other_caller))
		found.nr_callers = 1;
	/* in seconds, a line of a cache may not have freed anything yet */
	if (found.is_brief && fates.is_older && found.is_notable &&
	    mp_keepers_row(&found)->value[found.held] < LEAST_EARLY)
		found.is_early = true;
	if (!found.is_notable && !found.is_early && fates.is_older && grown >= LEAST_EARLY)
		suspect(&found, &fates);
	found.is_early |= !found.is_notable && holds_too_little(&fates, grown);
	found.may_fill = may_fill(&found, &fates, meta);
	/* whatever renews itself, it does not matter yet; in seconds, it may */
	if (!found.is_notable && !found.is_brief && fates.is_older && is_flat(&found, &fates))
		found.is_early = false;
	if (!found.is_notable && !found.is_early && fates.is_older && sites)
		look_at_rest(&found, &fates);
	if (!found.is_growing && !found.is_early && !found.nr_callers && goes_on(&found, &fates))
		found.is_notable = found.is_growing = found.may_fill = true;
	if (sites && found.is_notable && !found.is_early && !found.handed_on)
		mp_handed_on_find(&found, &fates);
	if (found.handed_on)
		found.of_function = kept_by_function(&fates, found.keeper);
	if (sites && found.is_notable)
		mp_handed_on_receiver(&found, &fates);
	if (sites && found.is_notable && !found.is_early && found.is_growing && found.keeper)
		find_beside(&found, &fates);
	if (!found.is_notable && exited && sites)
		found.left = find_left(&fates, found.left_space);
	if (!found.is_notable && !found.left && exited && sites)
		found.top = find_top(&fates, mp_row_is_older(process, meta));
	if (found.top) {
		found.is_before_exec = !mp_fates_have(&fates, found.top);
		found.rest = found.is_before_exec ? NULL : find_rest(&fates, found.left_space);
		mp_callers_of_top(&found, &fates);
	}
	found.is_data = mp_server_tool(process->comm);
	return found;
}
