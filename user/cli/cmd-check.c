// SPDX-License-Identifier: GPL-2.0-only
/*
 * check: shows what this machine supports, what is missing, and how to fix it
 *
 * It runs all checks. The exit status is 0 if `memprofctl start` would work,
 * else 1.
 */
#include "checks.h"
#include "command.h"
#include "message.h"

#include <stdio.h>

struct choice {
	bool json;
	bool quiet;
};

static const struct mp_option options[] = {
	{ 'j', "json", NULL, NULL, "one JSON object a line", MP_FLAG(struct choice, json) },
	{ 'q', "quiet", NULL, NULL, "show only what is not ok",
	  MP_FLAG(struct choice, quiet) },
	MP_OPTION_HELP,
	{ 0 },
};

static bool run_checks(const struct choice *choice)
{
	struct mp_finding finding;
	const struct mp_check *check;
	bool can_start = true;

	for (check = mp_checks; check->name; check++) {
		finding = (struct mp_finding){ .name = check->name };
		check->run(&finding);
		can_start &= finding.level != MP_LEVEL_MISSING;
		if (choice->quiet && finding.level == MP_LEVEL_OK)
			continue;
		if (choice->json)
			mp_finding_json(stdout, &finding);
		else
			mp_finding_print(stdout, &finding);
	}
	return can_start;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct choice choice = { 0 };
	int status = mp_command_parse(command, argc, argv, &choice);
	bool can_start;

	if (status != MP_PARSED)
		return status;
	can_start = run_checks(&choice);
	if (choice.json)
		mp_finding_json_verdict(stdout, can_start);
	else if (!choice.quiet)
		printf("\nmemprofctl start would %s\n",
		       can_start ? "work" : "not work");
	return can_start ? 0 : MP_EXIT_FAILURE;
}

const struct mp_command mp_cmd_check = {
	.name = "check",
	.summary = "show what this machine can do, what is missing, and the fix",
	.usage = "[-q] [--json]",
	.options = options,
	.run = run,
};
