// SPDX-License-Identifier: GPL-2.0-only
/*
 * report: shows processes, cgroups or callsites, and their memory
 *
 * The collector sends all rows; they are merged, sorted and cut here. The
 * session continues. Finding symbols can take seconds; progress is shown.
 */
#include "choice.h"
#include "cold-watch.h"
#include "command.h"
#include "headline.h"
#include "hint.h"
#include "history-range.h"
#include "human.h"
#include "judged.h"
#include "leading-metric.h"
#include "look.h"
#include "footer.h"
#include "grouping.h"
#include "message.h"
#include "nearest.h"
#include "writer.h"
#include "pager.h"
#include "process-hint.h"
#include "process-titles.h"
#include "regions.h"
#include "server-hint.h"
#include "timeline-table.h"
#include "split-wrapper.h"
#include "top-sites.h"
#include "tree.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_LIMIT	20
/* Above callsites: how many ended processes at least, and what part of the highest peak. */
#define MIN_ENDED	3
#define MINOR_PART	50
#define DEFAULT_MIN	0.5

struct options {
	struct mp_out out;
	bool grouped;			/* --by was given */
	bool limited;
	bool sorted;
	bool viewed;
	bool per_process;
	bool stacks;
	bool bounded;			/* --min was given */
	bool json;
	bool timeline;
	bool since_last;
	unsigned int trees;		/* bit mask: 1 << enum mp_tree_shape for each option */
	uint64_t cold_ms;		/* 0: not asked for */
	const char *input;
	uint64_t at_ms;
	bool live;
	struct mp_history_range range;
	struct mp_choice choice;
	struct mp_split split;
};

static int add_tree(void *to, const struct mp_argument *argument)
{
	*(unsigned int *)to |= 1U << argument->option->constant;
	return 0;
}

/* A machine has the columns of a cgroup. */
static int set_kind(void *to, const struct mp_argument *argument)
{
	static const struct {
		const char *name;
		enum mp_row_kind kind;
	} kinds[] = {
		{ "process", MP_ROW_PROCESS }, { "cgroup", MP_ROW_CGROUP },
		{ "callsite", MP_ROW_SITE }, { "host", MP_ROW_CGROUP },
	};
	struct mp_nearest nearest = { .word = argument->value };
	struct mp_out *out = to;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		mp_nearest_try(&nearest, kinds[i].name);
		if (!strcmp(argument->value, kinds[i].name)) {
			out->kind = kinds[i].kind;
			out->by_host = !strcmp(argument->value, "host");
			return 0;
		}
	}
	return mp_misuse("report", "--by takes process, cgroup, callsite or host, not '%s'%s%s%s",
			 argument->value, nearest.name ? ": " : "", nearest.name ?: "",
			 nearest.name ? "?" : "");
}

static int set_min(void *to, const struct mp_argument *argument)
{
	double *percent = to;
	char *end;

	*percent = strtod(argument->value, &end);
	return end != argument->value && !*end && *percent >= 0 && *percent <= 100 ?
	       0 : mp_misuse("report", "--min takes a percentage, not '%s'",
			     argument->value);
}

