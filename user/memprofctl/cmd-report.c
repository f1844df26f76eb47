// SPDX-License-Identifier: GPL-2.0-only
/*
 * report: processes, cgroups or callsites and what memory they took
 *
 * The collector sends every row; merging, sorting and cutting happen here. The
 * session goes on undisturbed.
 */
#include "cgroup.h"
#include "cgroup-sums.h"
#include "command.h"
#include "json.h"
#include "message.h"
#include "naming.h"
#include "out.h"
#include "pager.h"
#include "recording.h"
#include "request.h"
#include "sites.h"
#include "top-sites.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT	20

enum {
	OPT_BY = MP_OPTION_LONG,
	OPT_BYTES,
	OPT_VIEW,
	OPT_PER_PROCESS,
	OPT_TOP,
	OPT_RECURSIVE,
};

static const struct mp_option options[] = {
	{ OPT_BY, "by", "process|cgroup|callsite", "process cgroup callsite",
	  "what a row stands for; default process" },
	{ OPT_VIEW, "view", "alloc|growth|rss", "alloc growth rss",
	  "columns; default alloc if allocations are followed, else growth" },
	{ OPT_TOP, "top", "N", "3 5 10",
	  "with cgroups, the N callsites that matter most in each" },
	{ OPT_RECURSIVE, "recursive", NULL, NULL,
	  "with cgroups, each one holds those below it" },
	{ OPT_PER_PROCESS, "per-process", NULL, NULL,
	  "callsites of different processes are different rows" },
	{ 'v', "verbose", NULL, NULL,
	  "with callsites, sizes and lifetimes of their blocks" },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default RSS, or LIVE with allocations" },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all" },
	{ 'i', "input", "FILE", NULL,
	  "of a recording, of perf's or memprofctl's, instead of the session" },
	{ OPT_BYTES, "bytes", NULL, NULL, "every digit, no units" },
	{ 'j', "json", NULL, NULL, "one JSON object a line" },
	MP_OPTION_HELP,
	{ 0 },
};

struct options {
	struct mp_out out;
	bool limited;
	bool sorted;
	bool viewed;
	bool per_process;
	bool recursive;
	const char *input;
	struct mp_sizes sizes;
};

static int take_by(struct mp_out *out, const char *value)
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

static int take_view(struct mp_out *out, const char *value)
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

static int take_limit(struct options *chosen, const char *value)
{
	uint64_t limit;

	if (!mp_command_number(value, 0, INT_MAX, &limit))
		return mp_misuse("report",
				 "-n takes a number of rows, not '%s'", value);
	chosen->out.limit = limit;
	chosen->limited = true;
	return 0;
}

static int take_top(struct options *chosen, const char *value)
{
	uint64_t top;

	if (!mp_command_number(value, 1, MP_MAX_TOP, &top))
		return mp_misuse("report",
				 "--top takes a number of callsites up to %d, not '%s'",
				 MP_MAX_TOP, value);
	chosen->out.top = top;
	return 0;
}

static int take_sort(struct mp_out *out, const char *value)
{
	int metric = mp_metric_find(value);

	if (metric < 0)
		return mp_misuse("report", "no metric is called '%s'", value);
	out->sort = metric;
	return 0;
}

static int take(void *context, int code, const char *value)
{
	struct options *chosen = context;

	switch (code) {
	case OPT_BY:
		return take_by(&chosen->out, value);
	case OPT_VIEW:
		chosen->viewed = true;
		return take_view(&chosen->out, value);
	case 's':
		chosen->sorted = true;
		return take_sort(&chosen->out, value);
	case 'n':
		return take_limit(chosen, value);
	case OPT_TOP:
		return take_top(chosen, value);
	case OPT_RECURSIVE:
		chosen->recursive = true;
		return 0;
	case OPT_PER_PROCESS:
		chosen->per_process = true;
		return 0;
	case 'i':
		chosen->input = value;
		return 0;
	case 'v':
		chosen->out.histograms = true;
		return 0;
	case 'j':
		chosen->out.ops = &mp_json_ops;
		return 0;
	default:
		chosen->out.exact = true;
		return 0;
	}
}

/* What the user left open depends on what the session follows. */
static void choose(struct options *chosen, const struct mp_profile *profile)
{
	bool alloc = profile->meta.status.streams & MEMPROF_START_ALLOC;
	struct mp_out *out = &chosen->out;

	if (!chosen->viewed)
		out->view = alloc ? MP_VIEW_ALLOC : MP_VIEW_GROWTH;
	if (out->view == MP_VIEW_RSS && !alloc)
		out->view = MP_VIEW_SIZES;
	if (!chosen->sorted)
		out->sort = out->view == MP_VIEW_ALLOC ||
			    out->kind == MP_ROW_SITE ? MP_INUSE_SPACE :
						       MP_RESIDENT;
}

