// SPDX-License-Identifier: GPL-2.0-only
/*
 * report: shows processes, cgroups or callsites, and their memory
 *
 * The collector sends all rows; they are merged, sorted and cut here. The
 * session continues. Symbols can take seconds; progress is shown.
 */
#include "choice.h"
#include "command.h"
#include "grouping.h"
#include "message.h"
#include "writer.h"
#include "pager.h"
#include "top-sites.h"
#include "tree.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT	20
#define DEFAULT_MIN	0.5

enum {
	OPT_BY = MP_OPTION_LONG,
	OPT_BYTES,
	OPT_VIEW,
	OPT_PER_PROCESS,
	OPT_STACK,
	OPT_CALLERS,
	OPT_CALLEES,
	OPT_CHILDREN,
	OPT_HIDE,
	OPT_FILTER,
	OPT_GROUP_BY,
	OPT_MIN,
	OPT_DEBUGINFOD,
	OPT_TOP,
	OPT_RECURSIVE,
};

static const struct mp_option options[] = {
	{ OPT_BY, "by", "process|cgroup|callsite", "process cgroup callsite",
	  "what a row stands for; default process" },
	{ OPT_VIEW, "view", "alloc|growth|rss", "alloc growth rss",
	  "columns; default alloc if allocations are traced, else growth" },
	{ OPT_TOP, "top", "N", "3 5 10",
	  "with cgroups, the N callsites with the highest values in each" },
	{ OPT_RECURSIVE, "recursive", NULL, NULL,
	  "with cgroups, each one includes its descendants" },
	{ OPT_PER_PROCESS, "per-process", NULL, NULL,
	  "callsites of different processes are different rows" },
	{ OPT_STACK, "stack", NULL, NULL,
	  "with callsites, a row for each stack" },
	{ OPT_CALLERS, "callers", NULL, NULL,
	  "with callsites, a tree of their callers" },
	{ OPT_CALLEES, "callees", NULL, NULL,
	  "with callsites, a tree from the outermost function inwards" },
	{ OPT_CHILDREN, "children", NULL, NULL,
	  "with callsites, functions including their callees" },
	{ OPT_MIN, "min", "PERCENT", "0.1 1 5",
	  "with a tree, leave out functions below this share; default 0.5" },
	{ OPT_FILTER, "filter", "KEY=VALUE,...", NULL,
	  "rows of pid=, comm=, cgroup=, symbol=REGEX, size>=BYTES; repeatable" },
	{ OPT_GROUP_BY, "group-by", "KEY,...",
	  "pid comm cgroup callsite symbol source binary",
	  "what distinguishes rows of callsites; default comm,callsite" },
	{ OPT_HIDE, "hide", "REGEX", NULL,
	  "functions that are wrappers of an allocator; repeatable" },
	{ OPT_DEBUGINFOD, "debuginfod", NULL, NULL,
	  "download missing debug files from $DEBUGINFOD_URLS" },
	{ 'v', "verbose", NULL, NULL,
	  "with callsites, sizes and lifetimes of their blocks" },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default RSS, or LIVE with allocations" },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all" },
	{ 'i', "input", "FILE", NULL,
	  "a recording of memprofctl or perf, instead of the session" },
	{ OPT_BYTES, "bytes", NULL, NULL, "exact numbers without units" },
	{ 'j', "json", NULL, NULL, "one JSON object a line" },
	{ 'q', "quiet", NULL, NULL, "show no progress" },
	MP_OPTION_HELP,
	{ 0 },
};

struct options {
	struct mp_out out;
	bool limited;
	bool sorted;
	bool viewed;
	bool per_process;
	bool quiet;
	bool stacks;
	bool located;			/* an option for callsites was given */
	const char *input;
	struct mp_choice choice;
};

static bool shows_locations(const struct mp_out *out)
{
	return out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK;
}

static int parse_by(struct mp_out *out, const char *value)
{
	if (!strcmp(value, "process"))
		out->kind = MP_ROW_PROCESS;
	else if (!strcmp(value, "cgroup"))
		out->kind = MP_ROW_CGROUP;
	else if (!strcmp(value, "callsite"))
		out->kind = MP_ROW_SITE;
	else
		return mp_misuse("report",
				 "--by takes process, cgroup or callsite, not '%s'",
				 value);
	return 0;
}