static const struct mp_option options[] = {
	{ 0, "by", "process|cgroup|callsite|host", "process cgroup callsite host",
	  "what a row stands for; default process, or callsite if another option needs it",
	  MP_SET(struct options, out, set_kind), MP_GIVEN(struct options, grouped) },
	{ 0, "view", "alloc|growth|rss|age|resident|fragmentation",
	  "growth alloc rss age resident fragmentation",
	  "columns; default alloc if allocations are traced, else growth",
	  MP_WORD(struct options, out.view), MP_GIVEN(struct options, viewed) },
	{ 0, "cold", "SECONDS", "10 30 60",
	  "with --view resident, watch the processes and show what is not referenced for so long",
	  MP_DURATION(struct options, cold_ms), MP_RARE },
	{ 0, "top", "N", "3 5 10",
	  "with cgroups, the N callsites with the highest values in each",
	  MP_NUMBER(struct options, out.top, 1, MP_MAX_TOP), MP_RARE },
	{ 0, "recursive", NULL, NULL,
	  "with cgroups, each one includes its descendants",
	  MP_FLAG(struct options, choice.arrange.recursive), MP_RARE },
	{ 0, "paths", NULL, NULL,
	  "whole paths of cgroups instead of names of units and containers",
	  MP_FLAG(struct options, out.paths), MP_RARE },
	{ 0, "per-process", NULL, NULL,
	  "callsites of different processes are different rows",
	  MP_FLAG(struct options, per_process), MP_RARE },
	{ 0, "stack", NULL, NULL, "with callsites, a row for each stack",
	  MP_FLAG(struct options, stacks) },
	{ 0, "callers", NULL, NULL, "with callsites, a tree of their callers",
	  MP_SET(struct options, trees, add_tree), .constant = MP_TREE_CALLERS },
	{ 0, "callees", NULL, NULL,
	  "with callsites, a tree from the outermost function inwards",
	  MP_SET(struct options, trees, add_tree), .constant = MP_TREE_CALLEES, MP_RARE },
	{ 0, "children", NULL, NULL,
	  "with callsites, functions including their callees",
	  MP_SET(struct options, trees, add_tree), .constant = MP_TREE_FLAT, MP_RARE },
	{ 0, "timeline", NULL, NULL, "RSS and LIVE of all targets over time, as a table",
	  MP_FLAG(struct options, timeline) },
	{ 'z', "since-last", NULL, NULL,
	  "of a running session, what happened since the last report -z",
	  MP_FLAG(struct options, since_last), MP_RARE },
	{ 0, "min", "PERCENT", "0.1 1 5",
	  "with a tree, leave out functions below this share; default 0.5",
	  MP_SET(struct options, out.min_percent, set_min),
	  MP_GIVEN(struct options, bounded), MP_RARE },
	MP_CHOICE_FILTER(struct options),
	MP_CHOICE_GROUP_BY(struct options),
	MP_CHOICE_SYMBOLS(struct options),
	{ 'v', "verbose", NULL, NULL,
	  "how the numbers were obtained; with callsites, sizes and lifetimes of blocks",
	  MP_FLAG(struct options, out.verbose) },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default DELTA or RSS; of callsites LIVE, with allocations",
	  MP_SET(struct options, out.sort, mp_choice_metric),
	  MP_GIVEN(struct options, sorted) },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all",
	  MP_NUMBER(struct options, out.limit, 0, INT_MAX),
	  MP_GIVEN(struct options, limited) },
	{ 'i', "input", "FILE", NULL,
	  "a recording of memprofctl or perf, instead of the session",
	  MP_TEXT(struct options, input) },
	{ 0, "at", "TIME", "10s 1m", "of a recording, what there was at this time after its start",
	  MP_DURATION(struct options, at_ms), MP_RARE },
	{ 0, "live", NULL, NULL, "the session, also if memprof.data here is newer",
	  MP_FLAG(struct options, live), MP_RARE },
	MP_HISTORY_OPTIONS(struct options, range),
	{ 0, "bytes", NULL, NULL, "exact numbers without units",
	  MP_FLAG(struct options, out.exact), MP_RARE },
	{ 'j', "json", NULL, NULL, "one JSON object a line",
	  MP_FLAG(struct options, json) },
	MP_CHOICE_QUIET(struct options),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static bool shows_locations(const struct mp_out *out)
{
	return out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK;
}

static bool uses_callsite_options(const struct options *chosen)
{
	return chosen->choice.arrange.hides || chosen->choice.arrange.keys ||
	       chosen->choice.symbols.debuginfod || chosen->bounded ||
	       chosen->choice.arrange.python || chosen->choice.arrange.native;
}

/* The metric of pages that rows are sorted by. */
static enum mp_metric page_metric(const struct mp_out *out, bool sampled)
{
	return out->view == MP_VIEW_FRAGMENTATION && !sampled ? MP_PINNED :
	       shows_locations(out) ? MP_BLAME : MP_RESIDENT;
}

/*
 * Whether callsites are sorted by GROWTH, as their processes are by DELTA. Exited processes
 * have touched memory, but hold none: what is still mapped matters.
 */
static bool growth_sorts(const struct mp_out *out, const struct mp_profile *profile)
{
	return out->view == MP_VIEW_GROWTH && out->has_delta &&
	       mp_choice_has(profile, MP_GROWTH);
}

