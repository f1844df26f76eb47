// SPDX-License-Identifier: GPL-2.0-only
/*
 * headline-memory: compares what the kernel counts with the living blocks
 */
#include "headline-memory.h"
#include "headline-heap.h"
#include "hint.h"
#include "human.h"
#include "keepers-text.h"
#include "location-text.h"
#include "malloc-text.h"
#include "process-file.h"
#include "runtimes.h"

#include <inttypes.h>
#include <string.h>

/* Bytes that deserve a sentence */
#define LEAST		(1 << 20)

/* RSS has not changed if it grew by less than 1/50. */
#define FLAT		50

/* A shorter recording may have only the start of the program. */
#define SETTLED_NS	6000000000ULL

/* If less than 1/10 of BLAME is empty, little is lost. */
#define LEAST_PINNED	10

/* If more than 1/4 of the pages was not looked at, nothing is said of the rest. */
#define MOST_UNSEEN	4

#define NAME_SIZE	(MP_COMM_SIZE + 32)

#define NEXT_START	"with its new PID"
#define WHOSE_BLOCKS	"later snapshot -p PID and report --view fragmentation"

static void write_name(char *name, const struct mp_out *out, const struct mp_row *process)
{
	mp_keepers_name(name, NAME_SIZE, process, mp_profile_only_process(out->profile));
}

/*
 * Says what memory may be that is in no block that was followed. It is known to be freed if the
 * process had half as much in blocks before.
 */
static const char *unexplained(const struct mp_out *out, const struct mp_row *process,
			       uint64_t bytes)
{
	const uint64_t live = process->value[MP_INUSE_SPACE];
	const uint64_t peak = process->value[MP_PEAK_SPACE];

	if (mp_profile_counter(out->profile, "heap_map_full_drops"))
		return "is in blocks beyond the million that are followed, or was freed and kept";
	return peak > live && peak - live >= bytes / 2 ? "was freed, and the allocator keeps it" :
	       mp_row_is_older(process, &out->profile->meta) ?
	       "is older than this recording, was freed and kept, or is mapped by the program itself" :
	       "was freed and kept, or is mapped by the program itself";
}

static bool is_python(const struct mp_row *process)
{
	return !strncmp(process->comm, "python", strlen("python"));
}

/* Whether a runtime has a heap of its own, or no library can follow a static program */
static bool has_other_heap(const struct mp_row *process)
{
	return mp_runtimes_heap(process->comm, false) ||
	       (!process->value[MP_ALLOC_OBJECTS] && !process->value[MP_MALLOC_USED] &&
		mp_process_is_static((pid_t)process->pid));
}

/* What shows whose blocks keep pages, or hold what was not followed */
static const char *advice(const struct mp_out *out, bool older)
{
	return out->profile->meta.alloc.rate == 1 ?
	       "report --view fragmentation shows whose blocks keep it" :
	       older ?
	       "to see whose, start it again, then memprofctl inject --rate 1 -p PID " NEXT_START ", " WHOSE_BLOCKS :
	       "memprofctl inject --rate 1 -p PID, " WHOSE_BLOCKS " show whose blocks keep it";
}

/* Writes where the heap is beside the living blocks. */
static void write_heap(const struct mp_out *out, const struct mp_row *process,
		       uint64_t bytes, char *text, size_t size)
{
	const bool followed = out->profile->meta.status.streams & MEMPROF_START_ALLOC;
	const bool older = mp_row_is_older(process, &out->profile->meta);
	char where[MP_MALLOC_TEXT_SIZE];

	switch (mp_malloc_text_write(process, bytes, !followed ? "in use" : older ?
				     "from before this recording" : "that were not followed",
				     where)) {
	case MP_MALLOC_UNKNOWN:
		snprintf(text, size, "it %s; %s", unexplained(out, process, bytes),
			 advice(out, older));
		break;
	case MP_MALLOC_GIVES:
	case MP_MALLOC_UNREAD_MOST:
		snprintf(text, size, "%s", where);
		break;
	case MP_MALLOC_HAS_NOT:
		if (is_python(process))
			snprintf(text, size, "most of it is in arenas of Python; %s",
				 advice(out, older));
		else
			snprintf(text, size, "%s; %sreport --callers -s growth shows who", where,
				 older ? "record it from its start: " : "");
		break;
	case MP_MALLOC_HAS_BLOCKS:
		snprintf(text, size, "%s; %s", where, !followed ?
			 "memprofctl record --inject -p PID shows who allocates, from then on" : older ?
			 "to see whose, start it again, then memprofctl inject -p PID " NEXT_START ", later snapshot -p PID and report" :
			 "report shows whose, as far as they are followed");
		break;
	case MP_MALLOC_KEEPS:
		snprintf(text, size, "%s; %s", where, advice(out, older));
	}
}

