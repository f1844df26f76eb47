// SPDX-License-Identifier: GPL-2.0-only
/*
 * report: processes or cgroups and what memory they took
 *
 * The collector sends every row; merging, sorting and cutting happen here. The
 * session goes on undisturbed.
 */
#include "cgroup.h"
#include "command.h"
#include "message.h"
#include "out.h"
#include "pager.h"
#include "request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_LIMIT	20

enum {
	OPT_BY = MP_OPTION_LONG,
	OPT_BYTES,
};

static const struct mp_option options[] = {
	{ OPT_BY, "by", "process|cgroup", "process cgroup",
	  "what a row stands for; default process" },
	{ 's', "sort", "METRIC", MP_VALUES_METRICS,
	  "highest first; default RSS" },
	{ 'n', "limit", "N", "0 10 20 50",
	  "rows to show, 0 for all; default 20, with --json all" },
	{ OPT_BYTES, "bytes", NULL, NULL, "every digit, no units" },
	{ 'j', "json", NULL, NULL, "one JSON object a line" },
	MP_OPTION_HELP,
	{ 0 },
};

struct options {
	struct mp_out out;
	bool limited;
};

static int take_by(struct mp_out *out, const char *value)
{
	if (!strcmp(value, "process"))
		out->kind = MP_ROW_PROCESS;
	else if (!strcmp(value, "cgroup"))
		out->kind = MP_ROW_CGROUP;
	else
		return mp_misuse("report",
				 "--by takes process or cgroup, not '%s'",
				 value);
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
	uint64_t limit;

	switch (code) {
	case OPT_BY:
		return take_by(&chosen->out, value);
	case 's':
		return take_sort(&chosen->out, value);
	case 'n':
		if (!mp_command_number(value, 0, INT_MAX, &limit))
			return mp_misuse("report",
					 "-n takes a number of rows, not '%s'",
					 value);
		chosen->out.limit = limit;
		chosen->limited = true;
		return 0;
	case 'j':
		chosen->out.ops = &mp_json_ops;
		return 0;
	default:
		chosen->out.exact = true;
		return 0;
	}
}

static int report(struct mp_out *out)
{
	struct mp_profile profile = { 0 };
	int status = mp_request("report", &profile);

	if (!status && mp_cgroup_resolve(&profile))
		status = mp_fail(ENOMEM, NULL, "cannot name the cgroups");
	if (!status) {
		mp_profile_merge(&profile);
		mp_profile_sort(&profile, out->sort);
		out->profile = &profile;
		out->colour = mp_pager_has_colour();
		mp_pager_start();
		mp_out_report(out);
	}
	mp_profile_free(&profile);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct options chosen = {
		.out.ops = &mp_table_ops,
		.out.file = stdout,
		.out.sort = MP_RESIDENT,
	};
	int status = mp_command_parse(command, argc, argv, take, &chosen);

	if (status != MP_PARSED)
		return status;
	if (!chosen.limited && chosen.out.ops == &mp_table_ops)
		chosen.out.limit = DEFAULT_LIMIT;
	return report(&chosen.out);
}

const struct mp_command mp_cmd_report = {
	.name = "report",
	.summary = "show what processes or cgroups allocated, touched and hold",
	.usage = "[--by process|cgroup] [--sort METRIC] [-n N] [--bytes] [--json]",
	.options = options,
	.run = run,
};
