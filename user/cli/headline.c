// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline: names the process that grew most, or the callsite that keeps what it allocates, or
 * says that nothing grows
 *
 * The cost is three passes over the rows.
 */
#include "headline.h"
#include "arrange.h"
#include "cgroup-short.h"
#include "growers.h"
#include "headline-memory.h"
#include "hint.h"
#include "human.h"
#include "keepers-text.h"
#include "process-file.h"
#include "runtimes.h"

#include <inttypes.h>
#include <string.h>

/* Less than this is no growth. */
#define MIN_SLOW	(256 << 10)

/* Bytes of growth of a runtime's own heap that deserve one */
#define MIN_OWN_HEAP	(2 << 20)

/* Bytes of RSS of a runtime that began with the recording, or ended: it has much code, too. */
#define MIN_NEW_HEAP	(64 << 20)

/* A process that has just been started leads if it grew that many times as much as others. */
#define YOUNGER		32

/* A younger process is named, too, if it grew that many times as much as the one that leads. */
#define MUCH_NEWER	2

/* Processes that are named after the one that grew most */
#define MAX_OTHERS	2

/* Room for the name of a process with its cgroup */
#define NAME_SIZE	192

/* Who grew most, of those that last, if another did not grow much more */
static const struct mp_row *find_grower(const struct mp_profile *profile)
{
	const struct mp_row *most = mp_growers_next(profile, MP_GROWER_ANY, NULL);
	const struct mp_row *lasting = mp_growers_next(profile, MP_GROWER_LASTING, NULL);

	return lasting && lasting->value[MP_RESIDENT_DELTA] >=
			  most->value[MP_RESIDENT_DELTA] / YOUNGER ? lasting : most;
}

/* A process; in a table of cgroups with its cgroup */
static void write_process(char *text, size_t size, const struct mp_out *out,
			  const struct mp_row *row)
{
	char where[MP_CGROUP_SHORT_SIZE] = "";
	bool has_cgroup;

	if (out->kind == MP_ROW_CGROUP)
		mp_cgroup_shown(where, sizeof(where), out->profile, row->cgroup);
	has_cgroup = where[0] && strcmp(where, "/");
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

/* A younger process that grew much more: it may be what was restarted. */
static void add_newer(char *text, size_t size, const struct mp_out *out,
		      const struct mp_row *first)
{
	const struct mp_row *row = mp_growers_next(out->profile, MP_GROWER_NEW, NULL);
	const size_t used = strlen(text);
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];

	if (!row || row->value[MP_RESIDENT_DELTA] / MUCH_NEWER < first->value[MP_RESIDENT_DELTA])
		return;
	write_process(name, sizeof(name), out, row);
	snprintf(text + used, size - used, "; %s, which is younger, by %s", name,
		 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]));
}

static const struct mp_profile *sites_of(const struct mp_out *out)
{
	return out->judged ? out->judged : out->kind == MP_ROW_SITE ? out->profile : out->sites;
}

/*
 * What shows the objects of a runtime's own heap, or NULL. The name of a process may be that of
 * its main thread, so the functions of the only process are asked, too. @is_linked: out: the
 * runtime is a part of the program, which no library can be put into.
 */
static const char *heap_of(const struct mp_profile *sites, const struct mp_row *process,
			   bool is_alone, bool *is_linked)
{
	const bool ended = process->flags & MP_ROW_EXITED;
	const char *heap = mp_runtimes_heap(process->comm, ended);
	struct mp_obscurity found;

	*is_linked = false;
	if (heap || ended || !is_alone || !sites ||
	    !mp_runtimes_obscure(sites, MP_TOUCHED, &found))
		return heap;
	*is_linked = found.is_linked;
	return found.heap;
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
			 "memprofctl record %s-p PID -d 10 and then memprofctl report show", way);
}

/*
 * Of processes that grow, whose allocations are not followed: how to see who allocates. What
 * has just been started is large at once; a leak is rather in what runs for longer.
 */
