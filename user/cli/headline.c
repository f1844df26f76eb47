// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline: names the process that grew most, or the callsite that keeps what it allocates
 *
 * The cost is three passes over the rows.
 */
#include "headline.h"
#include "arrange.h"
#include "cgroup-short.h"
#include "hint.h"
#include "human.h"
#include "location-text.h"
#include "process-file.h"

#include <inttypes.h>

/* Bytes of growth that deserve a headline. */
#define MIN_GROWTH	(8 << 20)

/* Bytes of a leak that deserve one, and parts of its blocks, and a cache's, that were freed. */
#define MIN_LEAK	(1 << 20)
#define MOST_KEPT	0.02
#define LEAST_RENEWED	0.25

/* How to follow allocations of a process that runs, without a trap for each of them */
#if defined(__x86_64__)
#define MP_BY_SAMPLES	"--inject "
#else
#define MP_BY_SAMPLES	""
#endif

/* Exited processes that are one row together are several. */
static bool has_one_process(const struct mp_profile *profile)
{
	const struct mp_row *row;
	size_t nr = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS)
			nr += mp_row_is_sum(row) ? 2 : 1;
	return nr == 1;
}

/* The process that runs and grew most; @older: that runs since before the session. */
static const struct mp_row *find_grower(const struct mp_out *out, bool older)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row, *found = NULL;
	int64_t most = MIN_GROWTH - 1;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || !row->pid || mp_row_is_sum(row) ||
		    row->flags & MP_ROW_EXITED || mp_arrange_is_collector(&profile->meta, row) ||
		    (older && !mp_row_is_older(row, &profile->meta)) ||
		    (int64_t)row->value[MP_RESIDENT_DELTA] <= most)
			continue;
		found = row;
		most = (int64_t)row->value[MP_RESIDENT_DELTA];
	}
	return found;
}

/*
 * Of processes that grow, whose allocations are not followed: how to see who allocates. What
 * has just been started is large at once; a leak is rather in what runs for longer.
 */
static bool write_grower(const struct mp_out *out, char *text)
{
	const struct mp_row *most = find_grower(out, false), *row = find_grower(out, true) ?: most;
	const bool is_alone = has_one_process(out->profile);
	char bytes[MP_HUMAN_SIZE], where[MP_CGROUP_SHORT_SIZE] = "";

	if (!row || out->profile->meta.status.streams & MEMPROF_START_ALLOC ||
	    (out->kind > MP_ROW_CGROUP ? !is_alone : out->sort != MP_RESIDENT_DELTA))
		return false;
	if (out->kind == MP_ROW_CGROUP)
		mp_cgroup_shown(where, sizeof(where), out->profile, row->cgroup);
	snprintf(text, MP_HINT_SIZE,
		 "%s (%" PRIu32 ")%s%.120s grew%s by %s: memprofctl record %s-p %" PRIu32 " -d 10 and then memprofctl report show who allocates in it",
		 row->comm, row->pid, where[0] ? " of " : "", where,
		 is_alone ? "" : row == most ? " most," : " most of what ran before,",
		 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]),
		 mp_process_is_static((pid_t)row->pid) ? "" : MP_BY_SAMPLES, row->pid);
	return true;
}

/*
 * The callsite of a process with the most of @metric, of whose blocks a part was freed. A
 * callsite without a process is one of all.
 */
static const struct mp_row *largest_site(const struct mp_out *out,
					 const struct mp_profile *sites, uint32_t pid,
					 enum mp_metric metric, double least_freed,
					 double most_freed)
{
	const bool is_alone = has_one_process(out->profile);
	const struct mp_row *row, *largest = NULL;

	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		const double freed = (double)row->value[MP_FREE_OBJECTS],
			     all = (double)row->value[MP_ALLOC_OBJECTS];

		if (row->kind == MP_ROW_SITE && !mp_row_is_sum(row) && all > 0 &&
		    (row->pid ? row->pid == pid : is_alone) &&
		    freed >= least_freed * all && freed <= most_freed * all &&
		    (!largest || row->value[metric] > largest->value[metric]))
			largest = row;
	}
	return largest;
}

