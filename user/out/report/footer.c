// SPDX-License-Identifier: GPL-2.0-only
/*
 * footer: writes sampling periods, time span and losses
 *
 * The short footer is one line, and lines about what is wrong. The caller checks the
 * stream for errors.
 */
#include "footer.h"
#include "counter.h"
#include "health.h"
#include "human.h"

#include <inttypes.h>
#include <string.h>

/* Below this share of incomplete stacks, confidence is high. */
/* memprof's own part of RSS is shown from a tenth on. */
#define SAMPLER_PART	10
/* Shared pages are shown from this size and from a fifth of RSS on: all share the C library. */
#define LEAST_SHARED	(8 << 20)
#define SHARED_PART	5
#define LOW_RATE	0.05

static const char *period_text(char *buf, size_t size, uint32_t period)
{
	const char *suffix = "th";

	if (period % 10 == 1 && period % 100 != 11)
		suffix = "st";
	else if (period % 10 == 2 && period % 100 != 12)
		suffix = "nd";
	else if (period % 10 == 3 && period % 100 != 13)
		suffix = "rd";
	if (period > 1)
		snprintf(buf, size, "every %" PRIu32 "%s", period, suffix);
	else
		snprintf(buf, size, "every");
	return buf;
}

/* Writes the headings of those metrics that are estimates. */
static void print_estimates(FILE *file, const struct memprof_status *status)
{
	static const enum mp_metric shown[] = {
		MP_MINOR_FAULTS, MP_MAJOR_FAULTS, MP_TOUCHED,
	};
	const char *names[3];
	size_t i, nr = 0;

	for (i = 0; i < 3; i++)
		if (mp_metric_is_estimate(shown[i], status->minor_period,
					  status->major_period, 0))
			names[nr++] = mp_metrics[shown[i]].heading;
	for (i = 0; i < nr; i++)
		fprintf(file, "%s%s", !i ? "; " : i + 1 < nr ? ", " : " and ",
			names[i]);
	if (nr)
		fputs(" are estimates", file);
}

static void print_brief(FILE *file, const struct mp_alloc_meta *alloc)
{
	if (alloc->nr_brief)
		fprintf(file, "; %" PRIu32 " program%s ended before %s could be sampled",
			alloc->nr_brief, alloc->nr_brief == 1 ? "" : "s",
			alloc->nr_brief == 1 ? "it" : "they");
}

static void print_alloc(FILE *file, const struct mp_alloc_meta *alloc)
{
	char rate[MP_HUMAN_SIZE], by[64] = "", pace[64] = "";

	if (alloc->pace)
		snprintf(pace, sizeof(pace), ", at most %" PRIu32 " a second and thread",
			 alloc->pace);
	if (alloc->nr_samplers || alloc->nr_unsampled)
		snprintf(by, sizeof(by), ", by a library in %" PRIu32 " process%s",
			 alloc->nr_samplers, alloc->nr_samplers == 1 ? "" : "es");
	if (alloc->rate == 1)
		fputs("allocs: every call", file);
	else
		fprintf(file, "allocs: 1 sample per %s bytes%s%s; LIVE, PEAK, ALLOCS and ALLOC'D are estimates",
			mp_human_bytes(rate, alloc->rate), pace, by);
	if (alloc->nr_unsampled)
		fprintf(file, "; %" PRIu32 " process%s could not have it",
			alloc->nr_unsampled, alloc->nr_unsampled == 1 ? "" : "es");
	print_brief(file, alloc);
	/* a recording does not contain the number of probes */
	if (alloc->nr_probes)
		fprintf(file, "; %" PRIu32 " probes in %" PRIu32 " %s",
			alloc->nr_probes, alloc->nr_binaries,
			alloc->nr_binaries == 1 ? "binary" : "binaries");
	fputc('\n', file);
	if (alloc->rescan_errno)
		fprintf(file, "        the kernel does not report new binaries (perf_event_open: %s): they are searched for once a second\n",
			strerror((int)alloc->rescan_errno));
}