static bool write_grower(const struct mp_out *out, char *text)
{
	const struct mp_row *most = mp_growers_next(out->profile, MP_GROWER_ANY, NULL);
	const struct mp_row *row = find_grower(out->profile);
	const bool lasts = row && mp_growers_last(out->profile, row);
	const bool is_alone = mp_profile_only_process(out->profile);
	char bytes[MP_HUMAN_SIZE], name[NAME_SIZE], others[(MAX_OTHERS + 1) * NAME_SIZE];
	char age[MP_HUMAN_SIZE], most_of[MP_HUMAN_SIZE + 64];
	const char *heap;
	bool is_linked;
	char next[96];
	int used;

	if (!row || out->profile->meta.status.streams & MEMPROF_START_ALLOC ||
	    (out->kind > MP_ROW_CGROUP ? !is_alone : out->sort != MP_RESIDENT_DELTA))
		return false;
	write_process(name, sizeof(name), out, row);
	write_others(others, sizeof(others), out, lasts ? MP_GROWER_LASTING : MP_GROWER_ANY,
		     row);
	if (lasts)
		add_newer(others, sizeof(others), out, row);
	heap = heap_of(sites_of(out), row, is_alone, &is_linked);
	if (is_alone)
		most_of[0] = '\0';
	else if (row == most)
		snprintf(most_of, sizeof(most_of), " most,");
	else
		snprintf(most_of, sizeof(most_of), " most of what has run for %s or longer,",
			 mp_human_span(age, mp_growers_age_ns(out->profile)));
	used = snprintf(text, MP_HINT_SIZE, "%s grew%s by %s%s%s: %s", name, most_of,
			mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]),
			heap ? ", most likely in the " MP_OWN_HEAP : "", others, heap ?: "");
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
	bool ended = false, own = false;
	const struct mp_row *row;
	char bytes[MP_HUMAN_SIZE];

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		ended |= row->kind == MP_ROW_PROCESS && row->flags & MP_ROW_EXITED;
		own |= mp_arrange_is_collector(&profile->meta, row) &&
		       (int64_t)row->value[MP_RESIDENT_DELTA] >= MP_LEAST_GROWTH;
	}
	snprintf(text, MP_HINT_SIZE, "none of these processes%s%s grew by %s or more in %s",
		 ended ? " that still run" : "", own ? ", but for memprof's own," : "",
		 mp_human_bytes(bytes, MP_LEAST_GROWTH), seen);
}

/* Where no allocations are followed and nothing grows, that is the answer. */
static bool write_still(const struct mp_out *out, char *text)
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

/* Of processes that have all ended: the one that left most bytes without freeing them */
static const struct mp_row *find_leaver(const struct mp_profile *profile)
{
	const struct mp_row *row, *found = NULL;
	uint64_t most = MP_LEAST_GROWTH - 1;

	if (mp_profile_runs(profile))
		return NULL;
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || !row->pid || mp_row_is_sum(row) ||
		    row->value[MP_AT_EXIT] <= most)
			continue;
		found = row;
		most = row->value[MP_AT_EXIT];
	}
	return found;
}

/*
 * The process whose callsites are judged: the only one, or the first one of a table that the
 * user sorted. Else it is the one that grew most, of those that ran before, if they grew; also
 * if the first one has just been started, and is not much larger. Of those that have all ended,
 * it is the one that freed least.
 */
const struct mp_row *mp_headline_process(const struct mp_out *out)
{
	const struct mp_row *only = mp_profile_only_process(out->profile), *first = NULL;
	const struct mp_row *leaver = only ? NULL : find_leaver(out->profile);

	if (only)
		return only;
	if (leaver && (out->kind != MP_ROW_PROCESS || out->sort == MP_RESIDENT_DELTA ||
		       out->sort == MP_INUSE_SPACE))
		return leaver;
	if (out->kind == MP_ROW_PROCESS)
		first = mp_out_next(out, out->profile->rows);
	if (first && (first->flags & MP_ROW_EXITED ||
		      (out->sort != MP_RESIDENT_DELTA && out->sort != MP_INUSE_SPACE)))
		return first;
	return find_grower(out->profile) ?: first;
}

