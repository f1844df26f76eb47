// SPDX-License-Identifier: GPL-2.0-only
/*
 * export: writes a profile for other programs
 *
 * It writes the contents of a report, of the running session or of a recording,
 * in one of the formats of the table. The session continues. The cost is that
 * of a report.
 */
#include "agent-folder.h"
#include "choice.h"
#include "command.h"
#include "delta-share.h"
#include "export-formats.h"
#include "export-perf.h"
#include "grouping.h"
#include "growers.h"
#include "headline.h"
#include "headline-heap.h"
#include "headline-memory.h"
#include "hint.h"
#include "history-page.h"
#include "human.h"
#include "judged.h"
#include "keepers.h"
#include "leading-metric.h"
#include "message.h"
#include "origin-here.h"
#include "output.h"
#include "split-wrapper.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_TOP	20
#define MAX_TOP		1000
#define NAMES_SIZE	160

struct request {
	struct mp_export export;
	struct mp_choice choice;
	struct mp_history_range range;
	struct mp_intervals history;
	const char *input;
	uint64_t at_ms;
	bool live;
	const char *output;
	bool force;
	bool kind_chosen;
	bool measured;			/* the user chose a metric */
	bool prefixed;
	bool topped;
	struct mp_split split;
	char sentence[MP_HINT_SIZE];	/* of several processes */
	char keeper[MP_LOCATION_TEXT_SIZE];
};

static int set_format(void *to, const struct mp_argument *argument)
{
	const struct mp_export_ops **ops = to;
	char names[NAMES_SIZE];

	*ops = mp_export_find(argument->value);
	if (*ops)
		return 0;
	mp_export_names(names, sizeof(names));
	return mp_misuse("export", "--format takes %s, not '%s'", names,
			 argument->value);
}

static int add_prefix(void *to, const struct mp_argument *argument)
{
	static const unsigned int bits[] = {
		MP_OWNER_COMM, MP_OWNER_PID, MP_OWNER_CGROUP, 0,
	};
	unsigned int word = 0, *whose = to;
	int status = mp_set_word(&word, argument);

	*whose |= status ? 0 : bits[word];
	return status;
}