void mp_footer_streams(FILE *file, const struct mp_meta *meta)
{
	static const char * const sources[MP_NR_SOURCES] = {
		[MP_SOURCE_PERF] = "source: perf's events: each call a trap, posix_memalign not followed",
		[MP_SOURCE_PRELOAD] = "source: a library in the processes: no traps; no faults, no growth",
		[MP_SOURCE_SMAPS] = "source: sizes in /proc, and nothing else",
	};
	const struct memprof_status *status = &meta->status;
	char minor[32], major[32];

	if (meta->source == MP_SOURCE_PERF &&
	    (meta->alloc.nr_samplers || meta->alloc.nr_unsampled))
		fputs("source: perf's events\n", file);
	else if (sources[meta->source])
		fprintf(file, "%s\n", sources[meta->source]);
	if (meta->source == MP_SOURCE_SMAPS)
		return;
	if (status->streams & MEMPROF_START_FAULTS) {
		fprintf(file, "faults: %s minor fault, %s major fault",
			period_text(minor, sizeof(minor), status->minor_period),
			period_text(major, sizeof(major), status->major_period));
		print_estimates(file, status);
		fputc('\n', file);
	} else {
		fputs("faults: off\n", file);
	}
	if (status->streams & MEMPROF_START_GROWTH)
		fputs("growth: every call that maps, unmaps or protects memory\n", file);
	else
		fputs("growth: off\n", file);
	if (status->streams & MEMPROF_START_ALLOC)
		print_alloc(file, &meta->alloc);
	else
		fputs("allocs: off\n", file);
}

void mp_footer_shared(FILE *file, const struct mp_profile *profile, enum mp_row_kind kind)
{
	char part[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE];
	uint64_t resident = 0, share = 0;
	const struct mp_row *row;

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != kind || row->flags & (MP_ROW_EXITED | MP_ROW_ROLLED) ||
		    !row->value[MP_PROPORTIONAL])
			continue;
		resident += row->value[MP_RESIDENT];
		share += row->value[MP_PROPORTIONAL];
	}
	if (resident > share + LEAST_SHARED && share < resident - resident / SHARED_PART)
		fprintf(file, "shared: the RSS of each process includes the pages that it shares, as after a fork: %s in all, and %s in proportion (PSS, --sort pss)\n",
			mp_human_bytes(all, resident), mp_human_bytes(part, share));
}

void mp_footer_parts(FILE *file, const struct mp_profile *profile,
		     enum mp_row_kind kind)
{
	const struct mp_row *row;
	size_t nr_bound = 0, nr_split = 0, nr_unmapped = 0;

	for (row = profile->rows; row < profile->rows + profile->nr_rows;
	     row++) {
		if (row->kind != kind || mp_row_is_sum(row))
			continue;
		nr_bound += !!(row->flags & MP_ROW_BOUND);
		nr_split += !!(row->flags & MP_ROW_SPLIT);
		nr_unmapped += row->value[MP_RESIDENT] &&
			       !(row->flags & MP_ROW_MAPPED);
	}
	if (nr_split)
		fputs("rss:    RSS = LIVE-RSS + HELD + STACKS + FILES + SHARED + OTHER; blocks older than the session are in HELD\n",
		      file);
	else
		fputs("rss:    RSS = HEAP + STACKS + FILES + SHARED + OTHER; without --alloc, HEAP is not divided into LIVE-RSS and HELD\n",
		      file);
	if (nr_bound)
		fprintf(file, "        of %zu of %zu rows LIVE-RSS is an upper bound, HELD a lower one: LIVE, cut to what is resident\n",
			nr_bound, nr_split);
	if (nr_unmapped)
		fprintf(file, "        of %zu rows no mappings were seen: all is OTHER\n",
			nr_unmapped);
	mp_footer_shared(file, profile, kind);
}

