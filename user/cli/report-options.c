// SPDX-License-Identifier: GPL-2.0-only
/*
 * report-options: parses the options of report, and checks that they go together
 */
#include "report-options.h"
#include "command.h"
#include "grouping.h"
#include "message.h"
#include "nearest.h"
#include "top-sites.h"
#include "tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT	20

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

const struct mp_option mp_report_option_table[] = {
	{ 0, "by", "process|cgroup|callsite|host", "process cgroup callsite host",
	  "what a row stands for; default process, or callsite if another option needs it",
	  MP_SET(struct mp_report_options, out, set_kind), MP_GIVEN(struct mp_report_options, grouped) },
	{ 0, "view", "alloc|growth|rss|age|resident|fragmentation",
	  "growth alloc rss age resident fragmentation",
	  "columns; default alloc if allocations are traced, else growth",
	  MP_WORD(struct mp_report_options, out.view), MP_GIVEN(struct mp_report_options, viewed) },
	{ 0, "cold", "SECONDS", "10 30 60",
	  "with --view resident, watch the processes and show what is not referenced for so long",
	  MP_DURATION(struct mp_report_options, cold_ms), MP_RARE },
	{ 0, "top", "N", "3 5 10",
	  "with cgroups, the N callsites with the highest values in each",
	  MP_NUMBER(struct mp_report_options, out.top, 1, MP_MAX_TOP), MP_RARE },
	{ 0, "recursive", NULL, NULL,
	  "with cgroups, each one includes its descendants",
	  MP_FLAG(struct mp_report_options, choice.arrange.recursive), MP_RARE },
	{ 0, "paths", NULL, NULL,
	  "whole paths of cgroups instead of names of units and containers",
	  MP_FLAG(struct mp_report_options, out.paths), MP_RARE },
	{ 0, "per-process", NULL, NULL,
	  "callsites of different processes are different rows",
	  MP_FLAG(struct mp_report_options, per_process), MP_RARE },
	{ 0, "stack", NULL, NULL, "with callsites, a row for each stack",
	  MP_FLAG(struct mp_report_options, stacks) },
	{ 0, "callers", NULL, NULL, "with callsites, a tree of their callers",
	  MP_SET(struct mp_report_options, trees, add_tree), .constant = MP_TREE_CALLERS },
	{ 0, "callees", NULL, NULL,
	  "with callsites, a tree from the outermost function inwards",
	  MP_SET(struct mp_report_options, trees, add_tree), .constant = MP_TREE_CALLEES, MP_RARE },
	{ 0, "children", NULL, NULL,
	  "with callsites, functions including their callees",
	  MP_SET(struct mp_report_options, trees, add_tree), .constant = MP_TREE_FLAT, MP_RARE },
	{ 0, "timeline", NULL, NULL, "RSS and LIVE of all targets over time, as a table",
	  MP_FLAG(struct mp_report_options, timeline) },
	{ 'z', "since-last", NULL, NULL,
	  "of a running session, what happened since the last report -z",
	  MP_FLAG(struct mp_report_options, since_last), MP_RARE },
	{ 0, "min", "PERCENT", "0.1 1 5",
	  "with a tree, leave out functions below this share; default 0.5",
	  MP_SET(struct mp_report_options, out.min_percent, set_min),
	  MP_GIVEN(struct mp_report_options, bounded), MP_RARE },
	MP_CHOICE_FILTER(struct mp_report_options),
	MP_CHOICE_GROUP_BY(struct mp_report_options),
	MP_CHOICE_SYMBOLS(struct mp_report_options),
	{ 'v', "verbose", NULL, NULL,
	  "how the numbers were obtained; with callsites, sizes and lifetimes of blocks",
	  MP_FLAG(struct mp_report_options, out.verbose) },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default DELTA or RSS; of callsites LIVE, with allocations",
	  MP_SET(struct mp_report_options, out.sort, mp_choice_metric),
	  MP_GIVEN(struct mp_report_options, sorted) },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all",
	  MP_NUMBER(struct mp_report_options, out.limit, 0, INT_MAX),
	  MP_GIVEN(struct mp_report_options, limited) },
	MP_CHOICE_INPUT(struct mp_report_options),
	MP_HISTORY_OPTIONS(struct mp_report_options, range),
	{ 0, "bytes", NULL, NULL, "exact numbers without units",
	  MP_FLAG(struct mp_report_options, out.exact), MP_RARE },
	{ 'j', "json", NULL, NULL, "one JSON object a line",
	  MP_FLAG(struct mp_report_options, json) },
	MP_CHOICE_QUIET(struct mp_report_options),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

bool mp_report_has_locations(const struct mp_out *out)
{
	return out->kind == MP_ROW_SITE || out->kind == MP_ROW_STACK;
}

bool mp_report_shows_both(const struct mp_report_options *chosen)
{
	return !chosen->grouped && (!chosen->viewed || mp_view_has_pages(chosen->out.view)) &&
	       chosen->out.kind == MP_ROW_PROCESS && chosen->out.ops == &mp_table_ops;
}

bool mp_report_chooses_code(const struct mp_report_options *chosen)
{
	return mp_filter_has(&chosen->choice.arrange.filter, MP_FILTER_SYMBOL) ||
	       mp_filter_has(&chosen->choice.arrange.filter, MP_FILTER_SIZE);
}

static bool uses_callsite_options(const struct mp_report_options *chosen)
{
	return chosen->choice.arrange.hides || chosen->choice.arrange.keys ||
	       chosen->choice.symbols.debuginfod || chosen->bounded ||
	       chosen->choice.arrange.python || chosen->choice.arrange.native;
}

/* Refuses filter conditions that cannot match the kind of rows. */
static int check_filter(const struct mp_filter *filter,
			const struct mp_out *out)
{
	if (mp_report_has_locations(out) || out->top)
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
static bool needs_callsites(const struct mp_report_options *chosen)
{
	const struct mp_filter *filter = &chosen->choice.arrange.filter;

	return !chosen->out.top &&
	       (chosen->stacks || chosen->out.tree || uses_callsite_options(chosen) ||
		(chosen->viewed && chosen->out.view == MP_VIEW_AGE) ||
		mp_filter_has(filter, MP_FILTER_SYMBOL) ||
		mp_filter_has(filter, MP_FILTER_SIZE));
}

int mp_report_options_check(struct mp_report_options *chosen)
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
	if ((chosen->stacks || out->tree) && !mp_report_has_locations(out))
		return mp_misuse("report",
				 "stacks and trees need --by callsite");
	if (uses_callsite_options(chosen) && !mp_report_has_locations(out) && !out->top)
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
	out->histograms = out->verbose && mp_report_has_locations(out);
	if (chosen->per_process)
		chosen->choice.arrange.keys |= MP_GROUP_PID;
	if (!chosen->limited && out->ops == &mp_table_ops)
		out->limit = out->tree ? 0 : DEFAULT_LIMIT;
	return 0;
}
