// SPDX-License-Identifier: GPL-2.0-only
/*
 * growers: looks for the largest growth of RSS among rows
 *
 * Memory that comes and goes is above the RSS of the start half of the time. What is above the
 * highest RSS before has really grown. The cost is a pass over the rows, and another one for each
 * row that grew more than those before it: in an arranged table that is one.
 */
#include "growers.h"
#include "keepers.h"
#include "own-rows.h"

#include <string.h>

/* So many processes of a command that have ended make it one that comes and goes. */
#define LEAST_ENDED	3

/* What has risen is at least this part of what grew. */
#define LEAST_RISEN	4

/* A process that has run for so long lasts, however long the session is. */
#define LONGEST_NS	60000000000ULL

/* Whether processes of this command, in its cgroup, come and go */
static bool comes_and_goes(const struct mp_profile *profile, const struct mp_row *process)
{
	const struct mp_row *row;
	uint64_t nr = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && row->flags & MP_ROW_EXITED &&
		    row->cgroup == process->cgroup && row->host == process->host &&
		    !strcmp(row->comm, process->comm))
			nr += row->flags & MP_ROW_FOLDED ? row->nr_processes : 1;
	return nr >= LEAST_ENDED;
}

static uint64_t lasting_age_ns(const struct mp_profile *profile)
{
	const uint64_t age_ns = 2 * mp_status_seen_ns(&profile->meta.status);

	return age_ns < LONGEST_NS ? age_ns : LONGEST_NS;
}

/*
 * Where it is not known when a process began, it lasts if it ran before the session. It is not
 * known after a suspension: CLOCK_BOOTTIME is later then than the session's clock.
 */
bool mp_growers_last(const struct mp_profile *profile, const struct mp_row *row)
{
	const struct memprof_status *status = &profile->meta.status;
	const uint64_t began_ns = row->start_ns ?: row->began_ns;
	const bool is_older = mp_row_is_older(row, &profile->meta);

	if (!began_ns || (is_older && began_ns > status->start_ns))
		return is_older;
	return began_ns + lasting_age_ns(profile) <= mp_status_end_ns(status);
}

static bool is_wanted(const struct mp_profile *profile, enum mp_grower_kind kind,
		      const struct mp_row *row)
{
	switch (kind) {
	case MP_GROWER_ANY:
		return true;
	case MP_GROWER_LASTING:
		return mp_growers_last(profile, row);
	case MP_GROWER_BEFORE:
		return mp_row_is_older(row, &profile->meta) && !comes_and_goes(profile, row);
	case MP_GROWER_LEADING:
		return mp_growers_has_risen(row) &&
		       (mp_growers_last(profile, row) ||
			(mp_row_is_older(row, &profile->meta) && !comes_and_goes(profile, row)));
	default:
		return !mp_growers_last(profile, row) && !comes_and_goes(profile, row);
	}
}

uint64_t mp_growers_ran_ns(const struct mp_profile *profile, const struct mp_row *row)
{
	const uint64_t began_ns = row->start_ns ?: row->began_ns;
	const uint64_t end_ns = mp_status_end_ns(&profile->meta.status);

	return began_ns && began_ns < end_ns ? end_ns - began_ns : 0;
}

/* Bytes by which RSS is above what it was at the start, and at its highest before */
static int64_t risen(const struct mp_row *row)
{
	const int64_t grown = (int64_t)row->value[MP_RESIDENT_DELTA];
	const int64_t above = (int64_t)(row->value[MP_RESIDENT] - row->peak_before);

	return row->peak_before && above < grown ? above : grown;
}

/* A part of DELTA may be memory that comes and goes. */
bool mp_growers_has_risen(const struct mp_row *row)
{
	const int64_t bytes = risen(row);

	return bytes >= MP_LEAST_GROWTH &&
	       bytes >= (int64_t)row->value[MP_RESIDENT_DELTA] / LEAST_RISEN;
}

static bool is_process(const struct mp_profile *profile, const struct mp_row *row)
{
	return row->kind == MP_ROW_PROCESS && row->pid && !mp_row_is_sum(row) &&
	       !(row->flags & MP_ROW_EXITED) && !mp_own_is_collector(&profile->meta, row);
}

bool mp_growers_leads(const struct mp_profile *profile, const struct mp_row *row)
{
	return (int64_t)row->value[MP_RESIDENT_DELTA] >= MP_LEAST_GROWTH &&
	       is_process(profile, row) && is_wanted(profile, MP_GROWER_LEADING, row);
}

/* Finds the row with most DELTA, below that of @after. @only_risen: of those that have risen */
static const struct mp_row *find_next(const struct mp_profile *profile, enum mp_grower_kind kind,
				      const struct mp_row *after, bool only_risen)
{
	const int64_t below = after ? (int64_t)after->value[MP_RESIDENT_DELTA] : INT64_MAX;
	const struct mp_row *row, *found = NULL;
	int64_t most = MP_LEAST_GROWTH - 1, grown;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		grown = (int64_t)row->value[MP_RESIDENT_DELTA];
		if (grown <= most || grown > below || (grown == below && row <= after) ||
		    !is_process(profile, row) || (only_risen && !mp_growers_has_risen(row)) ||
		    !is_wanted(profile, kind, row))
			continue;
		found = row;
		most = grown;
	}
	return found;
}

const struct mp_row *mp_growers_next(const struct mp_profile *profile, enum mp_grower_kind kind,
				     const struct mp_row *after)
{
	const struct mp_row *risen_most = find_next(profile, kind, NULL, true);

	if (risen_most)
		return after ? find_next(profile, kind, after, true) : risen_most;
	/* in seconds, what comes and goes would be all there is */
	return mp_status_seen_ns(&profile->meta.status) < MP_BRIEF_NS &&
	       !mp_profile_only_process(profile) ? NULL : find_next(profile, kind, after, false);
}