/* Writes which part of RSS the processes would not have without memprof. */
static void print_sampler(FILE *file, const struct mp_profile *profile)
{
	uint64_t bytes = 0, resident = 0;
	const struct mp_row *row;
	char text[MP_HUMAN_SIZE];

	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) ||
		    row->flags & MP_ROW_EXITED)
			continue;
		bytes += row->value[MP_SAMPLER_RESIDENT];
		resident += row->value[MP_RESIDENT];
	}
	if (bytes > resident / SAMPLER_PART)
		fprintf(file, "sampler: memprof itself has %s of this RSS, in FILES and SHARED: its library and its table of samples\n",
			mp_human_bytes(text, bytes));
}

/*
 * Frees of unknown blocks: all, or those of processes that began in the session, if these
 * are many. A process that is older has older blocks, and frees them.
 */
static uint64_t unknown_frees(const struct mp_profile *profile, bool all)
{
	uint64_t frees = 0, allocs = 0;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (row->kind != MP_ROW_PROCESS ||
		    (!all && mp_row_is_older(row, &profile->meta)))
			continue;
		frees += row->value[MP_UNKNOWN_FREES];
		allocs += row->value[MP_ALLOC_OBJECTS];
	}
	return all || frees > allocs / 10 ? frees : 0;
}

/* Minimum of bytes and of samples for a warning about huge pages. */
#define LEAST_SPACE	(16UL << 20)
#define LEAST_SAMPLES	32

/*
 * Whether a process has much more anonymous memory than one page per fault: it
 * got huge pages, or memory without faults. Older memory had its faults before
 * the session. So the process must have started in the session, or have mapped
 * most of its memory in the session.
 */
static bool has_few_faults(const struct mp_row *row, const struct mp_meta *meta)
{
	uint64_t anon = row->value[MP_RESIDENT_ANON];
	uint64_t grown = row->value[MP_BRK_UP] + row->value[MP_MMAP_UP];
	uint64_t new = anon < grown ? anon : grown;
	uint64_t sample = (uint64_t)meta->page_size * meta->status.minor_period;

	if (row->kind != MP_ROW_PROCESS || mp_row_is_sum(row) || !sample ||
	    new < LEAST_SPACE || new / sample < LEAST_SAMPLES)
		return false;
	return (row->start_ns >= meta->status.start_ns || grown / 3 >= anon / 4) &&
	       new / 2 > row->value[MP_TOUCHED];
}

static void warn_of_huge_pages(FILE *file, const struct mp_profile *profile)
{
	const uint32_t both = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH;
	size_t i, nr = 0;

	if ((profile->meta.status.streams & both) != both)
		return;
	for (i = 0; i < profile->nr_rows; i++)
		nr += has_few_faults(&profile->rows[i], &profile->meta);
	if (nr)
		fprintf(file, "warning: TOUCHED is too low for %zu process%s: less than half of the memory that came. Each fault counts as one page, but with transparent huge pages (/sys/kernel/mm/transparent_hugepage/enabled) one fault gives 2 MiB, and MAP_POPULATE and mlock need none; ANON has all of it\n",
			nr, nr == 1 ? "" : "es");
}

/*
 * Bytes that lost events may have been about. Each can be an allocation that is missing in LIVE,
 * or a free that is missing, of mean size. A sample stands for more, but most events are others,
 * such as faults: then a lost one stands for what one that was kept does.
 */
static double lost_bytes(const struct mp_profile *profile, const struct mp_total *total)
{
	const double bytes = (double)total->value[MP_ALLOC_SPACE];
	const double lost = (double)mp_profile_counter(profile, "event_lost");

	return lost * bytes / (profile->meta.alloc.rate > 1 ?
			       (double)mp_profile_counter(profile, "event_kept") :
			       (double)total->value[MP_ALLOC_OBJECTS]);
}