/* Sets the defaults of the options, which depend on the session's streams. */
static void set_defaults(struct options *chosen, const struct mp_profile *profile)
{
	bool alloc = profile->meta.status.streams & MEMPROF_START_ALLOC;
	struct mp_out *out = &chosen->out;

	/* allocations were followed, but there are none: a Go program, or another own heap */
	if (!chosen->viewed)
		out->view = alloc && (mp_choice_has(profile, MP_ALLOC_OBJECTS) ||
				      !mp_profile_has(profile, MP_TOUCHED)) ?
			    MP_VIEW_ALLOC : MP_VIEW_GROWTH;
	if ((out->view == MP_VIEW_RSS || mp_view_has_pages(out->view)) && !alloc)
		out->view = MP_VIEW_SIZES;
	out->has_delta = mp_profile_has(profile, MP_RESIDENT_DELTA);
	out->has_live_delta = mp_profile_has(profile, MP_INUSE_DELTA);
	out->no_pages = mp_view_has_pages(out->view) && !mp_profile_has_pages(profile);
	out->has_freed = mp_profile_has(profile, MP_FREED_RESIDENT);
	out->has_huge = mp_profile_has(profile, MP_BLOCK_HUGE);
	out->has_no_blocks = !mp_profile_has(profile, MP_ALLOC_OBJECTS);
	out->nodes = mp_out_nodes(profile);
	if (!chosen->sorted)
		out->sort = out->view == MP_VIEW_ALLOC || out->view == MP_VIEW_AGE ||
			    shows_locations(out) ? MP_INUSE_SPACE :
			    out->view == MP_VIEW_GROWTH && out->has_delta ?
			    MP_RESIDENT_DELTA : MP_RESIDENT;
	/* exited processes, and code without a known allocator, have no live bytes */
	out->ended = mp_choice_shows_peak(profile) && !mp_growth_leads(profile) &&
		     !mp_view_has_pages(out->view) &&
		     !(chosen->viewed && out->view == MP_VIEW_GROWTH);
	out->runs = mp_profile_runs(profile);
	out->sorted_first = true;
	/* of several processes, who grows is asked first */
	if (!chosen->sorted && out->kind == MP_ROW_PROCESS && out->view == MP_VIEW_ALLOC &&
	    out->has_delta && !out->ended && !out->has_live_delta)
		out->sort = MP_RESIDENT_DELTA;
	if (!chosen->sorted && mp_view_has_pages(out->view)) {
		out->sort = page_metric(out, profile->meta.alloc.rate > 1);
		return;
	}
	if (!chosen->sorted && shows_locations(out))
		out->sort = chosen->viewed && out->view == MP_VIEW_GROWTH &&
			    mp_choice_has(profile, MP_TOUCHED) ? MP_TOUCHED :
			    growth_sorts(out, profile) ? MP_GROWTH :
			    mp_leading_metric(profile, out->ended);
	/* what stays for long is a leak, or what the program began with; a cache is renewed */
	if (!chosen->sorted && out->view == MP_VIEW_AGE && mp_choice_has(profile, MP_OLD_SPACE))
		out->sort = MP_OLD_SPACE;
	else if (!chosen->sorted && out->view == MP_VIEW_AGE && out->ended && !out->runs)
		out->sort = MP_AT_EXIT;
	if (!chosen->sorted && out->sort == MP_INUSE_SPACE && chosen->since_last &&
	    out->has_live_delta)
		out->sort = MP_INUSE_DELTA;
}

/*
 * Whether a table of callsites follows the one of processes: who chose nothing wants
 * to know who allocated the memory, too.
 */
static bool shows_both(const struct options *chosen)
{
	return !chosen->grouped && (!chosen->viewed || mp_view_has_pages(chosen->out.view)) &&
	       chosen->out.kind == MP_ROW_PROCESS && chosen->out.ops == &mp_table_ops;
}

/* Whether only some callsites are shown: who leaks may be another one. */
static bool chooses_code(const struct options *chosen)
{
	return mp_filter_has(&chosen->choice.arrange.filter, MP_FILTER_SYMBOL) ||
	       mp_filter_has(&chosen->choice.arrange.filter, MP_FILTER_SIZE);
}

/*
 * Whether the sentence above the table needs callsites that the report does not show: of
 * other rows it is that of all callsites. A row of several processes does not tell whose it is.
 */
static bool needs_judged(const struct options *chosen, const struct mp_profile *profile)
{
	return chosen->out.ops == &mp_table_ops && !chosen->timeline && !chosen->out.by_host &&
	       !mp_view_has_pages(chosen->out.view) &&
	       profile->meta.status.streams & MEMPROF_START_ALLOC &&
	       (!shows_both(chosen) || !mp_profile_only_process(profile));
}

/* Where it matters who keeps blocks, callsites are shown without wrappers. */
static bool splits(const struct options *chosen)
{
	return (shows_both(chosen) || shows_locations(&chosen->out)) &&
	       (chosen->out.view == MP_VIEW_ALLOC || chosen->out.view == MP_VIEW_AGE);
}

/*
 * Arranges the callsites for the second table. Of a session that follows no allocations there
 * is none, because the symbols of all programs would have to be read.
 */
