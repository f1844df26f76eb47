// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-hint: finds the process whose memory the rows do not explain
 *
 * The cost is a pass over a series.
 */
#include "process-hint.h"
#include "arrange.h"
#include "cgroup-short.h"
#include "hint.h"
#include "human.h"
#include "location-text.h"
#include "process-file.h"
#include "runtimes.h"

#include <inttypes.h>

/* Bytes of growth, and of a heap, that deserve a hint. */
#define MIN_GROWTH	(8 << 20)
/* The same of RSS beyond the living blocks; programs have their files, too. */
#define MIN_KEPT	(32 << 20)

/* Bytes of a leak that deserve a hint, and parts of its blocks, and a cache's, that were freed. */
#define MIN_LEAK	(1 << 20)
#define MOST_KEPT	0.02
#define LEAST_RENEWED	0.25

/* How to follow allocations of a process that runs, without a trap for each of them */
#if defined(__x86_64__)
#define MP_BY_SAMPLES	"--inject "
#else
#define MP_BY_SAMPLES	""
#endif

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
bool mp_process_hint_next(const struct mp_out *out, char *text)
{
	const struct mp_row *most = find_grower(out, false), *row = find_grower(out, true) ?: most;
	char bytes[MP_HUMAN_SIZE], where[MP_CGROUP_SHORT_SIZE] = "";

	if (!row || out->kind > MP_ROW_CGROUP || out->sort != MP_RESIDENT_DELTA ||
	    out->profile->meta.status.streams & MEMPROF_START_ALLOC)
		return false;
	if (out->kind == MP_ROW_CGROUP)
		mp_cgroup_shown(where, sizeof(where), out->profile, row->cgroup);
	snprintf(text, MP_HINT_SIZE,
		 "%s (%" PRIu32 ")%s%.120s grew most%s, by %s: memprofctl record %s-p %" PRIu32 " -d 10 and then memprofctl report show who allocates in it",
		 row->comm, row->pid, where[0] ? " of " : "", where,
		 row == most ? "" : " of what ran before",
		 mp_human_bytes(bytes, row->value[MP_RESIDENT_DELTA]),
		 mp_process_is_static((pid_t)row->pid) ? "" : MP_BY_SAMPLES, row->pid);
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
	uint64_t heap, live, freed;
	char bytes[MP_HUMAN_SIZE];

	if (!row || row->flags & MP_ROW_EXITED || !row->pid ||
	    !(profile->meta.status.streams & MEMPROF_START_ALLOC))
		return false;
	/* what is linked with its own allocator has no block that could be followed */
	if (!row->value[MP_ALLOC_OBJECTS] && mp_process_is_static((pid_t)row->pid))
		return false;
	heap = row->value[MP_HEAP_RESIDENT];
	live = row->value[MP_INUSE_SPACE];
	if (heap < MIN_GROWTH || live > heap / 2)
		return false;
	mp_human_bytes(bytes, heap - live);
	if (mp_runtimes_heap(row->comm)) {
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is in no block that was followed: it is in the runtime's own heap, whose objects %s shows, or older",
			 bytes, row->comm, mp_runtimes_heap(row->comm));
		return true;
	}
	freed = row->value[MP_PEAK_SPACE] > live ? row->value[MP_PEAK_SPACE] - live : 0;
	if (freed >= (heap - live) / 2 && out->view == MP_VIEW_FRAGMENTATION &&
	    profile->meta.alloc.rate <= 1)
		return false;
	if (freed >= (heap - live) / 2)
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is in no living block: most of it was freed, and the allocator keeps it; %s",
			 bytes, row->comm, profile->meta.alloc.rate <= 1 ?
			 "report --view fragmentation shows whose blocks keep it" :
			 "memprofctl inject --rate 1 -p PID soon after a start, later snapshot -p PID and report --view fragmentation show whose blocks keep it");
	else if (mp_row_is_older(row, &profile->meta))
		snprintf(text, MP_HINT_SIZE,
			 "%s of the heap of %s is older than the session, or was freed and kept: memprofctl record -- COMMAND follows a program from its start",
			 bytes, row->comm);
	else
		return false;
	return true;
}

static bool has_one_process(const struct mp_profile *profile)
{
	const struct mp_row *row;
	size_t nr = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++)
		nr += row->kind == MP_ROW_PROCESS && !mp_row_is_sum(row);
	return nr == 1;
}

/*
 * The callsite of a process with the most in living blocks, of which a part was freed. A
 * callsite without a process is one of all.
 */