static const struct mp_option options[] = {
	{ 0, "format", "FORMAT",
	  "folded svg pprof otlp speedscope dhat json csv openmetrics perf",
	  "format of the output; required",
	  MP_SET(struct request, export.ops, set_format) },
	{ 0, "metric", "METRIC", MP_VALUES_METRICS,
	  "value of stacks, and sort key of rows; default LIVE, or what there is",
	  MP_SET(struct request, export.metric, mp_choice_metric),
	  MP_GIVEN(struct request, measured) },
	MP_CHOICE_INPUT(struct request),
	MP_HISTORY_OPTIONS(struct request, range),
	MP_OUTPUT_OPTIONS(struct request, output, force, "instead of standard output"),
	{ 0, "prefix", "comm|pid|cgroup|none", "comm pid cgroup none",
	  "first frame of stacks: their owner; repeatable, default comm",
	  MP_SET(struct request, export.whose, add_prefix),
	  MP_GIVEN(struct request, prefixed), MP_RARE },
	{ 0, "by", "process|cgroup|callsite|stack",
	  "process cgroup callsite stack", "what a row stands for",
	  MP_WORD(struct request, export.kind), MP_GIVEN(struct request, kind_chosen) },
	{ 0, "top", "N", "10 20 50",
	  "with openmetrics, limit of callsites; default 20",
	  MP_NUMBER(struct request, export.top, 0, MAX_TOP),
	  MP_GIVEN(struct request, topped), MP_RARE },
	MP_CHOICE_FILTER(struct request),
	MP_CHOICE_GROUP_BY(struct request),
	MP_CHOICE_SYMBOLS(struct request),
	MP_CHOICE_QUIET(struct request),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static bool has_locations(const struct mp_export *export)
{
	return export->all_kinds || export->kind == MP_ROW_SITE ||
	       export->kind == MP_ROW_STACK;
}

static int check_stacks(const struct request *request)
{
	const struct mp_export *export = &request->export;

	if (!export->all_kinds || request->choice.arrange.keys)
		return mp_misuse("export",
				 "--by and --group-by cannot be used with %s: it shows stacks",
				 export->ops->name);
	if (request->prefixed && export->ops->labels)
		return mp_misuse("export",
				 "--prefix cannot be used with %s: it has labels",
				 export->ops->name);
	return export->ops->shape == MP_EXPORT_STACKS_OF_ONE && request->measured &&
	       !mp_choice_adds_up("export", export->metric) ? MP_EXIT_USAGE : 0;
}

static int check_rows(const struct request *request)
{
	const struct mp_export *export = &request->export;
	const struct mp_filter *filter = &request->choice.arrange.filter;

	if (request->prefixed)
		return mp_misuse("export",
				 "--prefix cannot be used with %s: it shows rows",
				 export->ops->name);
	if (!has_locations(export) && (mp_filter_has(filter, MP_FILTER_SYMBOL) ||
				       mp_filter_has(filter, MP_FILTER_SIZE)))
		return mp_misuse("export",
				 "--filter symbol= and size>= need rows of callsites");
	return 0;
}

/* Checks combinations of options. */
static int check_options(struct request *request)
{
	struct mp_export *export = &request->export;
	char names[NAMES_SIZE];

	export->all_kinds = !request->kind_chosen;
	if (!request->prefixed)
		export->whose = MP_OWNER_COMM;
	mp_export_names(names, sizeof(names));
	if (!export->ops)
		return mp_misuse("export", "--format is needed: %s", names);
	if (request->range.given && request->input)
		return mp_misuse("export", "-i cannot be used with a history");
	if (request->at_ms && (request->range.given || export->ops == &mp_export_perf))
		return mp_misuse("export", request->range.given ?
				 "--at is about a recording" :
				 "--at cannot be used with perf, which takes all of a recording");
	if (request->range.given && export->ops == &mp_export_perf)
		return mp_misuse("export", "perf takes a recording, not a history");
	if (request->range.given && request->prefixed && export->ops == &mp_export_html)
		return mp_misuse("export", "--prefix cannot be used with the page of a history");
	if (request->topped && export->ops != &mp_export_openmetrics)
		return mp_misuse("export", "--top goes with openmetrics");
	if (export->ops->shape == MP_EXPORT_ROWS && export->all_kinds) {
		export->kind = MP_ROW_SITE;
		export->all_kinds = false;
	}
	return mp_export_is_stacks(export->ops) ? check_stacks(request) :
						  check_rows(request);
}

static bool has_any(const struct mp_profile *profile, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].value[metric])
			return true;
	return false;
}

/*
 * Returns the default metric: live bytes if any callsite has them, those at the peak
 * where all processes have exited, else allocated bytes, else faults.
 */
static enum mp_metric default_metric(const struct mp_profile *profile, bool is_page)
{
	if (mp_choice_shows_peak(profile))
		return MP_AT_PEAK;
	if (mp_choice_has(profile, MP_INUSE_SPACE))
		return MP_INUSE_SPACE;
	/* the page of what grew begins with that, as its headline does */
	if (is_page && !has_any(profile, MP_ALLOC_SPACE) && has_any(profile, MP_RESIDENT_DELTA) &&
	    mp_choice_has(profile, MP_GROWTH))
		return MP_RESIDENT_DELTA;
	return has_any(profile, MP_ALLOC_SPACE) ? MP_ALLOC_SPACE :
	       has_any(profile, MP_TOUCHED) ? MP_TOUCHED : MP_RESIDENT;
}

/* Writes the callsite that the sentence is about, and chooses the metric in which it is seen. */
static void find_keeper(struct request *request, const struct mp_profile *judged,
			const struct mp_row *process)
{
	const struct mp_keepers found = mp_keepers_find(judged, &judged->meta, process, false);

	if (!found.is_notable && !found.left)
		return;
	if (found.left && !request->measured)
		request->export.metric = MP_AT_EXIT;
	mp_location_row(judged, found.left ?: mp_keepers_row(&found), request->keeper);
	request->export.keeper = request->keeper;
}

/* Without allocations, the sentence names the process that grew, as in a report. */
static void find_grower(struct request *request, const struct mp_profile *profile)
{
	const struct mp_out out = {
		.sort = MP_RESIDENT_DELTA, .kind = MP_ROW_PROCESS, .profile = profile,
		.view = MP_VIEW_ALLOC,
	};

	if (mp_growers_next(profile, MP_GROWER_ANY, NULL) &&
	    mp_headline_write(&out, request->sentence))
		request->export.sentence = request->sentence;
}