static int arrange_sites(struct options *chosen, const struct mp_sizes *sizes,
			 bool recording, struct mp_profile *profile,
			 struct mp_profile *sites)
{
	struct mp_out out = {
		.kind = MP_ROW_SITE,
		.sort = chosen->sorted && mp_choice_has(profile, chosen->out.sort) ?
			chosen->out.sort :
			mp_leading_metric(profile, chosen->out.ended),
	};

	if (!chosen->sorted && growth_sorts(&chosen->out, profile))
		out.sort = MP_GROWTH;

	if (!shows_both(chosen) ||
	    (chosen->out.view != MP_VIEW_ALLOC && !mp_view_has_pages(chosen->out.view) &&
	     !(recording && mp_choice_has(profile, out.sort))))
		return 0;
	if (!chosen->sorted && mp_view_has_pages(chosen->out.view))
		out.sort = chosen->out.view == MP_VIEW_FRAGMENTATION &&
			   profile->meta.alloc.rate <= 1 ? MP_PINNED : MP_BLAME;
	chosen->out.sites = sites;
	chosen->out.sites_sort = out.sort;
	chosen->out.sites_limit = chosen->limited ? chosen->out.limit : 0;
	chosen->out.sites_live = !chosen->sorted && out.sort != MP_INUSE_SPACE &&
				 chosen->out.view == MP_VIEW_ALLOC && !chosen->out.ended &&
				 mp_choice_has(profile, MP_INUSE_SPACE);
	return mp_split_arrange(&chosen->choice, &out, sizes, profile, sites,
				splits(chosen) ? &chosen->split : NULL);
}

/*
 * Of several processes, wrappers of the one that the sentence is about are left out, so that
 * its callsite has a row.
 */
static int split_several(struct options *chosen, const struct mp_sizes *sizes,
			 struct mp_profile *profile)
{
	const struct mp_out out = {
		.kind = MP_ROW_SITE, .sort = chosen->out.sort, .profile = profile,
	};
	const struct mp_row *process;

	if (!needs_judged(chosen, profile) || !splits(chosen) || chooses_code(chosen) ||
	    chosen->choice.arrange.hides || mp_profile_only_process(profile) ||
	    (chosen->out.kind == MP_ROW_PROCESS && chosen->out.sort != MP_RESIDENT_DELTA &&
	     chosen->out.sort != MP_INUSE_SPACE))
		return 0;
	process = mp_headline_process(&out);
	return process && process->pid ?
	       mp_judged_split(&chosen->choice, process, chosen->out.sort, sizes, profile,
			       &chosen->split) : 0;
}

static int arrange_judged(struct options *chosen, const struct mp_sizes *sizes,
			  struct mp_profile *profile, struct mp_profile *judged)
{
	chosen->out.judged = judged;
	return mp_judged_arrange(&chosen->choice, chosen->out.sort, sizes, profile, judged,
				 splits(chosen) ? &chosen->split : NULL);
}

/*
 * The small processes of a script that has ended would stand between its program and the
 * callsites. Those with a small part of the highest peak are left out.
 */
static void hide_minor(const struct options *chosen, struct mp_out *out,
		       const struct mp_profile *profile)
{
	const struct mp_row *row;
	uint64_t highest = 0;
	size_t nr = 0;

	if (!out->sites || !out->ended || chosen->limited || chosen->timeline)
		return;
	/* mp_out_next() reads it */
	out->profile = profile;
	for (row = mp_out_next(out, profile->rows); row; row = mp_out_next(out, row + 1)) {
		if (!nr)
			highest = row->value[MP_PEAK_SPACE];
		if (nr >= MIN_ENDED && row->value[MP_PEAK_SPACE] < highest / MINOR_PART)
			break;
		nr++;
	}
	if (nr < out->limit)
		out->limit = nr;
}

/* What a report does not know if no allocations were followed. */
static bool write_no_blocks(const struct mp_out *out, char *text)
{
	if (out->profile->meta.status.streams & MEMPROF_START_ALLOC)
		return false;
	if (out->view == MP_VIEW_AGE || out->view == MP_VIEW_ALLOC)
		return snprintf(text, MP_HINT_SIZE, "no allocations were followed: record " MP_BY_SAMPLES "-p PID, or record -- COMMAND, follows them");
	return (shows_locations(out) || out->top) && out->sort == MP_GROWTH &&
	       snprintf(text, MP_HINT_SIZE, "GROWTH names who made an allocator grow, not who keeps the memory: record " MP_BY_SAMPLES "-p PID follows that");
}