static int parse_view(struct mp_out *out, const char *value)
{
	if (!strcmp(value, "alloc"))
		out->view = MP_VIEW_ALLOC;
	else if (!strcmp(value, "growth"))
		out->view = MP_VIEW_GROWTH;
	else if (!strcmp(value, "rss"))
		out->view = MP_VIEW_RSS;
	else
		return mp_misuse("report",
				 "--view takes alloc, growth or rss, not '%s'",
				 value);
	return 0;
}

static int parse_limit(struct options *chosen, const char *value)
{
	uint64_t limit;

	if (!mp_command_number(value, 0, INT_MAX, &limit))
		return mp_misuse("report",
				 "-n takes a number of rows, not '%s'", value);
	chosen->out.limit = limit;
	chosen->limited = true;
	return 0;
}

static int parse_top(struct options *chosen, const char *value)
{
	uint64_t top;

	if (!mp_command_number(value, 1, MP_MAX_TOP, &top))
		return mp_misuse("report",
				 "--top takes a number of callsites up to %d, not '%s'",
				 MP_MAX_TOP, value);
	chosen->out.top = top;
	return 0;
}

static int parse_min(struct mp_out *out, const char *value)
{
	char *end;

	out->min_percent = strtod(value, &end);
	return end != value && !*end && out->min_percent >= 0 &&
	       out->min_percent <= 100 ? 0 :
	       mp_misuse("report", "--min takes a percentage, not '%s'", value);
}

static int parse_shape(struct mp_out *out, enum mp_tree_shape shape)
{
	if (out->tree)
		return mp_misuse("report",
				 "only one of --callers, --callees and --children can be used");
	out->tree = shape;
	return 0;
}

/* Parses the options for callsites. */
static int parse_callsite_option(struct options *chosen, int code, const char *value)
{
	chosen->located = true;
	switch (code) {
	case OPT_STACK:
		chosen->stacks = true;
		return 0;
	case OPT_CALLERS:
		return parse_shape(&chosen->out, MP_TREE_CALLERS);
	case OPT_CALLEES:
		return parse_shape(&chosen->out, MP_TREE_CALLEES);
	case OPT_CHILDREN:
		return parse_shape(&chosen->out, MP_TREE_FLAT);
	case OPT_HIDE:
		return mp_choice_hide("report", &chosen->choice, value);
	case OPT_GROUP_BY:
		return mp_choice_keys("report", &chosen->choice, value);
	case OPT_MIN:
		return parse_min(&chosen->out, value);
	default:
		chosen->choice.symbols.debuginfod = true;
		return 0;
	}
}

static int parse_report_option(void *context, int code, const char *value)
{
	struct options *chosen = context;

	switch (code) {
	case OPT_BY:
		return parse_by(&chosen->out, value);
	case OPT_VIEW:
		chosen->viewed = true;
		return parse_view(&chosen->out, value);
	case 's':
		chosen->sorted = true;
		return mp_choice_metric("report", &chosen->out.sort, value);
	case 'n':
		return parse_limit(chosen, value);
	case OPT_TOP:
		return parse_top(chosen, value);
	case OPT_RECURSIVE:
		chosen->choice.arrange.recursive = true;
		return 0;
	case OPT_PER_PROCESS:
		chosen->per_process = true;
		return 0;
	case OPT_FILTER:
		return mp_choice_filter("report", &chosen->choice, value);
	case 'i':
		chosen->input = value;
		return 0;
	case 'q':
		chosen->quiet = true;
		return 0;
	case 'v':
		chosen->out.histograms = true;
		return 0;
	case 'j':
		chosen->out.ops = &mp_json_ops;
		return 0;
	case OPT_BYTES:
		chosen->out.exact = true;
		return 0;
	default:
		return parse_callsite_option(chosen, code, value);
	}
}