/*
 * Of several processes, the sentence is about callsites of one of them, as in reports. Its
 * wrappers are left out.
 */
static int judge(struct request *request, struct mp_profile *profile,
		 const struct mp_sizes *sizes)
{
	struct mp_profile judged = { 0 };
	struct mp_out out = {
		.sort = MP_RESIDENT_DELTA, .kind = MP_ROW_SITE, .profile = profile,
		.view = MP_VIEW_ALLOC, .judged = &judged,
	};
	const struct mp_row *process;
	int err;

	if (mp_profile_only_process(profile))
		return 0;
	if (!(profile->meta.status.streams & MEMPROF_START_ALLOC)) {
		find_grower(request, profile);
		return 0;
	}
	process = mp_headline_process(&out);
	if (!process || !process->pid)
		return 0;
	sizes = request->input ? sizes : NULL;
	err = mp_judged_split(&request->choice, process, out.sort, sizes, profile,
			      &request->split);
	if (err || request->split.nr)
		return err;
	err = mp_judged_process(&request->choice, process->pid, out.sort, sizes, profile, &judged);
	if (!err && mp_headline_write(&out, request->sentence)) {
		request->export.sentence = request->sentence;
		if (!strstr(request->sentence, MP_OWN_HEAP))
			find_keeper(request, &judged, process);
	}
	mp_profile_free(&judged);
	return err;
}

/*
 * Of one process that was killed, or grew by a heap that is not malloc()'s, the sentence is that of
 * reports.
 */
static void find_heap(struct request *request, const struct mp_profile *profile,
		      const struct mp_profile *sites)
{
	const struct mp_out out = {
		.sort = MP_RESIDENT_DELTA, .kind = MP_ROW_SITE, .profile = profile,
		.view = MP_VIEW_ALLOC, .judged = sites,
	};

	const struct mp_row *process = mp_headline_process(&out);

	if ((process && process->signal && mp_headline_write(&out, request->sentence)) ||
	    mp_headline_heap(&out, request->sentence) ||
	    (process && profile->meta.status.streams & MEMPROF_START_ALLOC &&
	     mp_headline_mapped(&out, sites, process, request->sentence)))
		request->export.sentence = request->sentence;
}

/* Arranges a copy of the callsites as the table of a report does, without wrappers. */
static int arrange_sites(struct request *request, struct mp_profile *profile,
			 const struct mp_sizes *sizes, struct mp_profile *sites)
{
	const struct mp_out out = {
		.sort = request->export.metric, .kind = MP_ROW_SITE,
	};
	int err;

	if (request->export.ops->shape != MP_EXPORT_PAGE)
		return 0;
	request->export.sites = sites;
	request->choice.arrange.keys = MP_GROUP_TABLE;
	err = judge(request, profile, sizes);
	if (err)
		return err;
	err = mp_split_arrange(&request->choice, &out, request->input ? sizes : NULL, profile,
			       sites, &request->split);
	if (!err && request->split.nr) {
		request->export.sentence = request->split.sentence;
		request->export.keeper = request->split.keeper;
	} else if (!err && mp_profile_only_process(profile)) {
		find_heap(request, profile, sites);
	}
	return err;
}

static int arrange_rows(struct request *request, struct mp_profile *profile,
			const struct mp_sizes *sizes)
{
	struct mp_export *export = &request->export;
	struct mp_out out = { .sort = export->metric, .kind = export->kind };
	unsigned int *keys = &request->choice.arrange.keys;

	if (mp_export_is_stacks(export->ops)) {
		out.kind = MP_ROW_STACK;
		*keys = MP_EXPORT_KEYS;
	}
	if (export->ops->shape == MP_EXPORT_PAGE ||
	    (!mp_export_is_stacks(export->ops) && export->all_kinds)) {
		/*
		 * the rows are cgroups with their callsites, so all callsites
		 * are needed
		 */
		out.kind = MP_ROW_CGROUP;
		out.top = 1;
	}
	if (!*keys)
		*keys = MP_GROUP_DEFAULT;
	return mp_choice_rows(&request->choice, &out,
			      request->input ? sizes : NULL, profile, profile);
}