/* The hint is about the callsites that the report shows, or about the rows. */
static const char *find_hint(const struct options *chosen, char *text)
{
	const struct mp_out *out = &chosen->out;
	const struct mp_profile *sites = out->sites ?: shows_locations(out) ?
					 out->profile : NULL;
	const enum mp_metric metric = out->sites ? out->sites_sort : out->sort;
	bool heap_told;

	if (out->ops != &mp_table_ops)
		return NULL;
	if (chosen->choice.arrange.filter.nr && !mp_out_next(out, out->profile->rows))
		return "no row passes --filter";
	heap_told = out->headline && strstr(out->headline, MP_OWN_HEAP);
	return (sites && mp_hint_write(sites, metric, heap_told, text) &&
		mp_hint_name_process(mp_profile_only_process(out->profile), text)) ||
	       (chosen->split.nr && !out->tree && (out->sites || out->kind == MP_ROW_SITE) &&
		snprintf(text, MP_HINT_SIZE, "rows are the callers of %s, which --stack shows",
			 chosen->split.names)) ||
	       (!out->headline && mp_process_hint_write(out, text)) ||
	       mp_faults_hint_write(out->profile, text) || write_no_blocks(out, text) ||
	       ((out->sites || out->kind == MP_ROW_SITE) && mp_server_hint_write(out, text)) ?
	       text : NULL;
}

/* Values over time, and what else a report ends with. */
static void write_timeline(struct mp_out *out)
{
	mp_pager_start();
	if (!mp_timeline_table(out->file, out->profile, out->limit ?: SIZE_MAX))
		fputs("no value was followed over time\n", out->file);
	fputc('\n', out->file);
	mp_footer_brief(out->file, out->profile, 0,
			out->ended ? MP_AT_PEAK : MP_INUSE_SPACE);
}

/* Whether the sentence is about the process whose wrappers were left out. */
static bool is_split_told(const struct options *chosen)
{
	const struct mp_row *process;

	if (!chosen->split.pid)
		return chosen->split.nr;
	process = mp_headline_process(&chosen->out);
	return process && process->pid == chosen->split.pid;
}

static void write_report(struct options *chosen, struct mp_profile *profile)
{
	struct mp_out *out = &chosen->out;
	char hint[MP_HINT_SIZE], headline[MP_HINT_SIZE];

	out->profile = profile;
	if (is_split_told(chosen))
		out->headline = chosen->split.sentence;
	else if (out->ops == &mp_table_ops && !chooses_code(chosen) &&
		 mp_headline_write(out, headline))
		out->headline = headline;
	out->hint = chosen->choice.arrange.native ? NULL : find_hint(chosen, hint);
	if (chosen->timeline)
		return write_timeline(out);
	out->colour = mp_pager_has_colour();
	mp_pager_start();
	if (!out->tree)
		mp_out_report(out);
	else if (mp_tree_report(out))
		mp_fail(ENOMEM, NULL, "cannot add up the stacks");
}

/*
 * Reads the profile. A session is asked for callsites only if it has some; a recording
 * is read once.
 */
static int read_profile(const struct options *chosen, const char *path,
			const struct mp_cold *cold, struct mp_profile *profile, struct mp_sizes *sizes)
{
	struct mp_input input = {
		.path = path,
		.locations = shows_locations(&chosen->out) || chosen->out.top ||
			     chosen->since_last ||
			     ((path || cold) && shows_both(chosen)),
		.bins = chosen->out.histograms,
		.at_ns = chosen->at_ms * 1000000,
		.wants_pages = chosen->viewed && mp_view_has_pages(chosen->out.view),
		.wrappers = &chosen->choice.wrappers,
		.cold = cold,
		.quiet = chosen->choice.quiet,
	};
	struct mp_diag diag = { 0 };

	if (chosen->range.given) {
		input.locations |= shows_both(chosen);
		return mp_history_range_read("report", &chosen->range, &input, profile, sizes);
	}
	mp_input_read(&input, profile, sizes, &diag);
	if (!path && !cold && !diag.failed && shows_both(chosen) &&
	    profile->meta.status.streams & MEMPROF_START_ALLOC) {
		mp_profile_free(profile);
		input.locations = true;
		mp_input_read(&input, profile, sizes, &diag);
	}
	return mp_message_diag(&diag, "report");
}

/*
 * Reads callsites for the sentence alone. They are read apart: a recording of the module that
 * is read with them has sums of its events, of which some may be lost. Errors were told before.
 */
