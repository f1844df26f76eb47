// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline: tries one sentence after the other, and writes who keeps what it allocates
 *
 * The cost is three passes over the rows.
 */
#include "headline.h"
#include "arrange.h"
#include "cgroup-short.h"
#include "fate.h"
#include "growers.h"
#include "headline-growers.h"
#include "headline-heap.h"
#include "headline-memory.h"
#include "hint.h"
#include "human.h"
#include "keepers-text.h"
#include "keepers.h"
#include "location-text.h"
#include "runtimes.h"

#include <inttypes.h>
#include <string.h>

/* Of what several processes had, the part that a callsite must have to be named for it */
#define LEAST_NAMED	4

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
	return mp_headline_grower(out->profile) ?: first;
}

bool mp_headline_heap(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);
	const bool is_alone = mp_profile_only_process(out->profile);
	const struct mp_profile *sites = mp_headline_sites(out);
	const char *heap;

	if (!process || !process->pid ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC) ||
	    mp_keepers_find(sites, &out->profile->meta, process, is_alone).is_notable)
		return false;
	heap = mp_headline_heap_grew(&out->profile->meta, sites, process, is_alone);
	if (!heap)
		return false;
	mp_headline_heap_write(text, MP_HINT_SIZE, out, process, is_alone, heap);
	return mp_hint_name_process(process, text);
}

bool mp_headline_site(const struct mp_out *out, struct mp_row *site)
{
	const struct mp_row *only = mp_profile_only_process(out->profile);
	struct mp_keepers found;

	if (!only || !mp_headline_sites(out))
		return false;
	found = mp_keepers_find(mp_headline_sites(out), &out->profile->meta, only, true);
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

/* Bytes that lived for a while, and are far more than what grew: a query, a batch */
#define LEAST_PASSED	(16 << 20)
#define MUCH_PASSED	4

/* How much more than now a process had for a while, if that is far more than it grew by; else 0 */
static uint64_t bytes_passed(const struct mp_out *out, const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];
	const uint64_t passed = process->value[MP_PEAK_SPACE] - process->value[MP_INUSE_SPACE];

	return process->flags & MP_ROW_EXITED || mp_row_is_sum(process) || out->is_watched ||
	       process->value[MP_PEAK_SPACE] < process->value[MP_INUSE_SPACE] ||
	       passed < LEAST_PASSED || (int64_t)(passed / MUCH_PASSED) < grown ? 0 : passed;
}

/* @before: what stands before */
static void write_passed(const struct mp_out *out, const struct mp_row *process,
			 const char *before, char *text)
{
	const uint64_t passed = bytes_passed(out, process);
	const size_t used = strlen(text);
	char bytes[MP_HUMAN_SIZE];

	if (passed)
		snprintf(text + used, MP_HINT_SIZE - used,
			 "%s%s had %s more for a while: report -s peak shows whose", before,
			 process->comm, mp_human_bytes(bytes, passed));
}

/* What a process had for a while, if there is nothing else to tell */
static bool write_while(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_profile_only_process(out->profile);

	if (!process || mp_view_has_pages(out->view) ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC) ||
	    !bytes_passed(out, process))
		return false;
	text[0] = '\0';
	write_passed(out, process, "", text);
	return true;
}

/* Whether most RSS of a process is in no living block, but in malloc or in stacks */
static bool is_held(const struct mp_row *process)
{
	const int64_t half = (int64_t)(process->value[MP_RESIDENT] / 2);

	return (int64_t)process->value[MP_HELD] >= half ||
	       (int64_t)process->value[MP_STACKS] >= half;
}

/* If most RSS of the only process is in no living block */
static bool write_held(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_profile_only_process(out->profile);
	struct mp_out rss = *out;

	if (!process || process->flags & MP_ROW_EXITED || out->view != MP_VIEW_ALLOC ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC) || !is_held(process))
		return false;
	rss.view = MP_VIEW_RSS;
	if (!mp_headline_parts(&rss, process, false, text))
		return false;
	write_passed(out, process, "; ", text);
	return true;
}

/* Of what does not grow, if a good part of it is free inside malloc, or most is stacks */
static bool write_free(const struct mp_out *out, const struct mp_row *process, char *text)
{
	char seen[MP_HUMAN_SIZE];
	size_t used;

	if ((process->value[MP_MALLOC_FREE] < process->value[MP_RESIDENT] / 4 &&
	     process->value[MP_STACKS] < process->value[MP_RESIDENT] / 2) ||
	    !write_held(out, text))
		return false;
	used = strlen(text);
	snprintf(text + used, MP_HINT_SIZE - used, "; it " MP_NOT_GROWN " in %s",
		 mp_human_span(seen, mp_status_seen_ns(&out->profile->meta.status)));
	return true;
}