/* A part without what memprof has there: its files are mapped, and may be shared memory. */
static int64_t part_of(const struct mp_row *process, enum mp_metric metric)
{
	const uint64_t own = process->value[MP_SAMPLER_RESIDENT];
	const enum mp_metric has_own = process->value[MP_FILE_MAPPED] >= own ? MP_FILE_MAPPED :
								       MP_SHMEM_MAPPED;

	return (int64_t)(process->value[metric] - (metric == has_own ? own : 0));
}

bool mp_headline_parts(const struct mp_out *out, const struct mp_row *process, bool is_told,
		       char *text)
{
	const struct {
		enum mp_metric metric;
		const char *what;
	} parts[] = {
		{ out->view == MP_VIEW_RSS ? MP_HELD : MP_HEAP_RESIDENT, NULL },
		{ MP_LIVE_RESIDENT, "blocks that live: report names who allocated them" },
		{ MP_STACKS, "stacks of its threads" },
		{ MP_FILE_MAPPED, "files that it maps, its code among them" },
		{ MP_SHMEM_MAPPED, "memory that it shares" },
		{ MP_UNATTRIBUTED, "memory that is neither heap, nor stack, nor of a file" },
		{ MP_SAMPLER_RESIDENT, "of memprof itself in it: its library, and what that knows of each block" },
	};
	char name[NAME_SIZE], all[MP_HUMAN_SIZE], bytes[MP_HUMAN_SIZE];
	size_t i, most = 0;
	int used;

	for (i = 1; i < sizeof(parts) / sizeof(*parts); i++)
		if (part_of(process, parts[i].metric) > part_of(process, parts[most].metric))
			most = i;
	if (part_of(process, parts[most].metric) < LEAST ||
	    !process->value[MP_RESIDENT] || (!most && has_other_heap(process)) ||
	    (is_told && parts[most].metric == MP_LIVE_RESIDENT))
		return false;
	/* without allocations, only malloc itself tells */
	if (!most && out->view == MP_VIEW_SIZES && !process->value[MP_MALLOC_USED])
		return false;
	write_name(name, out, process);
	used = snprintf(text, MP_HINT_SIZE, "%s has RSS %s, %s of it is %s", name,
			mp_human_bytes(all, process->value[MP_RESIDENT]),
			mp_human_bytes(bytes, (uint64_t)part_of(process, parts[most].metric)),
			mp_metrics[parts[most].metric].heading);
	if (most) {
		snprintf(text + used, MP_HINT_SIZE - (size_t)used, ", %s", parts[most].what);
		return true;
	}
	used += snprintf(text + used, MP_HINT_SIZE - (size_t)used, ": ");
	write_heap(out, process, process->value[parts[0].metric], text + used,
		   MP_HINT_SIZE - (size_t)used);
	/* after its next start it has another id */
	return strstr(text, NEXT_START) || mp_hint_name_process(process, text);
}