/* The process whose callsites are shown: the first one, or the only one. */
static const struct mp_row *find_process(const struct mp_out *out)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row;

	if (out->kind == MP_ROW_PROCESS)
		return mp_out_next(out, profile->rows);
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS)
			return has_one_process(profile) ? row : NULL;
	return NULL;
}

/* If the callsite that holds the most frees much of it again, and another one nothing. */
static bool write_keeper(const struct mp_out *out, char *text)
{
	const struct mp_profile *sites = out->kind == MP_ROW_SITE ? out->profile : out->sites;
	const struct mp_row *row = find_process(out), *keeper, *renewer;
	char keeps[MP_LOCATION_TEXT_SIZE], renews[MP_LOCATION_TEXT_SIZE];
	const bool exited = row && row->flags & MP_ROW_EXITED;
	const enum mp_metric held = exited ? MP_AT_EXIT : MP_INUSE_SPACE;
	char bytes[MP_HUMAN_SIZE];

	if (!row || !row->pid || out->view != MP_VIEW_ALLOC || !sites)
		return false;
	keeper = largest_site(out, sites, row->pid, held, 0, MOST_KEPT);
	renewer = largest_site(out, sites, row->pid, held, LEAST_RENEWED, 1);
	if (!keeper || !renewer || keeper->value[held] < MIN_LEAK ||
	    keeper->value[held] > renewer->value[held] ||
	    keeper->value[held] < row->value[held] / 10)
		return false;
	mp_location_row(sites, keeper, keeps);
	mp_location_row(sites, renewer, renews);
	snprintf(text, MP_HINT_SIZE,
		 "%.150s frees %s of what it allocates (%s %s), %.150s frees %.0f %%%s",
		 keeps, keeper->value[MP_FREE_OBJECTS] ? "almost nothing" : "nothing",
		 mp_metrics[held].heading, mp_human_bytes(bytes, keeper->value[held]), renews,
		 100. * (double)renewer->value[MP_FREE_OBJECTS] /
		 (double)renewer->value[MP_ALLOC_OBJECTS],
		 exited || out->kind != MP_ROW_PROCESS ? "" :
		 ": report --view age tells a leak from a cache");
	return true;
}

/*
 * Of a process that ran before: if most of what lives took the place of older blocks. A cache
 * that has freed nothing yet then looks as a leak does, and is larger.
 */
static bool write_early(const struct mp_out *out, char *text)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row = find_process(out);
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE];
	int64_t grown;

	if (!row || row->flags & MP_ROW_EXITED || !row->pid ||
	    (out->view != MP_VIEW_ALLOC && out->view != MP_VIEW_AGE) ||
	    profile->meta.source == MP_SOURCE_PRELOAD || !mp_row_is_older(row, &profile->meta))
		return false;
	/* a snapshot of the library knows no size of before */
	grown = (int64_t)row->value[MP_RESIDENT_DELTA];
	if (row->value[MP_INUSE_SPACE] < MIN_GROWTH ||
	    (grown > 0 && row->value[MP_INUSE_SPACE] < 2 * (uint64_t)grown))
		return false;
	mp_human_bytes(live, row->value[MP_INUSE_SPACE]);
	mp_human_metric(delta, MP_RESIDENT_DELTA, (uint64_t)grown, false);
	snprintf(text, MP_HINT_SIZE,
		 "too early to tell a leak: LIVE of %s is %s, but DELTA %s, so most of its blocks took the place of older ones, as those of a cache do%s",
		 row->comm, live, delta, out->kind != MP_ROW_PROCESS ? "" :
		 ": record for longer, and see report --view age");
	return true;
}

bool mp_headline_write(const struct mp_out *out, char *text)
{
	return write_grower(out, text) || write_keeper(out, text) || write_early(out, text);
}
