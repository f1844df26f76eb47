// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-hint: finds the process whose memory the rows do not explain
 *
 * The cost is a pass over a series.
 */
#include "process-hint.h"
#include "hint.h"
#include "human.h"
#include "location-text.h"
#include "malloc-text.h"
#include "process-file.h"
#include "runtimes.h"

#include <inttypes.h>

/* Faults, and calls that change what can be accessed, that cost a program some percent */
#define MANY_FAULTS	40000
#define MANY_CALLS	8000

/* Calls of an allocator a second, each a trap of a microsecond or two */
#define MANY_TRAPS	20000

/* What begins may have many for a moment. */
#define LEAST_SECONDS	3

/* Of so many faults one is recorded, if it is advised. */
#define FEW_FAULTS	100

/* Bytes of growth, and of a heap, that deserve a hint. */
#define MIN_GROWTH	(8 << 20)
/* The same of RSS beyond the living blocks; programs have their files, too. */
#define MIN_KEPT	(32 << 20)

/* Where no allocations are followed, malloc tells what it has free. */
static bool write_free(const struct mp_out *out, const struct mp_row *row, char *text)
{
	const uint64_t heap = row->value[MP_HEAP_RESIDENT];
	char bytes[MP_HUMAN_SIZE], where[MP_MALLOC_TEXT_SIZE];
	enum mp_malloc_kind kind;

	if (heap < MIN_GROWTH || out->view == MP_VIEW_SIZES)
		return false;
	kind = mp_malloc_text_write(row, heap, "in use", where);
	if (kind != MP_MALLOC_GIVES && kind != MP_MALLOC_KEEPS)
		return false;
	snprintf(text, MP_HINT_SIZE, "of %s of heap of %s, %s; report --view rss tells more",
		 mp_human_bytes(bytes, heap), row->comm, where);
	return true;
}

/*
 * Of the process that is shown first: if most of its heap is in no living block. What was
 * freed is known; the rest may be older than what was followed.
 */
static bool write_beyond(const struct mp_out *out, char *text)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row = out->kind == MP_ROW_PROCESS ?
				   mp_out_next(out, profile->rows) : NULL;
	char bytes[MP_HUMAN_SIZE], where[MP_MALLOC_TEXT_SIZE];
	uint64_t heap, live, freed;

	if (!row || row->flags & MP_ROW_EXITED || !row->pid)
		return false;
	if (!(profile->meta.status.streams & MEMPROF_START_ALLOC))
		return write_free(out, row, text);
	/* what is linked with its own allocator has no block that could be followed */
	if (!row->value[MP_ALLOC_OBJECTS] && mp_process_is_static((pid_t)row->pid))
		return false;
	heap = row->value[MP_HEAP_RESIDENT];
	live = row->value[MP_INUSE_SPACE];
	if (heap < MIN_GROWTH || live > heap / 2)
		return false;
	mp_human_bytes(bytes, heap - live);
	if (mp_runtimes_heap(row->comm, false)) {
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is in no block that was followed: it is older, or in the runtime's own heap: %s",
			 bytes, row->comm, mp_runtimes_heap(row->comm, false));
		mp_hint_name_process(row, text);
		return true;
	}
	freed = row->value[MP_PEAK_SPACE] > live ? row->value[MP_PEAK_SPACE] - live : 0;
	/* that is what it would advise */
	if (out->view == MP_VIEW_FRAGMENTATION && profile->meta.alloc.rate <= 1)
		return false;
	if (out->view != MP_VIEW_RSS && out->view != MP_VIEW_FRAGMENTATION &&
	    mp_malloc_text_write(row, heap - live, mp_row_is_older(row, &profile->meta) ?
				 "from before this recording" : "that were not followed", where))
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is in no block whose allocation was seen: %s; report --view rss tells more",
			 bytes, row->comm, where);
	else if (freed >= (heap - live) / 2)
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is in no living block: most of it was freed, and the allocator keeps it; %s",
			 bytes, row->comm, profile->meta.alloc.rate <= 1 ?
			 "report --view fragmentation shows whose blocks keep it" :
			 "memprofctl inject --rate 1 -p PID soon after a start, later snapshot -p PID and report --view fragmentation show whose blocks keep it");
	else if (mp_row_is_older(row, &profile->meta))
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is older than the session, or was freed and kept: memprofctl inject --rate 1 -p PID soon after its start, later snapshot -p PID and report --view fragmentation tell which, and whose blocks keep it",
			 bytes, row->comm);
	else
		return false;
	return true;
}

