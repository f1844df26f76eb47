// SPDX-License-Identifier: GPL-2.0-only
/*
 * export: a profile for other programs to open
 *
 * What a report would show, of the session that runs or of a recording, written by
 * one of the formats in the table. The session goes on undisturbed.
 */
#include "choice.h"
#include "command.h"
#include "export-formats.h"
#include "flame.h"
#include "grouping.h"
#include "human.h"
#include "message.h"
#include "output.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_TOP	20
#define MAX_TOP		1000
#define NAMES_SIZE	160

enum {
	OPT_FORMAT = MP_OPTION_LONG,
	OPT_METRIC,
	OPT_BY,
	OPT_PREFIX,
	OPT_TOP,
	OPT_FILTER,
	OPT_GROUP_BY,
	OPT_HIDE,
	OPT_DEBUGINFOD,
};

static const struct mp_option options[] = {
	{ OPT_FORMAT, "format", "FORMAT",
	  "folded svg pprof speedscope dhat json csv openmetrics perf",
	  "of the output; must be given" },
	{ OPT_METRIC, "metric", "METRIC", MP_VALUES_METRICS,
	  "what stacks show, rows are sorted by; default LIVE, or what there is" },
	{ 'i', "input", "FILE", NULL,
	  "of a recording, of perf's or memprofctl's, instead of the session" },
	{ 'o', "output", "FILE", NULL, "instead of standard output" },
	{ 'f', "force", NULL, NULL, "replace an existing file" },
	{ OPT_PREFIX, "prefix", "comm|pid|cgroup|none", "comm pid cgroup none",
	  "of stacks, whose they are, as a first frame; repeatable, default comm" },
	{ OPT_BY, "by", "process|cgroup|callsite|stack",
	  "process cgroup callsite stack", "of rows, what one stands for" },
	{ OPT_TOP, "top", "N", "10 20 50",
	  "of openmetrics, callsites at most; default 20" },
	{ OPT_FILTER, "filter", "KEY=VALUE,...", NULL,
	  "rows of pid=, comm=, cgroup=, symbol=REGEX, size>=BYTES; repeatable" },
	{ OPT_GROUP_BY, "group-by", "KEY,...",
	  "pid comm cgroup callsite symbol source binary",
	  "what tells rows of callsites apart; default comm,callsite" },
	{ OPT_HIDE, "hide", "REGEX", NULL,
	  "functions that only hand on what they allocate; repeatable" },
	{ OPT_DEBUGINFOD, "debuginfod", NULL, NULL,
	  "ask $DEBUGINFOD_URLS for debug files that are not here" },
	{ 'q', "quiet", NULL, NULL, "tell no progress" },
	MP_OPTION_HELP,
	{ 0 },
};

struct choice {
	struct mp_export export;
	struct mp_arrange arrange;
	const char *input;
	const char *output;
	bool force;
	bool quiet;
	bool measured;			/* a metric was chosen */
	bool prefixed;
	bool topped;
};

static int take_format(struct choice *choice, const char *value)
{
	char names[NAMES_SIZE];

	choice->export.ops = mp_export_find(value);
	if (choice->export.ops)
		return 0;
	mp_export_names(names, sizeof(names));
	return mp_misuse("export", "--format takes %s, not '%s'", names, value);
}

static int take_by(struct choice *choice, const char *value)
{
	static const char * const names[MP_NR_ROW_KINDS] = {
		[MP_ROW_PROCESS] = "process", [MP_ROW_CGROUP] = "cgroup",
		[MP_ROW_SITE] = "callsite", [MP_ROW_STACK] = "stack",
	};
	int i;

	choice->export.all_kinds = false;
	for (i = 0; i < MP_NR_ROW_KINDS; i++) {
		if (strcmp(value, names[i]))
			continue;
		choice->export.kind = i;
		return 0;
	}
	return mp_misuse("export",
			 "--by takes process, cgroup, callsite or stack, not '%s'",
			 value);
}

static int take_prefix(struct choice *choice, const char *value)
{
	unsigned int *whose = &choice->export.whose;

	if (!choice->prefixed)
		*whose = 0;
	choice->prefixed = true;
	if (!strcmp(value, "comm"))
		*whose |= MP_OWNER_COMM;
	else if (!strcmp(value, "pid"))
		*whose |= MP_OWNER_PID;
	else if (!strcmp(value, "cgroup"))
		*whose |= MP_OWNER_CGROUP;
	else if (strcmp(value, "none"))
		return mp_misuse("export",
				 "--prefix takes comm, pid, cgroup or none, not '%s'",
				 value);
	return 0;
}

