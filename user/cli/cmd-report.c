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
#include "headline-heap.h"
#include "hint.h"
#include "history-range.h"
#include "human.h"
#include "keepers-text.h"
#include "leading-metric.h"
#include "look.h"
#include "footer.h"
#include "grouping.h"
#include "malloc-text.h"
#include "message.h"
#include "writer.h"
#include "pager.h"
#include "process-hint.h"
#include "process-titles.h"
#include "regions.h"
#include "report-options.h"
#include "report-sentence.h"
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
#include <unistd.h>

/* Above callsites: how many ended processes at least, and what part of the highest peak. */
#define MIN_ENDED	3
#define MINOR_PART	50

/* The metric of pages that rows are sorted by. */
static enum mp_metric page_metric(const struct mp_out *out, bool sampled)
{
	return out->view == MP_VIEW_FRAGMENTATION && !sampled ? MP_PINNED :
	       mp_report_has_locations(out) ? MP_BLAME : MP_RESIDENT;
}

/*
 * Whether callsites are sorted by what their processes grew by, as these are by DELTA. Exited
 * processes have touched memory, but hold none: what is still mapped matters.
 */
static bool growth_sorts(const struct mp_out *out, const struct mp_profile *profile)
{
	return out->view == MP_VIEW_GROWTH && out->has_delta &&
	       mp_choice_has(profile, MP_GROWTH);
}

/* Sets the defaults of the options, which depend on the session's streams. */
static void set_defaults(struct mp_report_options *chosen, const struct mp_profile *profile)
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
	out->has_malloc = mp_profile_has(profile, MP_MALLOC_USED);
	out->has_no_blocks = !mp_profile_has(profile, MP_ALLOC_OBJECTS);
	out->nodes = mp_out_nodes(profile);
	if (!chosen->sorted)
		out->sort = out->view == MP_VIEW_ALLOC || out->view == MP_VIEW_AGE ||
			    mp_report_has_locations(out) ? MP_INUSE_SPACE :
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
	if (!chosen->sorted && mp_report_has_locations(out))
		out->sort = chosen->viewed && out->view == MP_VIEW_GROWTH &&
			    mp_choice_has(profile, MP_TOUCHED) ? MP_TOUCHED :
			    growth_sorts(out, profile) ? mp_growth_metric(profile) :
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
 * Arranges the callsites for the second table. Of a session that follows no allocations there
 * is none, because the symbols of all programs would have to be read.
 */
static int arrange_sites(struct mp_report_options *chosen, const struct mp_sizes *sizes,
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
		out.sort = mp_growth_metric(profile);

	if (!mp_report_shows_both(chosen) ||
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
				mp_report_splits(chosen) ? &chosen->split : NULL);
}

/*
 * The small processes of a script that has ended would stand between its program and the
 * callsites. Those with a small part of the highest peak are left out.
 */