bool mp_headline_site(const struct mp_out *out, struct mp_row *site)
{
	const struct mp_row *only = mp_profile_only_process(out->profile);
	struct mp_keepers found;

	if (!only || !sites_of(out))
		return false;
	found = mp_keepers_find(sites_of(out), &out->profile->meta, only, true);
	if (!found.is_notable || !mp_keepers_row(&found))
		return false;
	*site = *mp_keepers_row(&found);
	return true;
}

static size_t write_cgroup(char *text, const struct mp_profile *profile, const struct mp_row *row)
{
	char where[MP_CGROUP_SHORT_SIZE] = "";

	mp_cgroup_shown(where, sizeof(where), profile, row->cgroup);
	return where[0] && strcmp(where, "/") ?
	       (size_t)snprintf(text, MP_HINT_SIZE, "%.80s: ", where) : 0;
}

/* Of a process whose callsites tell nothing */
static bool write_most(char *text, size_t size, const struct mp_row *row)
{
	char bytes[MP_HUMAN_SIZE];

	if ((int64_t)row->value[MP_RESIDENT_DELTA] < MP_LEAST_GROWTH)
		return false;
	snprintf(text, size, "%s (%" PRIu32 ") grew by %s: report --by callsite shows its functions",
		 row->comm, row->pid, mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]));
	return true;
}

/* What a process took: what it grew by, all if it began later, or its highest RSS if it ended */
static uint64_t taken_by(const struct mp_meta *meta, const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];

	if (process->flags & MP_ROW_EXITED)
		return process->value[MP_PEAK_RESIDENT];
	if (!mp_row_is_older(process, meta))
		return process->value[MP_RESIDENT];
	return grown > 0 ? (uint64_t)grown : 0;
}

/* What shows the objects of a process that grew by its runtime's own heap; or NULL */
static const char *find_own_heap(const struct mp_meta *meta, const struct mp_profile *sites,
				 const struct mp_row *process, bool is_alone)
{
	const bool ended = process->flags & MP_ROW_EXITED;
	const uint64_t taken = taken_by(meta, process);
	bool is_linked;
	const char *heap = heap_of(sites, process, is_alone, &is_linked);

	/* what was freed may still be resident */
	return taken < (!ended && mp_row_is_older(process, meta) ? MIN_OWN_HEAP : MIN_NEW_HEAP) ||
	       process->value[MP_INUSE_SPACE] > taken / 2 ||
	       process->value[MP_AT_EXIT] > taken / 4 ||
	       process->value[MP_PEAK_SPACE] > taken / 4 * 3 ? NULL : heap;
}

static void write_own_heap(char *text, size_t size, const struct mp_out *out,
			   const struct mp_row *process, bool is_alone, const char *heap)
{
	const struct mp_meta *meta = &out->profile->meta;
	char bytes[MP_HUMAN_SIZE], of_malloc[MP_HUMAN_SIZE], pid[32] = "";

	if (!is_alone)
		snprintf(pid, sizeof(pid), " (%" PRIu32 ")", process->pid);
	mp_human_bytes(bytes, taken_by(meta, process));
	if (process->flags & MP_ROW_EXITED)
		snprintf(text, size, "%s%s had %s of RSS at its peak, and %s of blocks; the rest was most likely in the " MP_OWN_HEAP ": %s",
			 process->comm, pid, bytes,
			 mp_human_bytes(of_malloc, process->value[MP_PEAK_SPACE]), heap);
	else
		snprintf(text, size, "%s%s %s %s%s, and has LIVE %s; the rest is most likely in the " MP_OWN_HEAP ", with what it has not collected yet: %s",
			 process->comm, pid,
			 mp_row_is_older(process, meta) ? "grew by" : "has", bytes,
			 mp_row_is_older(process, meta) ? "" : " of RSS",
			 mp_human_bytes(of_malloc, process->value[MP_INUSE_SPACE]), heap);
}