/*
 * Writes the share of the events that were lost, and what it means. The module's sums of
 * processes lose nothing.
 */
static void print_lost(FILE *file, const struct mp_profile *profile,
		       const struct mp_total *total)
{
	const uint64_t lost = mp_profile_counter(profile, "event_lost");
	const uint64_t kept = mp_profile_counter(profile, "event_kept");
	const double error = lost_bytes(profile, total);
	char size[MP_HUMAN_SIZE];

	if (!lost)
		return;
	fprintf(file, "warning: %.1f %% of the events were lost (%" PRIu64 " of %" PRIu64 "): %s",
		100 * mp_profile_lost(profile), lost, lost + kept,
		profile->meta.source == MP_SOURCE_KMOD ?
		"callsites are too low; sums of processes are right" :
		"calls and faults among them are in no number");
	if (total->value[MP_ALLOC_OBJECTS] && profile->meta.source != MP_SOURCE_KMOD)
		fprintf(file, "; LIVE and AT-PEAK may be wrong by up to %s",
			/* a file may contain any number */
			mp_human_bytes(size, error < 0x1p64 ? (uint64_t)error : UINT64_MAX));
	fprintf(file, " (%sfewer processes, or --faults with a larger N, lose less)\n",
		profile->meta.alloc.nr_samplers ? "" : "--inject, ");
}

void mp_footer_warnings(FILE *file, const struct mp_profile *profile, bool all)
{
	const uint64_t unknown = unknown_frees(profile, all);
	struct mp_total total;
	size_t i;

	mp_profile_total(profile, MP_ROW_PROCESS, &total);
	if (unknown)
		fprintf(file, "warning: %" PRIu64 " blocks were freed that are older than the session (or were freed twice): they are in no other number; start the session before the program to see them\n",
			unknown);
	if (total.value[MP_FAILED_ALLOCS])
		fprintf(file, "warning: %" PRIu64 " allocation%s failed: --sort failed_allocs shows whose\n",
			total.value[MP_FAILED_ALLOCS],
			total.value[MP_FAILED_ALLOCS] == 1 ? "" : "s");
	if (mp_profile_counter(profile, "live_table_full"))
		fputs("warning: the table of live blocks was full: ALLOCS and ALLOC'D are right, LIVE and PEAK are too low; stop, and start with a larger --alloc BYTES or --max-live N\n",
		      file);
	if (mp_profile_counter(profile, "site_table_full"))
		fputs("warning: the table of callsites was full: what found no room is in the row [dropped]\n",
		      file);
	print_lost(file, profile, &total);
	warn_of_huge_pages(file, profile);
	for (i = 0; i < profile->nr_warnings; i++)
		fprintf(file, "warning: %s\n", profile->warnings[i]);
}

/* Returns the time between two untrusted times; 0 if the start is after the end. */
static uint64_t elapsed_ns(uint64_t end_ns, uint64_t start_ns)
{
	return end_ns > start_ns ? end_ns - start_ns : 0;
}

void mp_footer_span(FILE *file, const struct memprof_status *status)
{
	const uint64_t end = mp_status_end_ns(status);
	char buf[MP_HUMAN_SIZE];

	fprintf(file, "span:   %s", mp_human_span(buf, elapsed_ns(end,
							status->reset_ns)));
	if (status->reset_ns > status->start_ns)
		fprintf(file, " since the last reset, %s since the start",
			mp_human_span(buf, elapsed_ns(end, status->start_ns)));
	/* a recording has no session number */
	if (!status->session) {
		fputc('\n', file);
		return;
	}
	fprintf(file, "; session %" PRIu32 " %s\n", status->session,
		status->state == MEMPROF_STATE_STOPPED ? "is stopped" : "is running");
}

static void print_class(FILE *file, const struct mp_profile *profile,
			enum mp_counter_class class)
{
	const struct mp_counter_info *info;
	const struct mp_counter *counter;
	bool title = false;