static void warn_left_out(const struct request *request)
{
	const struct mp_export *export = &request->export;
	char text[MP_HUMAN_SIZE];

	if (export->left_out)
		mp_warn("json, csv and pprof contain them",
			"%s of %s is left out, of programs that gave back more than they took",
			mp_human_metric(text, export->metric,
					(uint64_t)export->left_out, false),
			mp_metrics[export->metric].heading);
}

static int export_profile(struct request *request, struct mp_profile *profile,
			  const struct mp_sizes *sizes)
{
	struct mp_export *export = &request->export;
	struct mp_profile sites = { 0 };
	int status = 0;

	export->profile = profile;
	if (!request->input)
		mp_origin_here(&profile->meta.origin);
	if (!request->measured)
		export->metric = default_metric(profile, export->ops->shape == MP_EXPORT_PAGE);
	/* the page is a report */
	request->choice.arrange.growth_now = export->ops->shape == MP_EXPORT_PAGE;
	/* pictures; files for other programs have whole stacks */
	request->choice.arrange.trims = export->ops->shape == MP_EXPORT_PAGE ||
					export->ops == &mp_export_svg;
	if (arrange_sites(request, profile, sizes, &sites) ||
	    arrange_rows(request, profile, sizes) ||
	    (export->metric == MP_RESIDENT_DELTA && mp_delta_share(profile)) ||
	    (mp_export_is_stacks(export->ops) &&
	     mp_export_gather(&request->choice, profile, &export->samples)))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the rows");
	export->title = profile->meta.targets[0] ? profile->meta.targets :
			request->input ? request->input : "session";
	export->from = request->input;
	if (!status)
		status = mp_export_write(export, request->output, request->force);
	if (!status)
		warn_left_out(request);
	mp_stack_samples_free(&export->samples);
	mp_profile_free(&sites);
	return status;
}

/* Reads the session, the recording, or the sum of the history's range. */
static int read_profile(struct request *request, const struct mp_input *input,
			struct mp_profile *profile, struct mp_sizes *sizes)
{
	struct mp_diag diag = { 0 };

	if (request->range.given)
		return mp_history_range_read("export", &request->range, input, profile, sizes);
	mp_input_read(input, profile, sizes, &diag);
	return mp_message_diag(&diag, "export");
}

/* Reads the intervals of the range, of which only the page shows more than the sum. */
static int read_history(struct request *request)
{
	struct mp_export *export = &request->export;

	if (!request->range.given || export->ops->shape != MP_EXPORT_PAGE)
		return 0;
	export->history = &request->history;
	return mp_history_page_read(&request->range, &request->choice, &request->history);
}

static int export(struct request *request)
{
	struct mp_profile profile = { 0 };
	struct mp_sizes sizes = { 0 };
	struct mp_input input = {
		.path = request->input,
		.locations = has_locations(&request->export),
		.bins = request->export.ops->shape == MP_EXPORT_ALL_ROWS ||
			request->export.ops->shape == MP_EXPORT_PAGE,
		.timeline = request->export.ops->shape == MP_EXPORT_PAGE,
		.at_ns = request->at_ms * 1000000,
		.wrappers = &request->choice.wrappers,
		.quiet = request->choice.quiet,
	};
	int status;

	/* the name is in some formats, too */
	if (request->range.given)
		request->input = request->range.folder ?: mp_agent_folder();
	else if (!request->input)
		request->input = input.path = mp_input_default(request->live);
	status = read_profile(request, &input, &profile, &sizes) ?: read_history(request);
	if (!status)
		status = export_profile(request, &profile, &sizes);
	mp_history_page_free(&request->history);
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	/* static, because it is too large for the stack */
	static struct request request = {
		.export = {
			.top = DEFAULT_TOP,
			.exporter = "memprofctl " MP_VERSION,
		},
	};
	int status = mp_command_parse(command, argc, argv, &request);

	if (status == MP_PARSED)
		status = check_options(&request) ?: export(&request);
	mp_choice_free(&request.choice);
	return status;
}

const struct mp_command mp_cmd_export = {
	.name = "export",
	.summary = "write a profile for other programs: flame graphs, pprof, JSON",
	.usage = "--format FORMAT [-i FILE | --history] [--metric METRIC] [-o FILE] [-f] [OPTION]...",
	.options = options,
	.run = run,
};