static void read_whole(const struct options *chosen, const char *path, struct mp_profile *whole)
{
	const struct mp_input input = {
		.path = path, .locations = true, .at_ns = chosen->at_ms * 1000000,
		.wrappers = &chosen->choice.wrappers, .quiet = true,
	};
	struct mp_sizes unused = { 0 };
	struct mp_diag diag = { 0 };
	struct stat st;

	if (path && (stat(path, &st) || !S_ISREG(st.st_mode)))
		return;
	if (chosen->range.given)
		mp_history_range_read("report", &chosen->range, &input, whole, &unused);
	else
		mp_input_read(&input, whole, &unused, &diag);
	mp_sizes_free(&unused);
}

/* Finds the callsites that the sentence is about. */
static int judge(struct options *chosen, const char *path, const struct mp_sizes *sizes,
		 struct mp_profile *profile, struct mp_profile *judged)
{
	const bool has_sites = shows_locations(&chosen->out) || chosen->out.top ||
			       chosen->since_last || shows_both(chosen);
	struct mp_profile whole = { 0 };
	int err;

	if (!needs_judged(chosen, profile) || chooses_code(chosen))
		return 0;
	if (has_sites)
		return arrange_judged(chosen, sizes, profile, judged);
	read_whole(chosen, path, &whole);
	err = whole.nr_rows ? arrange_judged(chosen, sizes, &whole, judged) : 0;
	mp_profile_free(&whole);
	return err;
}

static int compare_live(const void *x, const void *y)
{
	const struct mp_row *a = x, *b = y;

	return (a->value[MP_INUSE_SPACE] < b->value[MP_INUSE_SPACE]) -
	       (a->value[MP_INUSE_SPACE] > b->value[MP_INUSE_SPACE]);
}

/* Lists processes with living blocks, those with most first. Returns their number. */
static size_t list_living(struct mp_profile *profile, pid_t *pids, size_t max)
{
	const struct mp_row *row;
	size_t i, nr = 0;

	if (profile->nr_rows)
		qsort(profile->rows, profile->nr_rows, sizeof(*profile->rows), compare_live);
	for (i = 0; i < profile->nr_rows; i++) {
		row = &profile->rows[i];
		if (row->kind != MP_ROW_PROCESS || !row->pid || mp_row_is_sum(row) ||
		    row->flags & (MP_ROW_EXITED | MP_ROW_LEFT) ||
		    !row->value[MP_INUSE_SPACE])
			continue;
		if (nr < max)
			pids[nr] = (pid_t)row->pid;
		nr++;
	}
	return nr;
}

/* Watches the processes. @nr_left: out: those that are too many */
static int watch_cold(const struct options *chosen, const char *path,
		      struct mp_cold_watch *watch, uint64_t *nr_left)
{
	const struct mp_input input = { .path = path, .quiet = chosen->choice.quiet };
	struct mp_profile profile = { 0 };
	pid_t pids[MP_COLD_MAX_PROCESSES];
	struct mp_sizes sizes = { 0 };
	struct mp_diag diag = { 0 };
	size_t nr = 0;

	*nr_left = 0;
	if (path && !mp_regions_are(path))
		return mp_fail(0, "watch a session, or a file of libmemprof whose process runs",
			       "%s is a recording: pages are watched in processes that run",
			       path);
	if (!mp_input_read(&input, &profile, &sizes, &diag))
		nr = list_living(&profile, pids, MP_COLD_MAX_PROCESSES);
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	if (!diag.failed && !nr)
		mp_diag_fail(&diag, 0, "are allocations traced?",
			     "no process that runs has living blocks to watch");
	if (nr > MP_COLD_MAX_PROCESSES) {
		*nr_left = nr - MP_COLD_MAX_PROCESSES;
		nr = MP_COLD_MAX_PROCESSES;
	}
	if (!diag.failed && !chosen->choice.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "[ memprofctl report: watching %zu processes for %g s ]\n",
			nr, (double)chosen->cold_ms / 1e3);
	if (!diag.failed)
		mp_cold_watch(watch, pids, nr, chosen->cold_ms * 1000000, &diag);
	return mp_message_diag(&diag, "report");
}

/* Says how COLD was found, and what it does not have. */
static int add_cold(const struct mp_cold_watch *watch, uint64_t nr_left,
		    struct mp_profile *profile)
{
	int err = 0;

	profile->meta.cold = watch->meta;
	if (nr_left)
		err = mp_profile_add_counter(profile, "cold_unwatched", nr_left);
	if (!err && watch->nr_ended)
		err = mp_profile_add_counter(profile, "cold_ended", watch->nr_ended);
	return err ? mp_fail(ENOMEM, NULL, "cannot arrange the report") : 0;
}