	for (counter = profile->counters;
	     counter < profile->counters + profile->nr_counters; counter++) {
		info = mp_counter_info(counter->name);
		if (!counter->value || info->class != class)
			continue;
		if (!title)
			fprintf(file, "%s:\n", mp_counter_class_title(class));
		title = true;
		fprintf(file, "  %12" PRIu64 "  %s%s%s\n", counter->value,
			counter->name, info->meaning ? ": " : "",
			info->meaning ? info->meaning : "");
	}
}

static bool has_losses(const struct mp_profile *profile)
{
	const struct mp_counter *counter;
	bool lost = false;

	for (counter = profile->counters;
	     counter < profile->counters + profile->nr_counters; counter++)
		lost |= counter->value &&
			mp_counter_info(counter->name)->class == MP_COUNTER_LOSS;
	return lost;
}

void mp_footer_counters(FILE *file, const struct mp_profile *profile)
{
	int class;

	if (!has_losses(profile))
		fputs("lost:   nothing\n", file);
	for (class = 0; class < MP_NR_COUNTER_CLASSES; class++)
		print_class(file, profile, class);
}

void mp_footer_failure(FILE *file, const struct memprof_status *status)
{
	if (status->flags & MEMPROF_STATUS_FAILED)
		fputs("FAILED: the session found an internal inconsistency and "
		      "sees nothing since then (the kernel log has a line)\n",
		      file);
}

void mp_footer_stacks(FILE *file, const struct mp_profile *profile, bool all)
{
	struct mp_health health;

	if (!mp_health_of(profile, &health) || !health.nr ||
	    (!all && health.unknown < LOW_RATE))
		return;
	fprintf(file, "stacks: %.1f frames on average; ", health.mean_depth);
	if (health.nr_deep)
		fprintf(file, "%.1f %% are cut, because they are deeper than what was copied; ",
			100.0 * (double)health.nr_deep / (double)health.nr);
	fprintf(file, "%.1f %% do not reach a thread's first function: %s confidence%s\n",
		100 * health.unknown, health.confidence,
		health.unknown < LOW_RATE ? "" :
		" (--call-graph dwarf unwinds code without frame pointers, dwarf,16384 larger pieces)");
}

void mp_footer_all(FILE *file, const struct mp_profile *profile)
{
	const struct memprof_status *status = &profile->meta.status;

	mp_footer_streams(file, &profile->meta);
	print_sampler(file, profile);
	mp_footer_stacks(file, profile, true);
	mp_footer_span(file, status);
	mp_footer_warnings(file, profile, true);
	mp_footer_counters(file, profile);
	mp_footer_failure(file, status);
}

/*
 * Writes how good an estimate is, for the total and for one row. A row has an error of
 * one half if it rests on 16 samples. Where the pace has made samples rarer, only time helps.
 */
static void print_error(FILE *file, const struct mp_profile *profile,
			const struct mp_profile *sites, enum mp_metric leads)
{
	char row[MP_HUMAN_SIZE];
	struct mp_total total;
	uint64_t value, sampled, rate;

	mp_profile_total(profile, MP_ROW_PROCESS, &total);
	value = total.value[leads];
	rate = mp_profile_distance(sites ?: profile, leads, total.value, &sampled);
	/* the library tells the highest moment, which is too high by about as much as it may err */
	if (leads == MP_AT_PEAK && profile->meta.source == MP_SOURCE_PRELOAD)
		rate *= 4;
	/* of what was lost there is a warning */
	if (mp_profile_counter(profile, "event_lost") &&
	    lost_bytes(profile, &total) > (double)mp_metric_error(sampled, rate))
		return;
	if (sampled > 16 * rate || (sampled && sampled < value / 2))
		fprintf(file, " (error of %s: %.0f %%, of a row of %s: 50 %%)",
			mp_metrics[leads].heading,
			100.0 * (double)mp_metric_error(sampled, rate) / (double)value,
			mp_human_bytes(row, 16 * rate));
	else if (sampled)
		fprintf(file, " (%s rests on few samples: a %s says more)",
			mp_metrics[leads].heading, rate >= 2 * profile->meta.alloc.rate ?
			"longer recording" : "smaller --alloc BYTES");
}

