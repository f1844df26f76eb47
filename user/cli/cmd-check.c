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

static void print_finding(const struct mp_finding *finding, const char *type,
			  const struct choice *choice)
{
	if (choice->quiet && finding->level == MP_LEVEL_OK)
		return;
	if (choice->json)
		mp_finding_json(stdout, type, finding);
	else
		mp_finding_print(stdout, finding);
}

static struct mp_finding find(const struct mp_check *check)
{
	struct mp_finding finding = { .name = check->name };

	check->run(&finding);
	return finding;
}

/* A kernel without modules is told once. */
static bool is_shown(const struct mp_check *check, const struct choice *choice)
{
	return choice->json || !check->of_module || mp_check_has_modules();
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
	struct mp_finding sources[MAX_SOURCES];
	bool works[MAX_SOURCES], can_start;
	const struct mp_check *check;
	const char *verdict;
	size_t i, nr;

	if (status != MP_PARSED)
		return status;
	for (nr = 0; mp_sources[nr].name; nr++) {
		sources[nr] = find(&mp_sources[nr]);
		works[nr] = sources[nr].level == MP_LEVEL_OK;
	}
	verdict = mp_sources_verdict(works, &can_start);
	print_heading(&choice, verdict ?:
		      "no source works here that sees allocations, faults or growth");
	print_heading(&choice, "\nsources of numbers, the best one first:");
	for (i = 0; i < nr; i++)
		print_finding(&sources[i], "source", &choice);
	print_heading(&choice, "\nwhat the module and the events need:");
	for (check = mp_checks; check->name; check++) {
		if (!is_shown(check, &choice))
			continue;
		sources[0] = find(check);
		print_finding(&sources[0], "check", &choice);
	}
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