static int arrange_cgroups(const struct options *chosen,
			   struct mp_profile *profile)
{
	return mp_cgroup_sums(profile, chosen->recursive,
			      chosen->input ? &chosen->sizes : NULL);
}

static int arrange(const struct options *chosen, struct mp_profile *profile)
{
	const struct mp_out *out = &chosen->out;
	bool sites = out->kind == MP_ROW_SITE;
	int err = out->top ? mp_top_sites_join(profile) : 0;

	if (!err)
		err = mp_sites_adopt(profile, chosen->per_process);
	if (err)
		return err;
	mp_profile_merge(profile);
	if (out->kind == MP_ROW_CGROUP)
		err = arrange_cgroups(chosen, profile);
	mp_profile_sort(profile, out->sort);
	return !err && (sites || out->top) ?
	       mp_naming_sites(profile, sites ? out->limit : 0) : err;
}

static void show_progress(double done)
{
	fprintf(stderr, "\rreading %3.0f %%", 100 * done);
}

/* The module's own sums, where there are some, tell more than its events. */
static int take_tallies(const struct mp_recording *recording,
			struct mp_profile *profile)
{
	const char *line = recording->tallies, *end;
	size_t left = recording->tallies_size;
	struct mp_json_line got;
	size_t i;
	int err = 0;

	for (; !err && left; line = end + 1) {
		end = memchr(line, '\n', left);
		if (!end)
			return -EBADMSG;
		left -= (size_t)(end + 1 - line);
		err = mp_json_read(profile, line, (size_t)(end - line), &got);
	}
	for (i = 0; i < profile->nr_rows; i++)
		mp_sizes_join(&recording->sizes, profile->meta.alloc.rate,
			      profile->meta.source, &profile->rows[i]);
	return err;
}

static int read_input(struct options *chosen, struct mp_profile *profile)
{
	bool watched = isatty(STDERR_FILENO);
	struct mp_recording recording = { 0 };
	int err = mp_recording_read(&recording, chosen->input,
				    chosen->out.histograms,
				    watched ? show_progress : NULL), status = 0;

	if (watched)
		fputs("\r\033[K", stderr);
	if (!err && recording.tallies) {
		err = take_tallies(&recording, profile);
		if (err == -EBADMSG)
			snprintf(recording.why, sizeof(recording.why),
				 "corrupt: the tallies in it cannot be read");
	} else if (!err) {
		*profile = recording.profile;
		recording.profile = (struct mp_profile){ 0 };
	}
	if (err)
		status = err == -EBADMSG ?
			 mp_fail(0, NULL, "%s: %s", chosen->input,
				 recording.why) :
			 mp_fail(err, NULL, "cannot read %s", chosen->input);
	chosen->sizes = recording.sizes;
	recording.sizes = (struct mp_sizes){ 0 };
	mp_recording_free(&recording);
	return status;
}

static int report(struct options *chosen)
{
	struct mp_profile profile = { 0 };
	struct mp_out *out = &chosen->out;
	int status = chosen->input ? read_input(chosen, &profile) :
				     mp_request("report", &profile);

	if (!status && !chosen->input && mp_cgroup_resolve(&profile))
		status = mp_fail(ENOMEM, NULL, "cannot name the cgroups");
	if (!status) {
		choose(chosen, &profile);
		if (arrange(chosen, &profile))
			status = mp_fail(ENOMEM, NULL,
					 "cannot arrange the report");
	}
	if (!status) {
		out->profile = &profile;
		out->colour = mp_pager_has_colour();
		mp_pager_start();
		mp_out_report(out);
	}
	mp_profile_free(&profile);
	mp_sizes_free(&chosen->sizes);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct options chosen = {
		.out.ops = &mp_table_ops,
		.out.file = stdout,
	};
	int status = mp_command_parse(command, argc, argv, take, &chosen);

	if (status != MP_PARSED)
		return status;
	if ((chosen.out.top || chosen.recursive) &&
	    chosen.out.kind != MP_ROW_CGROUP)
		return mp_misuse("report",
				 "--top and --recursive go with --by cgroup");
	if (!chosen.limited && chosen.out.ops == &mp_table_ops)
		chosen.out.limit = DEFAULT_LIMIT;
	return report(&chosen);
}

const struct mp_command mp_cmd_report = {
	.name = "report",
	.summary = "show who allocated, touched and holds memory",
	.usage = "[--by process|cgroup|callsite] [--view alloc|growth|rss] [--sort METRIC] [-n N] [OPTION]...",
	.options = options,
	.run = run,
};