/* Writes how far apart samples are, and their pace, if it made them much fewer. */
static void print_distance(FILE *file, const struct mp_profile *profile)
{
	const struct mp_alloc_meta *alloc = &profile->meta.alloc;
	char text[MP_HUMAN_SIZE];
	struct mp_total total;
	uint64_t distance;

	mp_profile_total(profile, MP_ROW_PROCESS, &total);
	distance = alloc->pace ? mp_alloc_distance(alloc, total.value) : 0;
	if (distance / 2 > alloc->rate)
		fprintf(file, " 1 allocation per %s bytes, at most %" PRIu32 " a second and thread",
			mp_human_bytes(text, distance), alloc->pace);
	else
		fprintf(file, " 1 allocation per %s bytes", mp_human_bytes(text, alloc->rate));
}

/* Writes which numbers are estimates, because their events are sampled. */
static void print_sampled(FILE *file, const struct mp_profile *profile,
			  const struct mp_profile *sites, enum mp_metric leads)
{
	const struct mp_meta *meta = &profile->meta;
	const struct memprof_status *status = &meta->status;
	const struct mp_alloc_meta *alloc = &meta->alloc;
	const bool faults = status->streams & MEMPROF_START_FAULTS &&
			    status->minor_period > 1;
	const bool allocs = status->streams & MEMPROF_START_ALLOC && alloc->rate != 1;

	if (faults || allocs)
		fputs("; estimates from", file);
	if (faults)
		fprintf(file, " 1 of %" PRIu32 " minor faults%s", status->minor_period,
			allocs ? " and" : "");
	if (allocs)
		print_distance(file, profile);
	if (allocs && alloc->rate)
		print_error(file, profile, sites, leads);
	if (alloc->nr_unsampled)
		fprintf(file, "; %" PRIu32 " process%s could not be sampled (memprofctl list --samplers)",
			alloc->nr_unsampled, alloc->nr_unsampled == 1 ? "" : "es");
	print_brief(file, alloc);
}

/* Writes how old the numbers are, if events come faster than they are read. */
static void print_behind(FILE *file, const struct mp_profile *profile)
{
	const uint64_t ms = mp_profile_counter(profile, "behind_ms");

	if (ms)
		fprintf(file, "behind: these numbers are %.1f s old, because events come faster than they are read\n",
			(double)ms / 1000);
}

void mp_footer_brief(FILE *file, const struct mp_profile *profile,
		     const struct mp_profile *sites, size_t nr_exited, enum mp_metric leads)
{
	const struct memprof_status *status = &profile->meta.status;
	char span[MP_HUMAN_SIZE];

	fprintf(file, "%s", mp_human_span(span, mp_status_seen_ns(status)));
	/* a recording has no session number */
	if (status->session)
		fprintf(file, " of session %" PRIu32, status->session);
	if (profile->meta.source == MP_SOURCE_SMAPS)
		fputs("; sizes in /proc, and nothing else", file);
	print_sampled(file, profile, sites, leads);
	if (nr_exited)
		fprintf(file, "; %zu exited: last values in brackets, not in the total",
			nr_exited);
	fprintf(file, "%s (-v tells more)\n",
		has_losses(profile) ? "" : "; nothing lost");
	print_behind(file, profile);
	print_sampler(file, profile);
	mp_footer_stacks(file, profile, false);
	mp_footer_warnings(file, profile, false);
	print_class(file, profile, MP_COUNTER_LOSS);
	print_class(file, profile, MP_COUNTER_MISTAKE);
	mp_footer_failure(file, status);
}