/* Tells the time, because a footer has it only as a duration. */
static int look_again(struct mp_profile *profile)
{
	const uint64_t now_ns = profile->meta.status.now_ns;
	struct mp_diag diag = { 0 };
	uint64_t since_ns;

	if (!mp_look_again(profile, &since_ns, &diag) && !since_ns)
		fputs("[ memprofctl report: the first look: the next report -z shows what has changed since now ]\n",
		      stderr);
	else if (!diag.failed)
		fprintf(stderr, "[ memprofctl report: since the last look, %.1f s ago ]\n",
			(double)(now_ns - since_ns) / 1e9);
	return mp_message_diag(&diag, "report");
}

/* Code that only touched or mapped memory has nothing in the columns of blocks and pages. */
static bool has_no_blocks(const struct mp_row *row)
{
	return mp_row_has_location(row) && !row->value[MP_INUSE_SPACE] &&
	       !row->value[MP_BLOCK_RESIDENT] && !row->value[MP_BLAME] &&
	       !row->value[MP_AT_EXIT];
}

static bool has_no_pages(const struct mp_row *row)
{
	return has_no_blocks(row) && !row->value[MP_FREED_RESIDENT];
}

/* Leaves only rows that have something in the columns of a view of pages or ages. */
static void drop_others(enum mp_view view, struct mp_profile *profile)
{
	mp_profile_drop(profile, 0, view == MP_VIEW_FRAGMENTATION ? has_no_pages :
								    has_no_blocks);
}

static int show_report(struct options *chosen)
{
	const bool recorded = chosen->input || chosen->range.given;
	const char *path = recorded || chosen->since_last ? chosen->input :
							    mp_input_default(chosen->live);
	struct mp_profile profile = { 0 }, sites = { 0 }, judged = { 0 };
	struct mp_sizes sizes = { 0 };
	const struct mp_sizes *of_file = path || recorded ? &sizes : NULL;
	struct mp_cold_watch watch = { 0 };
	uint64_t nr_left = 0;
	int status = chosen->cold_ms ? watch_cold(chosen, path, &watch, &nr_left) : 0;

	if (!status)
		status = read_profile(chosen, path, chosen->cold_ms ? &watch.cold : NULL,
				      &profile, &sizes);
	if (!status && chosen->cold_ms)
		status = add_cold(&watch, nr_left, &profile);
	if (!status && chosen->since_last)
		status = look_again(&profile);
	if (!status) {
		set_defaults(chosen, &profile);
		/* with -n 0 all are rows */
		chosen->choice.arrange.folds_exited = !chosen->json && chosen->out.limit;
		chosen->choice.arrange.growth_now = !chosen->json;
		chosen->choice.arrange.trims = !chosen->json && !chosen->out.verbose;
		if ((!of_file && mp_process_titles(&profile)) ||
		    split_several(chosen, of_file, &profile) ||
		    arrange_sites(chosen, of_file, path && !chosen->range.given, &profile,
				  &sites) ||
		    judge(chosen, path, of_file, &profile, &judged) ||
		    mp_choice_rows(&chosen->choice, &chosen->out, of_file, &profile,
				   &profile))
			status = mp_fail(ENOMEM, NULL,
					 "cannot arrange the report");
		hide_minor(chosen, &chosen->out, &profile);
	}
	if (!status && !chosen->json && (mp_view_has_pages(chosen->out.view) ||
					 chosen->out.view == MP_VIEW_AGE)) {
		drop_others(chosen->out.view, &profile);
		drop_others(chosen->out.view, &sites);
	}
	if (!status)
		write_report(chosen, &profile);
	mp_profile_free(&profile);
	mp_profile_free(&sites);
	mp_profile_free(&judged);
	mp_sizes_free(&sizes);
	mp_cold_watch_free(&watch);
	return status;
}

/* Refuses filter conditions that cannot match the kind of rows. */
static int check_filter(const struct mp_filter *filter,
			const struct mp_out *out)
{
	if (shows_locations(out) || out->top)
		return 0;
	if (mp_filter_has(filter, MP_FILTER_SYMBOL) ||
	    mp_filter_has(filter, MP_FILTER_SIZE))
		return mp_misuse("report",
				 "--filter symbol= and size>= need --by callsite");
	if (out->kind == MP_ROW_CGROUP &&
	    (mp_filter_has(filter, MP_FILTER_PID) ||
	     mp_filter_has(filter, MP_FILTER_COMM)))
		return mp_misuse("report",
				 "--filter pid= and comm= cannot be used with cgroups");
	return 0;
}

