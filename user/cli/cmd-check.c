// SPDX-License-Identifier: GPL-2.0-only
/*
 * check: shows what this machine supports, what is missing, and how to fix it
 *
 * It tries all sources, and then checks what they need. The exit status is 0 if one of
 * the sources works that see more than sizes, else 1.
 */
#include "checks.h"
#include "command.h"
#include "message.h"
#include "sources.h"

#include <stdio.h>

/* At least as many as mp_sources has */
#define MAX_SOURCES	8

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

/* Runs a table of checks. @works is set for each check that is ok; or NULL. */
static void run_checks(const struct mp_check *checks, const char *type,
		       const struct choice *choice, bool *works)
{
	struct mp_finding finding;
	const struct mp_check *check;

	for (check = checks; check->name; check++) {
		finding = (struct mp_finding){ .name = check->name };
		check->run(&finding);
		if (works)
			works[check - checks] = finding.level == MP_LEVEL_OK;
		if (choice->quiet && finding.level == MP_LEVEL_OK)
			continue;
		if (choice->json)
			mp_finding_json(stdout, type, &finding);
		else
			mp_finding_print(stdout, &finding);
	}
}

static void print_heading(const struct choice *choice, const char *text)
{
	if (!choice->json && !choice->quiet)
		puts(text);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct choice choice = { 0 };
	int status = mp_command_parse(command, argc, argv, &choice);
	bool works[MAX_SOURCES], can_start;
	const char *verdict;

	if (status != MP_PARSED)
		return status;
	print_heading(&choice, "sources of numbers, the best one first:");
	run_checks(mp_sources, "source", &choice, works);
	verdict = mp_sources_verdict(works, &can_start);
	print_heading(&choice, "");
	print_heading(&choice, verdict ?:
		      "no source works here that sees allocations, faults or growth");
	print_heading(&choice, "\nwhat the module and the events need:");
	run_checks(mp_checks, "check", &choice, NULL);
	if (choice.json)
		mp_finding_json_verdict(stdout, can_start);
	return verdict ? 0 : MP_EXIT_FAILURE;
}

const struct mp_command mp_cmd_check = {
	.name = "check",
	.summary = "show what this machine can do, what is missing, and the fix",
	.usage = "[-q] [--json]",
	.options = options,
	.run = run,
};