static const struct mp_row *largest_site(const struct mp_profile *profile, uint32_t pid,
					 double least_freed, double most_freed)
{
	const bool is_alone = has_one_process(profile);
	const struct mp_row *row, *largest = NULL;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		const double freed = (double)row->value[MP_FREE_OBJECTS],
			     all = (double)row->value[MP_ALLOC_OBJECTS];

		if (row->kind == MP_ROW_SITE && !mp_row_is_sum(row) && all > 0 &&
		    (row->pid ? row->pid == pid : is_alone) &&
		    freed >= least_freed * all && freed <= most_freed * all &&
		    (!largest || row->value[MP_INUSE_SPACE] > largest->value[MP_INUSE_SPACE]))
			largest = row;
	}
	return largest;
}

/* Of a process that runs: if the callsite that holds the most frees it again, and another not. */
static bool write_keeper(const struct mp_out *out, char *text)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row = out->kind == MP_ROW_PROCESS ?
				   mp_out_next(out, profile->rows) : NULL, *keeper, *renewer;
	char keeps[MP_LOCATION_TEXT_SIZE], renews[MP_LOCATION_TEXT_SIZE];
	char bytes[MP_HUMAN_SIZE];

	if (!row || row->flags & MP_ROW_EXITED || !row->pid || out->view != MP_VIEW_ALLOC)
		return false;
	keeper = largest_site(profile, row->pid, 0, MOST_KEPT);
	renewer = largest_site(profile, row->pid, LEAST_RENEWED, 1);
	if (!keeper || !renewer || keeper->value[MP_INUSE_SPACE] < MIN_LEAK ||
	    keeper->value[MP_INUSE_SPACE] > renewer->value[MP_INUSE_SPACE] ||
	    keeper->value[MP_INUSE_SPACE] < row->value[MP_INUSE_SPACE] / 10)
		return false;
	mp_location_row(profile, keeper, keeps);
	mp_location_row(profile, renewer, renews);
	snprintf(text, MP_HINT_SIZE,
		 "%.150s frees %s of what it allocates (LIVE %s), %.150s frees %.0f %%: report --view age tells a leak from a cache",
		 keeps, keeper->value[MP_FREE_OBJECTS] ? "almost nothing" : "nothing",
		 mp_human_bytes(bytes, keeper->value[MP_INUSE_SPACE]), renews,
		 100. * (double)renewer->value[MP_FREE_OBJECTS] /
		 (double)renewer->value[MP_ALLOC_OBJECTS]);
	return true;
}

/* Of a process that ran before: if most of what lives took the place of older blocks. */
static bool write_renewed(const struct mp_out *out, char *text)
{
	const struct mp_profile *profile = out->profile;
	const struct mp_row *row = out->kind == MP_ROW_PROCESS ?
				   mp_out_next(out, profile->rows) : NULL;
	char live[MP_HUMAN_SIZE], delta[MP_HUMAN_SIZE];
	int64_t grown;

	if (!row || row->flags & MP_ROW_EXITED || !row->pid || out->view != MP_VIEW_ALLOC ||
	    profile->meta.source == MP_SOURCE_PRELOAD ||
	    !mp_row_is_older(row, &profile->meta))
		return false;
	/* a snapshot of the library knows no size of before */
	grown = (int64_t)row->value[MP_RESIDENT_DELTA];
	if (row->value[MP_INUSE_SPACE] < MIN_GROWTH ||
	    (grown > 0 && row->value[MP_INUSE_SPACE] < 2 * (uint64_t)grown))
		return false;
	mp_human_bytes(live, row->value[MP_INUSE_SPACE]);
	mp_human_metric(delta, MP_RESIDENT_DELTA, (uint64_t)grown, false);
	snprintf(text, MP_HINT_SIZE,
		 "LIVE of %s is %s, but DELTA %s: many of these blocks took the place of older ones. --view age shows what a cache renews meanwhile, --sort growth in which calls the kernel was asked for more",
		 row->comm, live, delta);
	return true;
}

/* The value of a series at a time; 0 before it begins. */
static int64_t value_at(const struct mp_series *series, uint64_t time_ns)
{
	uint64_t step;

	if (!series->nr || time_ns < series->start_ns)
		return 0;
	step = (time_ns - series->start_ns) / series->step_ns;
	return step < series->nr ? series->value[step] : series->last;
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
		in_blocks = (double)value_at(live, resident->start_ns + i * resident->step_ns);
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

bool mp_process_hint_write(const struct mp_out *out, char *text)
{
	return write_keeper(out, text) || write_renewed(out, text) || write_beyond(out, text) ||
	       write_kept(out, text);
}