/* Tells whether options were chosen that only rows of callsites have. */
static bool needs_callsites(const struct options *chosen)
{
	const struct mp_filter *filter = &chosen->choice.arrange.filter;

	return !chosen->out.top &&
	       (chosen->stacks || chosen->out.tree || uses_callsite_options(chosen) ||
		(chosen->viewed && chosen->out.view == MP_VIEW_AGE) ||
		mp_filter_has(filter, MP_FILTER_SYMBOL) ||
		mp_filter_has(filter, MP_FILTER_SIZE));
}

/* Checks combinations of options. */
static int check_options(struct options *chosen)
{
	struct mp_out *out = &chosen->out;

	if (chosen->trees & (chosen->trees - 1))
		return mp_misuse("report",
				 "only one of --callers, --callees and --children can be used");
	out->tree = chosen->trees ? (enum mp_tree_shape)__builtin_ctz(chosen->trees) :
				    MP_TREE_NONE;
	out->ops = chosen->json ? &mp_json_ops : &mp_table_ops;
	if (!chosen->grouped && needs_callsites(chosen))
		out->kind = MP_ROW_SITE;
	if ((chosen->stacks || out->tree) && !shows_locations(out))
		return mp_misuse("report",
				 "stacks and trees need --by callsite");
	if (uses_callsite_options(chosen) && !shows_locations(out) && !out->top)
		return mp_misuse("report",
				 "--hide, --group-by, --min, --python, --native and --debuginfod need --by callsite");
	if (out->by_host && chosen->choice.arrange.recursive)
		return mp_misuse("report", "--recursive is about cgroups, not about hosts");
	if ((out->top || chosen->choice.arrange.recursive) &&
	    out->kind != MP_ROW_CGROUP)
		return mp_misuse("report",
				 "--top and --recursive need --by cgroup");
	if (chosen->timeline && (chosen->json || chosen->grouped || needs_callsites(chosen)))
		return mp_misuse("report",
				 "--timeline shows all targets together: --by, --json and options of callsites cannot be used with it");
	if (chosen->input && chosen->range.given)
		return mp_misuse("report", "-i cannot be used with a history");
	if (chosen->at_ms && (chosen->range.given || chosen->since_last || chosen->cold_ms))
		return mp_misuse("report", "--at is about a recording");
	if (chosen->timeline && chosen->range.given)
		return mp_misuse("report", "--timeline cannot be used with a history");
	if (chosen->since_last && (chosen->input || chosen->range.given))
		return mp_misuse("report", "--since-last is about the running session");
	if (chosen->cold_ms && (chosen->range.given || chosen->timeline ||
				chosen->since_last))
		return mp_misuse("report",
				 "--cold watches processes that run: a history, --timeline and --since-last cannot be used with it");
	if (chosen->cold_ms && chosen->cold_ms < 1000)
		return mp_misuse("report", "--cold takes a second at least");
	if (chosen->cold_ms && !chosen->viewed) {
		out->view = MP_VIEW_RESIDENT;
		chosen->viewed = true;
	}
	if (chosen->cold_ms && out->view != MP_VIEW_RESIDENT)
		return mp_misuse("report", "--cold needs --view resident");
	if (chosen->stacks && out->tree)
		return mp_misuse("report",
				 "--stack cannot be used with a tree");
	if (out->tree && chosen->sorted && !mp_choice_adds_up("report", out->sort))
		return MP_EXIT_USAGE;
	if (check_filter(&chosen->choice.arrange.filter, out))
		return MP_EXIT_USAGE;
	if (chosen->stacks)
		out->kind = MP_ROW_STACK;
	if (!chosen->choice.arrange.keys)
		chosen->choice.arrange.keys = chosen->json ? MP_GROUP_DEFAULT :
							     MP_GROUP_TABLE;
	out->histograms = out->verbose && shows_locations(out);
	if (chosen->per_process)
		chosen->choice.arrange.keys |= MP_GROUP_PID;
	if (!chosen->limited && out->ops == &mp_table_ops)
		out->limit = out->tree ? 0 : DEFAULT_LIMIT;
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct options chosen = {
		.out.file = stdout,
		.out.min_percent = DEFAULT_MIN,
	};
	int status = mp_command_parse(command, argc, argv, &chosen);

	if (status == MP_PARSED)
		status = check_options(&chosen) ?: show_report(&chosen);
	mp_choice_free(&chosen.choice);
	return status;
}

const struct mp_command mp_cmd_report = {
	.name = "report",
	.summary = "show who allocated, touched and holds memory",
	.usage = "[--by process|cgroup|callsite|host] [--view alloc|growth|rss|age|resident|fragmentation] [--sort METRIC] [-n N] [OPTION]...",
	.options = options,
	.run = run,
};