static int take_top(struct choice *choice, const char *value)
{
	uint64_t top;

	if (!mp_command_number(value, 0, MAX_TOP, &top))
		return mp_misuse("export",
				 "--top takes a number of callsites up to %d, not '%s'",
				 MAX_TOP, value);
	choice->export.top = top;
	choice->topped = true;
	return 0;
}

static int take_rows(struct choice *choice, int code, const char *value)
{
	switch (code) {
	case OPT_FILTER:
		return mp_choice_filter("export", &choice->arrange, value);
	case OPT_GROUP_BY:
		return mp_choice_keys("export", &choice->arrange, value);
	case OPT_HIDE:
		return mp_choice_hide("export", &choice->arrange, value);
	default:
		choice->arrange.symbols.debuginfod = true;
		return 0;
	}
}

static int take(void *context, int code, const char *value)
{
	struct choice *choice = context;

	switch (code) {
	case OPT_FORMAT:
		return take_format(choice, value);
	case OPT_METRIC:
		choice->measured = true;
		return mp_choice_metric("export", &choice->export.metric,
					value);
	case 'i':
		choice->input = value;
		return 0;
	case 'o':
		choice->output = value;
		return 0;
	case 'f':
		choice->force = true;
		return 0;
	case 'q':
		choice->quiet = true;
		return 0;
	case OPT_PREFIX:
		return take_prefix(choice, value);
	case OPT_BY:
		return take_by(choice, value);
	case OPT_TOP:
		return take_top(choice, value);
	default:
		return take_rows(choice, code, value);
	}
}

static bool has_locations(const struct mp_export *export)
{
	return export->all_kinds || export->kind == MP_ROW_SITE ||
	       export->kind == MP_ROW_STACK;
}

static int check_stacks(const struct choice *choice)
{
	const struct mp_export *export = &choice->export;

	if (!export->all_kinds || choice->arrange.keys)
		return mp_misuse("export",
				 "--by and --group-by say nothing of %s: it shows stacks",
				 export->ops->name);
	if (choice->prefixed && export->ops->labels)
		return mp_misuse("export",
				 "--prefix says nothing of %s: it has labels",
				 export->ops->name);
	if (export->ops->shape == MP_EXPORT_STACKS_OF_ONE &&
	    choice->measured && mp_metrics[export->metric].nature == MP_PEAK)
		return mp_misuse("export", "stacks add up, and %s does not",
				 mp_metrics[export->metric].heading);
	return 0;
}

static int check_rows(const struct choice *choice)
{
	const struct mp_export *export = &choice->export;
	const struct mp_filter *filter = &choice->arrange.filter;

	if (choice->prefixed)
		return mp_misuse("export",
				 "--prefix says nothing of %s: it shows rows",
				 export->ops->name);
	if (!has_locations(export) && (mp_filter_has(filter, MP_FILTER_SYMBOL) ||
				    mp_filter_has(filter, MP_FILTER_SIZE)))
		return mp_misuse("export",
				 "--filter symbol= and size>= are asked of callsites");
	return 0;
}

/* Options that mean something together only. */
static int check(struct choice *choice)
{
	struct mp_export *export = &choice->export;
	char names[NAMES_SIZE];

	mp_export_names(names, sizeof(names));
	if (!export->ops)
		return mp_misuse("export", "--format is needed: %s", names);
	if (choice->topped && export->ops != &mp_export_openmetrics)
		return mp_misuse("export", "--top goes with openmetrics");
	if (export->ops->shape == MP_EXPORT_ROWS && export->all_kinds) {
		export->kind = MP_ROW_SITE;
		export->all_kinds = false;
	}
	return mp_export_is_stacks(export->ops) ? check_stacks(choice) :
						  check_rows(choice);
}

static bool has_any(const struct mp_profile *profile, enum mp_metric metric)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].value[metric])
			return true;
	return false;
}

/* What suits a profile: what callsites hold, else what they did, else processes. */
static enum mp_metric metric_of(const struct mp_profile *profile)
{
	if (mp_choice_has(profile, MP_INUSE_SPACE))
		return MP_INUSE_SPACE;
	return has_any(profile, MP_ALLOC_SPACE) ? MP_ALLOC_SPACE :
	       has_any(profile, MP_TOUCHED) ? MP_TOUCHED : MP_RESIDENT;
}

