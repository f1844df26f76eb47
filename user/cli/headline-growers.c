// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline-growers: compares how much processes grew, and how long they have run
 */
#include "headline-growers.h"
#include "cgroup-short.h"
#include "growers.h"
#include "headline-heap.h"
#include "hint.h"
#include "human.h"
#include "keepers-text.h"
#include "own-rows.h"
#include "process-file.h"

#include <inttypes.h>
#include <string.h>

/* Less than this is no growth. */
#define MIN_SLOW	(256 << 10)

/* A process that has just been started leads if it grew that many times as much as others. */
#define YOUNGER		32

/* A younger process is named, too, if it grew that many times as much as the one that leads. */
#define MUCH_NEWER	2

/* Nothing is sure after less time than that. */
#define MOMENT_NS	1000000000ULL

/*
 * One that began before leads if it grew that many times as much as what runs for longer, and had
 * run for this part of the time that was seen.
 */
#define MUCH_MORE	4
#define EARLIER		4

/* Processes that are named after the one that grew most */
#define MAX_OTHERS	2

/* Room for the name of a process with its cgroup */
#define NAME_SIZE	192

/* Whether a process ran for a moment, and for a good part of what was seen, before that began */
static bool began_well_before(const struct mp_profile *profile, const struct mp_row *row)
{
	const uint64_t seen_ns = mp_status_seen_ns(&profile->meta.status);
	const uint64_t ran_ns = mp_growers_ran_ns(profile, row);

	return ran_ns >= seen_ns + MOMENT_NS && ran_ns - seen_ns >= seen_ns / EARLIER;
}

/* Of those that ran before: one that has been restarted leads if it grew much more. */
static const struct mp_row *find_older(const struct mp_profile *profile)
{
	const struct mp_row *lasting = mp_growers_next(profile, MP_GROWER_LASTING, NULL);
	const struct mp_row *before = mp_growers_next(profile, MP_GROWER_BEFORE, NULL);
	const struct mp_row *row = before;

	if (!lasting)
		return before;
	while (row && row->value[MP_RESIDENT_DELTA] / MUCH_MORE >=
	       lasting->value[MP_RESIDENT_DELTA]) {
		if (began_well_before(profile, row))
			return row;
		row = mp_growers_next(profile, MP_GROWER_BEFORE, row);
	}
	return lasting;
}

const struct mp_row *mp_headline_grower(const struct mp_profile *profile)
{
	const struct mp_row *older = find_older(profile);
	const struct mp_row *younger = mp_growers_next(profile, MP_GROWER_NEW, NULL);

	/* what has run for some seconds only is still starting */
	if (older && (!younger || mp_growers_ran_ns(profile, younger) < MP_BRIEF_NS ||
		      older->value[MP_RESIDENT_DELTA] >=
		      younger->value[MP_RESIDENT_DELTA] / YOUNGER))
		return older;
	return younger ?: mp_growers_next(profile, MP_GROWER_ANY, NULL);
}

/* Of which kind the one that leads is, and those that are named after it */
static enum mp_grower_kind kind_of(const struct mp_profile *profile, const struct mp_row *row)
{
	return mp_growers_last(profile, row) ? MP_GROWER_LASTING :
	       find_older(profile) == row ? MP_GROWER_BEFORE :
	       mp_growers_next(profile, MP_GROWER_NEW, NULL) ? MP_GROWER_NEW : MP_GROWER_ANY;
}

/* Whether there is more than one cgroup: then the root has to be named, too */
static bool has_cgroups(const struct mp_profile *profile)
{
	size_t i, nr = 0;

	for (i = 0; i < profile->nr_rows; i++)
		nr += profile->rows[i].kind == MP_ROW_CGROUP;
	return nr > 1;
}

/* A process; in a table of cgroups with its cgroup */
static void write_process(char *text, size_t size, const struct mp_out *out,
			  const struct mp_row *row)
{
	char where[MP_CGROUP_SHORT_SIZE] = "";
	bool has_cgroup;

	if (out->kind == MP_ROW_CGROUP)
		mp_cgroup_shown(where, sizeof(where), out->profile, row->cgroup);
	has_cgroup = where[0] && (strcmp(where, "/") || has_cgroups(out->profile));
	snprintf(text, size, "%s (%" PRIu32 ")%s%.80s", row->comm, row->pid,
		 has_cgroup ? " of " : "", has_cgroup ? where : "");
}