bool mp_headline_heap(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);
	const bool is_alone = mp_profile_only_process(out->profile);
	const struct mp_profile *sites = sites_of(out);
	const char *heap;

	if (!process || !process->pid ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC) ||
	    mp_keepers_find(sites, &out->profile->meta, process, is_alone).is_notable)
		return false;
	heap = find_own_heap(&out->profile->meta, sites, process, is_alone);
	if (!heap)
		return false;
	write_own_heap(text, MP_HINT_SIZE, out, process, is_alone, heap);
	return mp_hint_name_process(process, text);
}

/* Of the only process, if functions of its runtime allocate all: a hint tells how to see others */
static bool write_own_functions(const struct mp_profile *sites, const struct mp_row *process,
				char *text)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	char bytes[MP_HUMAN_SIZE], live[MP_HUMAN_SIZE];
	struct mp_obscurity found;

	if (process->flags & MP_ROW_EXITED || grown < MP_LEAST_GROWTH || !sites ||
	    !mp_runtimes_obscure(sites, MP_INUSE_SPACE, &found) || !found.runtime ||
	    !found.remedy || found.is_linked || found.is_small)
		return false;
	snprintf(text, MP_HINT_SIZE,
		 "%s grew by %s, and has LIVE %s, most of it %s%s%s", process->comm,
		 mp_human_bytes(bytes, (uint64_t)grown),
		 mp_human_bytes(live, process->value[MP_INUSE_SPACE]),
		 found.data ?: "from functions of ", found.data ? "" : found.runtime,
		 found.data ? "" : " itself: the hint below tells how to see yours");
	return mp_hint_name_process(process, text);
}

/* Of several processes, the others that grew by at least half as much */
static void add_others(char *text, size_t used, const struct mp_out *out,
		       const struct mp_row *process)
{
	const int64_t least = (int64_t)process->value[MP_RESIDENT_DELTA] / 2;
	const enum mp_grower_kind kind = mp_growers_last(out->profile, process) ?
					 MP_GROWER_LASTING : MP_GROWER_ANY;
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE];
	const struct mp_row *row = NULL;
	size_t nr = 0;

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

/* What the callsites of a process keep, and what to look at next */
static bool write_blocks(const struct mp_out *out, char *text)
{
	const struct mp_profile *sites = sites_of(out);
	const struct mp_row *process = mp_headline_process(out);
	struct mp_keepers found;
	size_t used = 0, told;
	char bytes[MP_HUMAN_SIZE];
	const char *heap;
	bool is_alone;

	is_alone = mp_profile_only_process(out->profile);
	/* rows of callsites may be of several processes */
	if (!process || !process->pid || mp_view_has_pages(out->view) ||
	    (!is_alone && !out->judged && out->kind == MP_ROW_SITE) ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC))
		return false;
	found = mp_keepers_find(sites, &out->profile->meta, process, is_alone);
	found.is_watched = out->is_watched;
	if (out->kind == MP_ROW_CGROUP)
		used = write_cgroup(text, out->profile, process);
	heap = find_own_heap(&out->profile->meta, sites, process, is_alone);
	/* a function of the program's, or of a library of its own, left a good part */
	if (found.left && !mp_runtimes_is_own(sites, found.left) &&
	    process->value[MP_AT_EXIT] > taken_by(&out->profile->meta, process) / 8)
		heap = NULL;
	if (heap && !found.is_notable) {
		write_own_heap(text + used, MP_HINT_SIZE - used, out, process, is_alone, heap);
		return mp_hint_name_process(process, text);
	}
	/* of the runtime's own functions, more time tells nothing more */
	if (found.is_early && !found.is_notable && is_alone &&
	    write_own_functions(sites, process, text + used))
		return true;
	told = mp_keepers_text(text + used, MP_HINT_SIZE - used, sites, process, is_alone, &found);
	/* where there is no table of callsites, there is no such hint */
	if (!told && is_alone && (out->sites || out->kind == MP_ROW_SITE) &&
	    write_own_functions(sites, process, text + used))
		return true;
	if (!told)
		return out->kind == MP_ROW_CGROUP && !is_alone &&
		       write_most(text + used, MP_HINT_SIZE - used, process);
	used += told;
	if (heap && !(process->flags & MP_ROW_EXITED) &&
	    (int64_t)process->value[MP_RESIDENT_DELTA] > 0) {
		snprintf(text + used, MP_HINT_SIZE - used,
			 "; %s grew by %s, most of it likely in its own heap: %s", process->comm,
			 mp_human_bytes(bytes, process->value[MP_RESIDENT_DELTA]), heap);
		return mp_hint_name_process(process, text);
	}
	if (out->kind == MP_ROW_PROCESS && out->view == MP_VIEW_ALLOC &&
	    !found.is_growing && !found.stopped && !found.is_flat && !found.is_slow &&
	    !(process->flags & MP_ROW_EXITED))
		snprintf(text + used, MP_HINT_SIZE - used, "%s", found.is_early ? "" :
			 ": report --view age tells a leak from a cache");
	if (!is_alone && !found.is_flat && (int64_t)process->value[MP_RESIDENT_DELTA] > 0)
		add_others(text, strlen(text), out, process);
	return true;
}