bool mp_headline_pages(const struct mp_out *out, const struct mp_row *process, char *text)
{
	const uint64_t blame = process->value[MP_BLAME], pinned = process->value[MP_PINNED];
	const uint64_t held = process->value[MP_HELD_PAGES];
	char name[NAME_SIZE], all[MP_HUMAN_SIZE], empty[MP_HUMAN_SIZE], bytes[MP_HUMAN_SIZE];
	char where[MP_MALLOC_TEXT_SIZE];
	uint64_t trim, unseen;
	int used;

	/* samples do not tell how full a page is */
	if (blame + held < LEAST || out->profile->meta.alloc.rate > 1 || has_other_heap(process))
		return false;
	write_name(name, out, process);
	if (process->flags & MP_ROW_EXITED) {
		snprintf(text, MP_HINT_SIZE,
			 "when %s ended, its blocks were in %s of pages, of which %s was empty; %s more had no block",
			 name, mp_human_bytes(all, blame), mp_human_bytes(empty, pinned),
			 mp_human_bytes(bytes, held));
		return true;
	}
	unseen = mp_profile_counter(out->profile, "pages_unseen") *
		 (out->profile->meta.page_size ?: 4096);
	if (unseen > (blame + held) / MOST_UNSEEN) {
		snprintf(text, MP_HINT_SIZE,
			 "%s of pages of %s were not looked at, for lack of time: another snapshot may tell whose blocks are in them",
			 mp_human_bytes(bytes, unseen), name);
		return true;
	}
	mp_human_bytes(bytes, held);
	trim = process->value[MP_MALLOC_TRIM] < held ? process->value[MP_MALLOC_TRIM] : held;
	if (trim >= held / 4)
		snprintf(where, sizeof(where),
			 "malloc_trim(0) would give %s of it back to the kernel",
			 mp_human_bytes(all, trim));
	else
		snprintf(where, sizeof(where), "it %s", unexplained(out, process, held));
	if (blame < LEAST) {
		snprintf(text, MP_HINT_SIZE, "%s of the heap of %s has no block that was followed: %s",
			 bytes, name, where);
		return true;
	}
	used = snprintf(text, MP_HINT_SIZE, "living blocks of %s are in %s of pages, of which %s %s",
			name, mp_human_bytes(all, blame), mp_human_bytes(empty, pinned),
			pinned >= blame / LEAST_PINNED ? "is empty, and cannot be given back" :
							 "is empty: little is lost between them");
	if (held >= LEAST)
		snprintf(text + used, MP_HINT_SIZE - (size_t)used, "; %s more has no block that was followed: %s",
			 bytes, where);
	return true;
}

/* By how much a process grew, if its living blocks do not explain half of that; else 0 */
static int64_t grown_otherwise(const struct mp_profile *sites, const struct mp_row *process)
{
	const int64_t grown = (int64_t)process->value[MP_RESIDENT_DELTA];

	return sites && !(process->flags & MP_ROW_EXITED) && grown >= LEAST &&
	       (int64_t)process->value[MP_INUSE_SPACE] <= grown / 2 ? grown : 0;
}

/* @how: after the bytes; @what: in most of which callsite; @next: the command that tells more */
static void write_grown(const struct mp_out *out, const struct mp_profile *sites,
			const struct mp_row *process, const struct mp_row *site, const char *how,
			const char *what, const char *next, char *text)
{
	char name[NAME_SIZE], bytes[MP_HUMAN_SIZE], where[MP_LOCATION_TEXT_SIZE];

	write_name(name, out, process);
	mp_location_row(sites, site, where);
	/* report does not show the session of top */
	snprintf(text, MP_HINT_SIZE, "%s grew by %s%s, most of it %sin %.150s: %sreport --callers -s %s",
		 name, mp_human_bytes(bytes, process->value[MP_RESIDENT_DELTA]), how, what, where,
		 out->is_watched ? "memprofctl record -p PID -d 10 && memprofctl " : "", next);
}

/* Whether a row is a callsite of a process, or of the only one */
static bool is_site_of(const struct mp_out *out, const struct mp_row *process,
		       const struct mp_row *row)
{
	return row->kind == MP_ROW_SITE &&
	       (mp_profile_only_process(out->profile) || row->pid == process->pid);
}

/* Whether a callsite has changed the size of its process without the allocator */
static bool maps_itself(const struct mp_row *row)
{
	return row->value[MP_GROWTH] && !row->value[MP_BRK_UP] && !row->value[MP_BRK_DOWN] &&
	       !row->value[MP_ALLOC_OBJECTS] && !row->value[MP_INUSE_SPACE];
}