/* Whether a cgroup is that of one of some processes */
static bool is_of_one(const struct mp_row *const *rows, size_t nr, uint64_t cgroup)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (rows[i]->cgroup == cgroup)
			return true;
	return false;
}

/*
 * Those that grew by at least half as much as the first one; of cgroups one process each, as
 * one cgroup may have many, if it grew by an eighth.
 */
static void write_others(char *text, size_t size, const struct mp_out *out,
			 enum mp_grower_kind kind, const struct mp_row *first)
{
	const bool by_cgroup = out->kind == MP_ROW_CGROUP;
	const int64_t least = (int64_t)first->value[MP_RESIDENT_DELTA] / (by_cgroup ? 8 : 2);
	const struct mp_row *told[MAX_OTHERS + 1] = { first }, *row = first;
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];
	size_t used = 0, nr = 1;

	text[0] = '\0';
	while (nr <= MAX_OTHERS && used < size) {
		row = mp_growers_next(out->profile, kind, row);
		if (!row || (int64_t)row->value[MP_RESIDENT_DELTA] < least)
			return;
		if (by_cgroup && is_of_one(told, nr, row->cgroup))
			continue;
		write_process(name, sizeof(name), out, row);
		used += (size_t)snprintf(text + used, size - used, "%s %s by %s",
					 nr > 1 ? "," : ", then", name,
					 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]));
		told[nr++] = row;
	}
}

/* Adds a process, why it does not lead, and by how much it grew. */
static void add_other(char *text, size_t size, const struct mp_out *out,
		      const struct mp_row *row, const char *why)
{
	const size_t used = strlen(text);
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];

	write_process(name, sizeof(name), out, row);
	snprintf(text + used, size - used, "; %s grew by %s, but %s", name,
		 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]), why);
}

/* A younger process that grew much more: it may be what was restarted. */
static void add_newer(char *text, size_t size, const struct mp_out *out,
		      const struct mp_row *first)
{
	const struct mp_row *row = mp_growers_next(out->profile, MP_GROWER_NEW, NULL);
	const uint64_t seen_ns = mp_status_seen_ns(&out->profile->meta.status);
	const uint64_t ran_ns = row ? mp_growers_ran_ns(out->profile, row) : 0;
	char why[64], span[MP_HUMAN_SIZE];

	if (!row || row->value[MP_RESIDENT_DELTA] / MUCH_NEWER < first->value[MP_RESIDENT_DELTA])
		return;
	if (mp_row_is_older(row, &out->profile->meta) && ran_ns > seen_ns)
		snprintf(why, sizeof(why), "began only %s before the start",
			 mp_human_span(span, ran_ns - seen_ns));
	else
		snprintf(why, sizeof(why), "began after the start");
	add_other(text, size, out, row, why);
}

/* What grew more, but had as much before: a table has it above the one that leads. */
static void add_unrisen(char *text, size_t size, const struct mp_out *out,
			const struct mp_row *first)
{
	const struct mp_row *row, *most = first;

	for (row = out->profile->rows; row < out->profile->rows + out->profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && row->pid && !mp_row_is_sum(row) &&
		    !(row->flags & MP_ROW_EXITED) && row->peak_before &&
		    !mp_growers_has_risen(row) &&
		    !mp_own_is_collector(&out->profile->meta, row) &&
		    (int64_t)row->value[MP_RESIDENT_DELTA] >
		    (int64_t)most->value[MP_RESIDENT_DELTA])
			most = row;
	if (most != first)
		add_other(text, size, out, most, "was as large before");
}

/* The command that shows a process's callsites: who looks at top goes on with it */
static void write_next(char *text, size_t size, const struct mp_out *out,
		       const struct mp_row *row)
{
	const char *way = mp_process_is_static((pid_t)row->pid) ? "" : MP_BY_SAMPLES;

	if (out->is_screen && way[0])
		snprintf(text, size, "memprofctl top %s-p PID shows", way);
	else
		snprintf(text, size,
			 "memprofctl record %s-p PID -d 10 && memprofctl report shows", way);
}