/* Sets the defaults, which depend on the streams of the session. */
static void set_defaults(struct options *chosen, const struct mp_profile *profile)
{
	bool alloc = profile->meta.status.streams & MEMPROF_START_ALLOC;
	struct mp_out *out = &chosen->out;

	if (!chosen->viewed)
		out->view = alloc ? MP_VIEW_ALLOC : MP_VIEW_GROWTH;
	if (out->view == MP_VIEW_RSS && !alloc)
		out->view = MP_VIEW_SIZES;
	if (!chosen->sorted)
		out->sort = out->view == MP_VIEW_ALLOC ||
			    shows_locations(out) ? MP_INUSE_SPACE :
						       MP_RESIDENT;
	/* exited processes and code without an allocator have no live bytes */
	if (!chosen->sorted && shows_locations(out) &&
	    !mp_choice_has(profile, MP_INUSE_SPACE))
		out->sort = mp_choice_has(profile, MP_ALLOC_SPACE) ?
			    MP_ALLOC_SPACE : MP_TOUCHED;
}

static void write_report(struct options *chosen, struct mp_profile *profile)
{
	struct mp_out *out = &chosen->out;

	out->profile = profile;
	out->colour = mp_pager_has_colour();
	mp_pager_start();
	if (!out->tree)
		mp_out_report(out);
	else if (mp_tree_report(out))
		mp_fail(ENOMEM, NULL, "cannot add up the stacks");
}

static int show_report(struct options *chosen)
{
	struct mp_profile profile = { 0 };
	struct mp_sizes sizes = { 0 };
	const struct mp_input input = {
		.path = chosen->input,
		.locations = shows_locations(&chosen->out) || chosen->out.top,
		.bins = chosen->out.histograms,
		.wrappers = &chosen->choice.wrappers,
		.quiet = chosen->quiet,
	};
	struct mp_diag diag = { 0 };
	int status;

	mp_input_read(&input, &profile, &sizes, &diag);
	status = mp_message_diag(&diag, "report");
	chosen->choice.quiet = chosen->quiet;
	if (!status) {
		set_defaults(chosen, &profile);
		if (mp_choice_rows(&chosen->choice, &chosen->out,
				   chosen->input ? &sizes : NULL, &profile,
				   &profile))
			status = mp_fail(ENOMEM, NULL,
					 "cannot arrange the report");
	}
	if (!status)
		write_report(chosen, &profile);
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

/* Conditions that do not apply to the rows. */
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

/* Checks combinations of options. */
static int check_options(struct options *chosen)
{
	struct mp_out *out = &chosen->out;

	if ((chosen->stacks || out->tree) && !shows_locations(out))
		return mp_misuse("report",
				 "stacks and trees need --by callsite");
	if (chosen->located && !shows_locations(out) && !out->top)
		return mp_misuse("report",
				 "--hide, --group-by, --min and --debuginfod need --by callsite");
	if ((out->top || chosen->choice.arrange.recursive) &&
	    out->kind != MP_ROW_CGROUP)
		return mp_misuse("report",
				 "--top and --recursive need --by cgroup");
	if (chosen->stacks && out->tree)
		return mp_misuse("report",
				 "--stack cannot be used with a tree");
	if (out->tree && chosen->sorted &&
	    mp_metrics[out->sort].nature == MP_PEAK)
		return mp_misuse("report",
				 "a tree is added up, and %s does not add up",
				 mp_metrics[out->sort].heading);
	if (check_filter(&chosen->choice.arrange.filter, out))
		return MP_EXIT_USAGE;
	if (chosen->stacks)
		out->kind = MP_ROW_STACK;
	if (!chosen->choice.arrange.keys)
		chosen->choice.arrange.keys = MP_GROUP_DEFAULT;
	if (chosen->per_process)
		chosen->choice.arrange.keys |= MP_GROUP_PID;
	if (!chosen->limited && out->ops == &mp_table_ops)
		out->limit = out->tree ? 0 : DEFAULT_LIMIT;
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct options chosen = {
		.out.ops = &mp_table_ops,
		.out.file = stdout,
		.out.min_percent = DEFAULT_MIN,
	};
	int status = mp_command_parse(command, argc, argv, parse_report_option, &chosen);

	if (status == MP_PARSED)
		status = check_options(&chosen) ?: show_report(&chosen);
	mp_choice_free(&chosen.choice);
	return status;
}

const struct mp_command mp_cmd_report = {
	.name = "report",
	.summary = "show who allocated, touched and holds memory",
	.usage = "[--by process|cgroup|callsite] [--view alloc|growth|rss] [--sort METRIC] [-n N] [OPTION]...",
	.options = options,
	.run = run,
};