static int arrange(struct choice *choice, struct mp_profile *profile,
		   const struct mp_sizes *sizes)
{
	struct mp_export *export = &choice->export;
	struct mp_arrange *arrange = &choice->arrange;
	struct mp_out out = { .sort = export->metric, .kind = export->kind };

	if (mp_export_is_stacks(export->ops)) {
		out.kind = MP_ROW_STACK;
		arrange->keys = MP_GROUP_PID | MP_GROUP_COMM | MP_GROUP_CGROUP |
				MP_GROUP_CALLSITE;
	}
	if (export->ops->shape == MP_EXPORT_PAGE ||
	    (!mp_export_is_stacks(export->ops) && export->all_kinds)) {
		/* with what cgroups have of callsites, so with all */
		out.kind = MP_ROW_CGROUP;
		out.top = 1;
	}
	if (!arrange->keys)
		arrange->keys = MP_GROUP_DEFAULT;
	arrange->progress = choice->quiet ? NULL : mp_choice_progress;
	return mp_arrange_rows(arrange, &out, choice->input ? sizes : NULL,
			       profile);
}

/* Of stacks: with what processes have besides, unless only some were asked for. */
static int gather(struct choice *choice)
{
	const struct mp_filter *filter = &choice->arrange.filter;
	struct mp_export *export = &choice->export;

	if (!mp_export_is_stacks(export->ops))
		return 0;
	return mp_stack_samples_gather(&export->samples, export->profile,
				!mp_filter_has(filter, MP_FILTER_SYMBOL) &&
				!mp_filter_has(filter, MP_FILTER_SIZE));
}

static void tell(const struct choice *choice)
{
	const struct mp_export *export = &choice->export;
	char text[MP_HUMAN_SIZE];

	if (export->left_out)
		mp_warn("stacks that shrank; json, csv and pprof have them",
			"%s of %s is not shown",
			mp_human_metric(text, export->metric,
					(uint64_t)export->left_out, false),
			mp_metrics[export->metric].heading);
}

static int write_it(struct choice *choice)
{
	struct mp_export *export = &choice->export;
	struct mp_output output;
	int status = mp_output_open(&output, choice->output, choice->force,
				    export->ops->binary), err;

	if (status)
		return status;
	export->file = output.file;
	err = export->ops->write(export);
	if (err)
		return mp_output_fail(&output, err);
	status = mp_output_close(&output);
	if (!status)
		tell(choice);
	return status;
}

static int export_profile(struct choice *choice, struct mp_profile *profile,
			  const struct mp_sizes *sizes)
{
	struct mp_export *export = &choice->export;
	int status = 0;

	export->profile = profile;
	if (!choice->measured)
		export->metric = metric_of(profile);
	if (arrange(choice, profile, sizes) || gather(choice))
		status = mp_fail(ENOMEM, NULL, "cannot arrange the rows");
	mp_input_progress_end();
	export->title = profile->meta.targets[0] ? profile->meta.targets :
			choice->input ? choice->input : "session";
	if (!status)
		status = write_it(choice);
	mp_stack_samples_free(&export->samples);
	return status;
}

static int export(struct choice *choice)
{
	struct mp_profile profile = { 0 };
	struct mp_sizes sizes = { 0 };
	const struct mp_input input = {
		.path = choice->input,
		.locations = has_locations(&choice->export),
		.bins = choice->export.ops->shape == MP_EXPORT_ALL_ROWS ||
			choice->export.ops->shape == MP_EXPORT_PAGE,
		.wrappers = &choice->arrange.wrappers,
		.quiet = choice->quiet,
	};
	int status = mp_input_read(&input, &profile, &sizes);

	if (!status)
		status = export_profile(choice, &profile, &sizes);
	mp_profile_free(&profile);
	mp_sizes_free(&sizes);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct choice choice = {
		.export = {
			.all_kinds = true, .whose = MP_OWNER_COMM,
			.top = DEFAULT_TOP,
			.exporter = "memprofctl " MP_VERSION,
		},
	};
	int status = mp_command_parse(command, argc, argv, take, &choice);

	if (status == MP_PARSED)
		status = check(&choice) ?: export(&choice);
	mp_choice_free(&choice.arrange);
	return status;
}

const struct mp_command mp_cmd_export = {
	.name = "export",
	.summary = "write a profile for other programs: flame graphs, pprof, JSON",
	.usage = "--format FORMAT [-i FILE] [--metric METRIC] [-o FILE] [-f] [OPTION]...",
	.options = options,
	.run = run,
};