/*
 * Whether what grew may be memory that comes and goes: hardly anything was seen, or it has just
 * been started; or it gave much back, or nobody knows, and it may have had as much before
 */
static bool may_go(const struct mp_profile *profile, const struct mp_row *row)
{
	const uint64_t seen_ns = mp_status_seen_ns(&profile->meta.status);

	if (seen_ns >= MP_BRIEF_NS)
		return false;
	if (seen_ns < MOMENT_NS || !mp_growers_last(profile, row))
		return true;
	return !(row->peak_before && mp_growers_has_risen(row)) &&
	       (!(profile->meta.status.streams & MEMPROF_START_GROWTH) ||
		row->value[MP_RELEASED] > row->value[MP_RESIDENT_DELTA]);
}

bool mp_headline_grew(const struct mp_out *out, char *text)
{
	const struct mp_row *most = mp_growers_next(out->profile, MP_GROWER_ANY, NULL);
	const struct mp_row *row = mp_headline_grower(out->profile);
	const bool lasts = row && mp_growers_last(out->profile, row);
	const bool is_alone = mp_profile_only_process(out->profile);
	char bytes[MP_HUMAN_SIZE], name[NAME_SIZE], others[(MAX_OTHERS + 3) * NAME_SIZE];
	char most_of[64];
	const char *heap;
	bool is_linked;
	char next[96];
	int used;

	if (!row || out->profile->meta.status.streams & MEMPROF_START_ALLOC ||
	    (out->kind > MP_ROW_CGROUP ? !is_alone : out->sort != MP_RESIDENT_DELTA))
		return false;
	write_process(name, sizeof(name), out, row);
	write_others(others, sizeof(others), out, kind_of(out->profile, row), row);
	if (row == find_older(out->profile))
		add_newer(others, sizeof(others), out, row);
	if (mp_growers_has_risen(row))
		add_unrisen(others, sizeof(others), out, row);
	if (may_go(out->profile, row))
		mp_keepers_brief(others + strlen(others), sizeof(others) - strlen(others),
				 mp_status_seen_ns(&out->profile->meta.status),
				 out->is_watched);
	heap = mp_headline_heap_tool(mp_headline_sites(out), row, is_alone, &is_linked);
	if (is_alone)
		most_of[0] = '\0';
	else if (row == most)
		snprintf(most_of, sizeof(most_of), " most,");
	else if (lasts)
		snprintf(most_of, sizeof(most_of), " most of what keeps running,");
	else if (row == mp_growers_next(out->profile, MP_GROWER_BEFORE, NULL) ||
		 !mp_row_is_older(row, &out->profile->meta))
		snprintf(most_of, sizeof(most_of), mp_row_is_older(row, &out->profile->meta) ?
			 " most of what ran before the recording began," : " most of what does not come and go,");
	else
		most_of[0] = '\0';
	if (!mp_growers_has_risen(row))
		snprintf(others + strlen(others), sizeof(others) - strlen(others),
			 "; it was as large before");
	used = snprintf(text, MP_HINT_SIZE, "%s grew%s by %s%s%s%s: %s", name, most_of,
			mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]),
			heap ? ", most likely in the " MP_OWN_HEAP : "",
			heap && strstr(heap, "help node") ? " or in Buffers" : "", others,
			heap ?: "");
	write_next(next, sizeof(next), out, row);
	if (!is_linked && used < MP_HINT_SIZE)
		snprintf(text + used, MP_HINT_SIZE - (size_t)used, "%s%s who allocates %s",
			 heap ? "; " : "", next, heap ? "outside of it" : "in it");
	return mp_hint_name_process(row, text);
}

/* Whether the RSS of before is known of a process that still runs */
static bool is_growth_known(const struct mp_profile *profile)
{
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS && !mp_row_is_sum(row) && row->began_ns &&
		    !(row->flags & MP_ROW_EXITED))
			return true;
	return false;
}