static void hide_minor(const struct mp_report_options *chosen, struct mp_out *out,
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

static bool write_growth_hint(char *text)
{
	return snprintf(text, MP_HINT_SIZE, "GROWTH names who made an allocator grow, not who keeps the memory: record " MP_BY_SAMPLES "-p PID follows that");
}

/* What a report does not know if no allocations were followed. */
static bool write_no_blocks(const struct mp_out *out, char *text)
{
	if (out->profile->meta.status.streams & MEMPROF_START_ALLOC)
		return false;
	if (out->view == MP_VIEW_AGE || out->view == MP_VIEW_ALLOC)
		return snprintf(text, MP_HINT_SIZE, "no allocations were followed: record " MP_BY_SAMPLES "-p PID, or record -- COMMAND, follows them");
	if (!mp_report_has_locations(out) && !out->top)
		return out->sites && out->sites_sort == MP_GROWTH && write_growth_hint(text);
	if (out->sort == MP_TOUCHED)
		return snprintf(text, MP_HINT_SIZE, "TOUCHED names who used memory first, not who keeps it: record " MP_BY_SAMPLES "-p PID follows that");
	return out->sort == MP_GROWTH && write_growth_hint(text);
}

/* Whether the sentence only says that nothing grows: the memory that is there is of interest. */
static bool is_nobody_told(const struct mp_out *out)
{
	const char *text = out->headline;

	return !text || out->ended ||
	       (!strstr(text, MP_FREE_IN_MALLOC) &&
		(strstr(text, MP_NOT_GROWN) || strstr(text, MP_HARDLY_GROWN) ||
		 strstr(text, MP_NOT_GROWING)));
}

/* The hint is about the callsites that the report shows, or about the rows. */
static const char *find_hint(const struct mp_report_options *chosen, char *text)
{
	const struct mp_out *out = &chosen->out;
	const struct mp_profile *sites = out->sites ?: mp_report_has_locations(out) ?
					 out->profile : NULL;
	const enum mp_metric metric = out->sites ? out->sites_sort : out->sort;
	bool heap_told;

	if (out->ops != &mp_table_ops)
		return NULL;
	if (chosen->choice.arrange.filter.nr && !mp_out_next(out, out->profile->rows))
		return "no row passes --filter";
	heap_told = out->headline && strstr(out->headline, MP_OWN_HEAP);
	return (sites && mp_hint_write(sites, metric, heap_told,
				       chosen->choice.symbols.debuginfod, text) &&
		mp_hint_name_process(mp_profile_only_process(out->profile), text)) ||
	       (chosen->split.nr && !out->tree && (out->sites || out->kind == MP_ROW_SITE) &&
		snprintf(text, MP_HINT_SIZE, "rows name the callers of %s: --stack shows them all",
			 chosen->split.names)) ||
	       (is_nobody_told(out) && mp_process_hint_write(out, text)) ||
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
	mp_footer_brief(out->file, out->profile, out->sites, 0,
			out->ended ? MP_AT_PEAK : MP_INUSE_SPACE);
}

static void write_report(struct mp_report_options *chosen, struct mp_profile *profile)
{
	struct mp_out *out = &chosen->out;
	char hint[MP_HINT_SIZE], headline[MP_HINT_SIZE];

	out->profile = profile;
	if (mp_report_is_split_told(chosen))
		out->headline = chosen->split.sentence;
	else if (out->ops == &mp_table_ops && !mp_report_chooses_code(chosen) &&
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
static int read_profile(const struct mp_report_options *chosen, const char *path,
			const struct mp_cold *cold, struct mp_profile *profile, struct mp_sizes *sizes)
{
	struct mp_input input = {
		.path = path,
		.locations = mp_report_has_locations(&chosen->out) || chosen->out.top ||
			     chosen->since_last ||
			     ((path || cold) && mp_report_shows_both(chosen)),
		.bins = chosen->out.histograms,
		.at_ns = chosen->at_ms * 1000000,
		.wants_pages = chosen->viewed && mp_view_has_pages(chosen->out.view),
		.wrappers = &chosen->choice.wrappers,
		.cold = cold,
		.quiet = chosen->choice.quiet,
	};
	struct mp_diag diag = { 0 };

	if (chosen->range.given) {
		input.locations |= mp_report_shows_both(chosen);
		return mp_history_range_read("report", &chosen->range, &input, profile, sizes);
	}
	mp_input_read(&input, profile, sizes, &diag);
	if (!path && !cold && !diag.failed && mp_report_shows_both(chosen) &&
	    profile->meta.status.streams & MEMPROF_START_ALLOC) {
		mp_profile_free(profile);
		input.locations = true;
		mp_input_read(&input, profile, sizes, &diag);
	}
	return mp_message_diag(&diag, "report");
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
static int watch_cold(const struct mp_report_options *chosen, const char *path,
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
		return mp_fail(0, "watch a session: memprofctl start --inject -p PID, and then report --cold 30; or a file of libmemprof whose process runs",
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

static int show_report(struct mp_report_options *chosen)
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
		    mp_report_split_several(chosen, of_file, &profile) ||
		    arrange_sites(chosen, of_file, path && !chosen->range.given, &profile,
				  &sites) ||
		    mp_report_judge(chosen, path, of_file, &profile, &judged) ||
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

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct mp_report_options chosen = {
		.out.file = stdout,
		.out.min_percent = MP_REPORT_DEFAULT_MIN,
	};
	int status = mp_command_parse(command, argc, argv, &chosen);

	if (status == MP_PARSED)
		status = mp_report_options_check(&chosen) ?: show_report(&chosen);
	mp_choice_free(&chosen.choice);
	return status;
}

const struct mp_command mp_cmd_report = {
	.name = "report",
	.summary = "show who allocated, touched and holds memory",
	.usage = "[--by process|cgroup|callsite|host] [--view alloc|growth|rss|age|resident|fragmentation] [--sort METRIC] [-n N] [OPTION]...",
	.options = mp_report_option_table,
	.run = run,
};