bool mp_headline_mapped(const struct mp_out *out, const struct mp_profile *sites,
			const struct mp_row *process, char *text)
{
	const int64_t grown = grown_otherwise(sites, process);
	const struct mp_row *row, *most = NULL;
	uint64_t mapped = 0;

	if (!grown)
		return false;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++) {
		if (!is_site_of(out, process, row) || !maps_itself(row))
			continue;
		mapped += row->value[MP_GROWTH];
		if (!most || (int64_t)row->value[MP_GROWTH] > (int64_t)most->value[MP_GROWTH])
			most = row;
	}
	/* much more than that is files, or was not touched */
	if ((int64_t)mapped < grown / 2 || mapped / 2 > (uint64_t)grown || !most)
		return false;
	write_grown(out, sites, process, most, ", which it maps itself", "",
		    "growth shows who asks for it", text);
	return true;
}

bool mp_headline_filled(const struct mp_out *out, const struct mp_profile *sites,
			const struct mp_row *process, char *text)
{
	const int64_t grown = grown_otherwise(sites, process);
	const struct mp_row *row, *most = NULL;

	if (!grown || !mp_row_is_older(process, &out->profile->meta) ||
	    (int64_t)process->value[MP_GROWTH] > grown / 2)
		return false;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (is_site_of(out, process, row) &&
		    (!most || row->value[MP_TOUCHED] > most->value[MP_TOUCHED]))
			most = row;
	if (!most || most->value[MP_TOUCHED] < (uint64_t)grown / 2)
		return false;
	write_grown(out, sites, process, most, " in memory that it had mapped before",
		    "touched first ", "touched shows who calls it", text);
	return true;
}

/* The callsite that has most of what lives; or NULL */
static const struct mp_row *find_largest(const struct mp_profile *sites)
{
	const struct mp_row *row, *largest = NULL;

	if (!sites)
		return NULL;
	for (row = sites->rows; row < sites->rows + sites->nr_rows; row++)
		if (row->kind == MP_ROW_SITE && row->value[MP_INUSE_SPACE] >=
		    (largest ? largest->value[MP_INUSE_SPACE] : LEAST))
			largest = row;
	return largest;
}

bool mp_headline_settled(const struct mp_out *out, const struct mp_profile *sites,
			 const struct mp_row *process, char *text)
{
	const struct mp_series *rss = &out->profile->series[MP_SERIES_RESIDENT];
	const uint64_t half_ns = mp_status_seen_ns(&out->profile->meta.status) / 2;
	const uint64_t resident = process->value[MP_RESIDENT];
	char all[MP_HUMAN_SIZE], bytes[MP_HUMAN_SIZE], span[MP_HUMAN_SIZE];
	char site[MP_LOCATION_TEXT_SIZE], live[MP_HUMAN_SIZE];
	uint64_t then, now = (uint64_t)rss->last;
	const struct mp_row *largest;
	int used;

	if (!mp_profile_only_process(out->profile) || process->flags & MP_ROW_EXITED ||
	    mp_row_is_older(process, &out->profile->meta) || half_ns < SETTLED_NS / 2 ||
	    !rss->nr || rss->end_ns - rss->start_ns < half_ns)
		return false;
	/* the series is of all processes, also of those that are not shown */
	if (now < resident / 10 * 9 || now > resident / 9 * 10)
		return false;
	then = (uint64_t)mp_series_at(rss, rss->end_ns - half_ns);
	mp_human_bytes(all, resident);
	mp_human_span(span, half_ns);
	mp_human_bytes(bytes, now - then);
	if (now < then || now - then < resident / FLAT) {
		snprintf(text, MP_HINT_SIZE, "%s has RSS %s, and " MP_NOT_GROWN " in the last %s",
			 process->comm, all, span);
		return true;
	}
	used = snprintf(text, MP_HINT_SIZE, "%s has RSS %s, and grew by %s in the last %s",
			process->comm, all, bytes, span);
	largest = find_largest(sites);
	if (largest) {
		mp_location_row(sites, largest, site);
		used += snprintf(text + used, MP_HINT_SIZE - (size_t)used, ": %.150s has LIVE %s of it",
				 site, mp_human_bytes(live, largest->value[MP_INUSE_SPACE]));
	}
	snprintf(text + used, MP_HINT_SIZE - (size_t)used,
		 "; to tell a leak from a cache, try %" PRIu64 " s", 4 * half_ns / 1000000000);
	return true;
}