/*
 * Writes that nobody grows. What has ended is in the table, too, and memprof's own processes are
 * in its sums: they grow when they read symbols.
 */
static void write_none(const struct mp_profile *profile, const char *seen, char *text)
{
	bool ended = false, own = false, grew = false;
	const struct mp_row *row;
	char bytes[MP_HUMAN_SIZE];

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		ended |= row->kind == MP_ROW_PROCESS && row->flags & MP_ROW_EXITED;
		if ((int64_t)row->value[MP_RESIDENT_DELTA] < MP_LEAST_GROWTH)
			continue;
		if (mp_own_is_collector(&profile->meta, row))
			own = true;
		else if (row->kind == MP_ROW_PROCESS && !(row->flags & MP_ROW_EXITED))
			grew = true;
	}
	snprintf(text, MP_HINT_SIZE, "none of these processes%s%s %s by %s or more in %s",
		 ended ? " that still run" : "", own ? ", but for memprof's own," : "",
		 grew ? "rose above its highest RSS before" : "grew",
		 mp_human_bytes(bytes, MP_LEAST_GROWTH), seen);
}

bool mp_headline_still(const struct mp_out *out, char *text)
{
	const struct mp_row *only = mp_profile_only_process(out->profile);
	const struct memprof_status *status = &out->profile->meta.status;
	const int64_t grown = only ? (int64_t)only->value[MP_RESIDENT_DELTA] : 0;
	char seen[MP_HUMAN_SIZE], bytes[MP_HUMAN_SIZE];

	if (status->streams & MEMPROF_START_ALLOC || (out->kind > MP_ROW_CGROUP && !only) ||
	    (out->sort != MP_RESIDENT_DELTA && out->sort != MP_RESIDENT) ||
	    !is_growth_known(out->profile) ||
	    (!only && mp_growers_next(out->profile, MP_GROWER_ANY, NULL)))
		return false;
	mp_human_span(seen, mp_status_seen_ns(status));
	mp_human_bytes(bytes, (uint64_t)(grown < 0 ? -grown : grown));
	if (!only)
		write_none(out->profile, seen, text);
	else if (grown < MIN_SLOW && grown > -MIN_SLOW)
		snprintf(text, MP_HINT_SIZE, "%s (%" PRIu32 ") " MP_NOT_GROWN " in %s", only->comm,
			 only->pid, seen);
	else
		snprintf(text, MP_HINT_SIZE, "%s (%" PRIu32 ") %s by %s in %s", only->comm,
			 only->pid, grown < 0 ? "shrank" : "grew", bytes, seen);
	return true;
}

bool mp_headline_shrank(const struct mp_out *out, const struct mp_row *process, char *text)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	char bytes[MP_HUMAN_SIZE], seen[MP_HUMAN_SIZE];

	if (!mp_profile_only_process(out->profile) || process->flags & MP_ROW_EXITED ||
	    grown > -MIN_SLOW)
		return false;
	snprintf(text, MP_HINT_SIZE, "%s shrank by %s in %s", process->comm,
		 mp_human_bytes(bytes, (uint64_t)-grown),
		 mp_human_span(seen, mp_status_seen_ns(&out->profile->meta.status)));
	return true;
}

void mp_headline_also_grew(const struct mp_out *out, const struct mp_row *process, char *text)
{
	const int64_t least = (int64_t)process->value[MP_RESIDENT_DELTA] / 2;
	const enum mp_grower_kind kind = kind_of(out->profile, process);
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];
	const struct mp_row *row = NULL;
	size_t nr = 0, used = strlen(text);

	while (nr < MAX_OTHERS && used < MP_HINT_SIZE) {
		row = mp_growers_next(out->profile, kind, row);
		if (!row || (int64_t)row->value[MP_RESIDENT_DELTA] < least)
			return;
		if (row->pid == process->pid)
			continue;
		write_process(name, sizeof(name), out, row);
		used += (size_t)snprintf(text + used, MP_HINT_SIZE - used, "%s%s by %s",
					 nr++ ? ", " : "; also grew: ", name,
					 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]));
	}
}