/* Whether somebody keeps more and more: that is told in each view */
static bool is_somebody_told(const struct mp_out *out)
{
	const struct mp_row *process = mp_headline_process(out);

	return process && process->pid &&
	       mp_keepers_find(sites_of(out), &out->profile->meta, process,
			       mp_profile_only_process(out->profile)).is_notable;
}

/* The only process, if it gave memory back */
static bool write_shrunk(const struct mp_out *out, const struct mp_row *process, char *text)
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

/* What a process has, where no callsite is told to keep it */
static bool write_memory(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);

	if (!process || !process->pid || mp_view_has_pages(out->view) || is_somebody_told(out) ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC))
		return false;
	return (mp_headline_mapped(out, sites_of(out), process, text) &&
		mp_hint_name_process(process, text)) ||
	       mp_headline_settled(out, sites_of(out), process, text) ||
	       write_shrunk(out, process, text);
}

/* A view that was asked for has an answer of its own. */
static bool write_view(const struct mp_out *out, char *text)
{
	const struct mp_row *process = out->kind == MP_ROW_PROCESS ?
				       mp_out_next(out, out->profile->rows) : NULL;

	if (!process || mp_row_is_sum(process) || process->flags & MP_ROW_EXITED)
		return false;
	return ((out->view == MP_VIEW_RSS || out->view == MP_VIEW_SIZES) &&
		mp_headline_parts(out, process, is_somebody_told(out), text)) ||
	       (out->view == MP_VIEW_FRAGMENTATION && mp_headline_pages(out, process, text));
}

/* No callsite tells who keeps what a Python grew by: its containers may. */
static bool write_python(const struct mp_out *out, char *text)
{
	const struct memprof_status *status = &out->profile->meta.status;
	const struct mp_row *process = mp_headline_process(out);

	return process && process->pid && status->streams & MEMPROF_START_ALLOC &&
	       !mp_view_has_pages(out->view) &&
	       mp_keepers_python(text, MP_HINT_SIZE, process,
				 mp_profile_only_process(out->profile),
				 mp_status_seen_ns(status));
}

/* If there is no other sentence about the only process: most of its RSS is in no living block. */
static bool write_held(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_profile_only_process(out->profile);
	struct mp_out rss = *out;

	if (!process || process->flags & MP_ROW_EXITED || out->view != MP_VIEW_ALLOC ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC) ||
	    (int64_t)process->value[MP_HELD] < (int64_t)(process->value[MP_RESIDENT] / 2))
		return false;
	rss.view = MP_VIEW_RSS;
	return mp_headline_parts(&rss, process, false, text);
}

bool mp_headline_write(const struct mp_out *out, char *text)
{
	return write_view(out, text) || write_grower(out, text) || write_blocks(out, text) ||
	       write_still(out, text) || write_memory(out, text) || write_python(out, text) ||
	       write_held(out, text);
}