/* Of what has ended: if RSS was far above the living blocks for most of the time. */
static bool write_kept(const struct mp_out *out, char *text)
{
	const struct mp_series *resident = &out->profile->series[MP_SERIES_RESIDENT];
	const struct mp_series *live = &out->profile->series[MP_SERIES_LIVE];
	double sum = 0, in_blocks, beyond;
	char bytes[MP_HUMAN_SIZE];
	uint32_t i, nr = 0;

	if (!out->ended || !live->nr)
		return false;
	for (i = 0; i < resident->nr; i++) {
		/* a file may contain any numbers */
		in_blocks = (double)mp_series_at(live, resident->start_ns + i * resident->step_ns);
		beyond = (double)resident->value[i] - in_blocks;
		if (beyond < MIN_KEPT || beyond < in_blocks)
			continue;
		sum += beyond;
		nr++;
	}
	if (2 * nr <= resident->nr)
		return false;
	snprintf(text, MP_HINT_SIZE, out->view == MP_VIEW_RSS ?
		 "for most of the time RSS was some %s above the living blocks: --at TIME shows a moment; memprofctl inject --rate 1 -p PID soon after a start, later snapshot -p PID and report --view fragmentation show whose blocks keep it" :
		 "for most of the time RSS was some %s above the living blocks: report --view rss shows what it was made of; memprofctl inject --rate 1 -p PID soon after a start, later snapshot -p PID and report --view fragmentation show whose blocks keep it",
		 mp_human_bytes(bytes, (uint64_t)(sum / nr)));
	return true;
}

/* The process with the largest sum of two metrics */
static const struct mp_row *find_busiest(const struct mp_profile *profile, enum mp_metric a,
					 enum mp_metric b)
{
	const struct mp_row *row, *busiest = NULL;
	uint64_t most = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) ||
		    row->value[a] + row->value[b] <= most)
			continue;
		most = row->value[a] + row->value[b];
		busiest = row;
	}
	return busiest;
}

/* The process whose allocator was called most, by traps */
static bool write_traps(const struct mp_profile *profile, double seconds, char *text)
{
	const struct mp_row *busiest = find_busiest(profile, MP_ALLOC_OBJECTS, MP_FREE_OBJECTS);
	char calls[MP_HUMAN_SIZE];
	double rate;

	if (!busiest || profile->meta.alloc.rate != 1 || profile->meta.alloc.nr_samplers ||
	    profile->meta.source == MP_SOURCE_PRELOAD || !MP_BY_SAMPLES[0])
		return false;
	rate = (double)(busiest->value[MP_ALLOC_OBJECTS] + busiest->value[MP_FREE_OBJECTS]) /
	       seconds;
	if (rate < MANY_TRAPS)
		return false;
	snprintf(text, MP_HINT_SIZE,
		 "%s called its allocator %s times a second, and each call was a trap, which slows it: --inject, or record -- COMMAND without --alloc exact, takes samples instead",
		 busiest->comm, mp_human_count(calls, (uint64_t)rate));
	return true;
}

bool mp_faults_hint_write(const struct mp_profile *profile, char *text)
{
	const struct memprof_status *status = &profile->meta.status;
	const uint64_t since_ns = status->reset_ns > status->start_ns ? status->reset_ns :
								       status->start_ns;
	const double seconds = ((double)mp_status_end_ns(status) - (double)since_ns) / 1e9;
	const struct mp_row *row = find_busiest(profile, MP_MINOR_SAMPLES, MP_GROWTH_CALLS);
	char of_faults[MP_HUMAN_SIZE], of_calls[MP_HUMAN_SIZE];
	double faults, calls;
	bool many_faults, many_calls;

	if (seconds < LEAST_SECONDS)
		return false;
	if (write_traps(profile, seconds, text))
		return true;
	if (!row || profile->meta.source == MP_SOURCE_KMOD)
		return false;
	faults = (double)row->value[MP_MINOR_SAMPLES] / seconds;
	calls = (double)row->value[MP_GROWTH_CALLS] / seconds;
	many_faults = faults >= MANY_FAULTS && status->minor_period < FEW_FAULTS;
	many_calls = calls >= MANY_CALLS;
	if (!many_faults && !many_calls)
		return false;
	mp_human_count(of_faults, (uint64_t)faults);
	mp_human_count(of_calls, (uint64_t)calls);
	snprintf(text, MP_HINT_SIZE,
		 "%s faults and %s calls of brk, mmap and the like of %s were recorded a second, which slows it: record%s%s records fewer",
		 of_faults, of_calls, row->comm, many_faults ? " --faults 100" : "",
		 many_calls ? " --growth off" : "");
	return true;
}

bool mp_process_hint_write(const struct mp_out *out, char *text)
{
	return write_beyond(out, text) || write_kept(out, text);
}
