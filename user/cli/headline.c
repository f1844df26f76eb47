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
#include "keepers-text.h"
#include "process-file.h"

#include <inttypes.h>

/* Bytes of growth that deserve a headline. */
#define MIN_GROWTH	(1 << 20)

/* Processes that are named after the one that grew most */
#define MAX_OTHERS	2

/* Room for the name of a process with its cgroup */
#define NAME_SIZE	192

/* How to follow allocations of a process that runs, without a trap for each of them */
#if defined(__x86_64__)
#define MP_BY_SAMPLES	"--inject "
#else
#define MP_BY_SAMPLES	""
#endif

/*
 * The process that runs and grew most; @older: of those that ran before the session. @after:
 * the one that comes next after this row; or NULL.
 */
static const struct mp_row *find_grower(const struct mp_out *out, bool older,
					const struct mp_row *after)
{
	const struct mp_profile *profile = out->profile;
	/* rows that grew by the same follow each other as they are in the table */
	const int64_t below = after ? (int64_t)after->value[MP_RESIDENT_DELTA] : INT64_MAX;
	const struct mp_row *row, *found = NULL;
	int64_t most = MIN_GROWTH - 1, grown;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		grown = (int64_t)row->value[MP_RESIDENT_DELTA];
		if (row->kind != MP_ROW_PROCESS || !row->pid || mp_row_is_sum(row) ||
		    row->flags & MP_ROW_EXITED || mp_arrange_is_collector(&profile->meta, row) ||
		    (older && !mp_row_is_older(row, &profile->meta)) ||
		    grown <= most || grown > below || (grown == below && row <= after))
			continue;
		found = row;
		most = grown;
	}
	return found;
}

/* A process; in a table of cgroups with its cgroup */
static void write_process(char *text, size_t size, const struct mp_out *out,
			  const struct mp_row *row)
{
	char where[MP_CGROUP_SHORT_SIZE] = "";

	if (out->kind == MP_ROW_CGROUP)
		mp_cgroup_shown(where, sizeof(where), out->profile, row->cgroup);
	snprintf(text, size, "%s (%" PRIu32 ")%s%.80s", row->comm, row->pid,
		 where[0] ? " of " : "", where);
}

/* Those that grew by at least half as much as the first one */
static void write_others(char *text, size_t size, const struct mp_out *out, bool older,
			 const struct mp_row *first)
{
	const int64_t least = (int64_t)first->value[MP_RESIDENT_DELTA] / 2;
	const struct mp_row *row = first;
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];
	size_t used = 0, i;

	text[0] = '\0';
	for (i = 0; i < MAX_OTHERS && used < size; i++) {
		row = find_grower(out, older, row);
		if (!row || (int64_t)row->value[MP_RESIDENT_DELTA] < least)
			return;
		write_process(name, sizeof(name), out, row);
		used += (size_t)snprintf(text + used, size - used, "%s %s by %s",
					 i ? "," : ", then", name,
					 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]));
	}
}

/*
 * Of processes that grow, whose allocations are not followed: how to see who allocates. What
 * has just been started is large at once; a leak is rather in what runs for longer.
 */
static bool write_grower(const struct mp_out *out, char *text)
{
	const struct mp_row *most = find_grower(out, false, NULL);
	const struct mp_row *older = find_grower(out, true, NULL), *row = older ?: most;
	const bool is_alone = mp_profile_only_process(out->profile);
	char bytes[MP_HUMAN_SIZE], name[NAME_SIZE], others[MAX_OTHERS * NAME_SIZE];

	if (!row || out->profile->meta.status.streams & MEMPROF_START_ALLOC ||
	    (out->kind > MP_ROW_CGROUP ? !is_alone : out->sort != MP_RESIDENT_DELTA))
		return false;
	write_process(name, sizeof(name), out, row);
	write_others(others, sizeof(others), out, older, row);
	snprintf(text, MP_HINT_SIZE,
		 "%s grew%s by %s%s: memprofctl record %s-p %" PRIu32 " -d 10 and then memprofctl report show who allocates in it",
		 name, is_alone ? "" : row == most ? " most," : " most of what ran before,",
		 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]), others,
		 mp_process_is_static((pid_t)row->pid) ? "" : MP_BY_SAMPLES, row->pid);
	return true;
}

/* The process whose callsites are shown: the first one, or the only one. */
static const struct mp_row *find_process(const struct mp_out *out)
{
	return out->kind == MP_ROW_PROCESS ? mp_out_next(out, out->profile->rows) :
					     mp_profile_only_process(out->profile);
}

/* What the callsites of a process keep, and what to look at next */
static bool write_blocks(const struct mp_out *out, char *text)
{
	const struct mp_profile *sites = out->kind == MP_ROW_SITE ? out->profile : out->sites;
	const struct mp_row *process = find_process(out);
	struct mp_keepers found;
	bool is_alone;
	size_t used;

	if (!process || !process->pid ||
	    (out->view != MP_VIEW_ALLOC && out->view != MP_VIEW_AGE))
		return false;
	is_alone = mp_profile_only_process(out->profile);
	found = mp_keepers_find(sites, &out->profile->meta, process, is_alone);
	used = mp_keepers_text(text, MP_HINT_SIZE, sites, process, is_alone, &found);
	if (used && out->kind == MP_ROW_PROCESS && out->view == MP_VIEW_ALLOC &&
	    !found.is_growing && !(process->flags & MP_ROW_EXITED))
		snprintf(text + used, MP_HINT_SIZE - used, "%s", found.is_early ? "" :
			 ": report --view age tells a leak from a cache");
	return used;
}

bool mp_headline_write(const struct mp_out *out, char *text)
{
	return write_grower(out, text) || write_blocks(out, text);
}