/* What the callsites of a process keep, and what to look at next */
static bool write_blocks(const struct mp_out *out, char *text)
{
	const struct mp_profile *sites = mp_headline_sites(out);
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
	heap = mp_headline_heap_grew(&out->profile->meta, sites, process, is_alone);
	/* a function of the program's, or of a library of its own, left a good part */
	if (found.left && !mp_runtimes_is_own(sites, found.left) &&
	    process->value[MP_AT_EXIT] > mp_headline_taken(&out->profile->meta, process) / 8)
		heap = NULL;
	if (heap && !found.is_notable) {
		mp_headline_heap_write(text + used, MP_HINT_SIZE - used, out, process, is_alone,
				       heap);
		return mp_hint_name_process(process, text);
	}
	/* of the runtime's own functions, more time tells nothing more */
	if (found.is_early && !found.is_notable && is_alone &&
	    mp_headline_heap_functions(sites, process, text + used))
		return true;
	if (found.is_flat && write_free(out, process, text))
		return true;
	told = mp_keepers_text(text + used, MP_HINT_SIZE - used, sites, process, is_alone, &found);
	/* where there is no table of callsites, there is no such hint */
	if (!told && is_alone && (out->sites || out->kind == MP_ROW_SITE) &&
	    mp_headline_heap_functions(sites, process, text + used))
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
	    !found.is_growing && !found.is_anothers && !found.hands_on && !found.stopped && !found.is_flat && !found.is_slow &&
	    !(process->flags & MP_ROW_EXITED))
		snprintf(text + used, MP_HINT_SIZE - used, "%s", found.is_early ? "" :
			 ": report --view age tells a leak from a cache");
	if (is_alone && (found.is_flat || found.is_slow))
		write_passed(out, process, "; ", text);
	if (!is_alone && !found.is_flat && (int64_t)process->value[MP_RESIDENT_DELTA] > 0)
		mp_headline_also_grew(out, process, text);
	return true;
}

/* Whether somebody keeps more and more: that is told in each view */
static bool is_somebody_told(const struct mp_out *out)
{
	const struct mp_row *process = mp_headline_process(out);

	return process && process->pid &&
	       mp_keepers_find(mp_headline_sites(out), &out->profile->meta, process,
			       mp_profile_only_process(out->profile)).is_notable;
}

/* What a process has, where no callsite is told to keep it */
static bool write_memory(const struct mp_out *out, char *text)
{
	const struct mp_row *process = mp_headline_process(out);

	if (!process || !process->pid || mp_view_has_pages(out->view) || is_somebody_told(out) ||
	    !(out->profile->meta.status.streams & MEMPROF_START_ALLOC))
		return false;
	if (mp_headline_mapped(out, mp_headline_sites(out), process, text) ||
	    mp_headline_filled(out, mp_headline_sites(out), process, text)) {
		write_passed(out, process, "; ", text);
		return mp_hint_name_process(process, text);
	}
	return mp_headline_settled(out, mp_headline_sites(out), process, text) ||
	       mp_headline_shrank(out, process, text);
}

/* A view that was asked for has an answer of its own. */
static bool write_view(const struct mp_out *out, char *text)
{
	const struct mp_row *process = out->kind == MP_ROW_PROCESS ?
				       mp_out_next(out, out->profile->rows) : NULL;

	if (!process || mp_row_is_sum(process))
		return false;
	if (out->view == MP_VIEW_FRAGMENTATION)
		return mp_headline_pages(out, process, text);
	return (out->view == MP_VIEW_RSS || out->view == MP_VIEW_SIZES) &&
	       !(process->flags & MP_ROW_EXITED) &&
	       mp_headline_parts(out, process, is_somebody_told(out), text);
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

/* Of several processes that have all ended and freed what they had: who had most at the peak */
static bool write_peak(const struct mp_out *out, char *text)
{
	/* the table's rows, in which a callsite of several processes is one */
	const struct mp_profile *sites = out->sites ?:
		out->kind == MP_ROW_SITE ? out->profile : NULL;
	const enum mp_source source = out->profile->meta.source;
	const struct mp_row *row, *top = NULL;
	char all[MP_HUMAN_SIZE], bytes[MP_HUMAN_SIZE], where[MP_LOCATION_TEXT_SIZE];
	struct mp_total total;
	size_t nr = 0;

	/* others than events tell a peak of each process */
	if (!sites || mp_view_has_pages(out->view) || mp_profile_runs(out->profile) ||
	    (source != MP_SOURCE_PERF && source != MP_SOURCE_AUTO) || out->profile->hosts.nr > 1)
		return false;
	for (row = out->profile->rows; row < out->profile->rows + out->profile->nr_rows; row++)
		if (row->kind == MP_ROW_PROCESS)
			nr += mp_row_is_sum(row) ? row->nr_processes : 1;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (row->kind == MP_ROW_SITE && !(row->flags & MP_ROW_OVERFLOW) &&
		    (!top || row->value[MP_AT_PEAK] > top->value[MP_AT_PEAK]))
			top = row;
	mp_profile_total(sites, MP_ROW_SITE, &total);
	if (nr < 2 || !top || top->value[MP_AT_PEAK] < MP_LEAST_LEAK ||
	    top->value[MP_AT_PEAK] < total.value[MP_AT_PEAK] / LEAST_NAMED ||
	    mp_runtimes_is_own(sites, top))
		return false;
	mp_location_row(sites, top, where);
	snprintf(text, MP_HINT_SIZE,
		 "these %zu processes held %s%s when they held most together, %s of it from %.150s%s%s",
		 nr, out->profile->meta.alloc.rate > 1 ? "about " : "",
		 mp_human_bytes(all, total.value[MP_AT_PEAK]),
		 mp_human_bytes(bytes, top->value[MP_AT_PEAK]), where,
		 top->comm[0] ? " of " : "", top->comm);
	return true;
}

bool mp_headline_write(const struct mp_out *out, char *text)
{
	return write_view(out, text) || mp_headline_grew(out, text) || write_blocks(out, text) ||
	       mp_headline_still(out, text) || write_memory(out, text) || write_python(out, text) ||
	       write_held(out, text) || write_peak(out, text) || write_while(out, text);
}
