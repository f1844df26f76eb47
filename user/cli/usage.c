// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: prints a verb's table of options, or what is known of languages
 *
 * It writes to standard output; main() reports errors.
 */
#include "usage.h"
#include "runtimes.h"

#include <stdio.h>
#include <string.h>

/* Width of the column of options */
#define WIDTH	26

static void print_option(const struct mp_option *option)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s",
		 option->letter ? '-' : ' ',
		 option->letter ? option->letter : ' ',
		 option->letter ? ", " : "  ",
		 option->name, option->arg ? " " : "",
		 option->arg ? option->arg : "");
	printf(strlen(left) > WIDTH ? "  %s\n  %*s %s\n" : "  %s%*s %s\n", left,
	       strlen(left) > WIDTH ? WIDTH : WIDTH - (int)strlen(left), "",
	       option->help);
}

/* What shows who keeps objects that were used again */
static void print_python(void)
{
	puts("  Python uses freed dicts and lists again without an allocation: blocks of one that stays may\n"
	     "  have the line that made it first. memprofctl help python | python3 -I - PID names the lists\n"
	     "  and dicts that grow, while it runs. tracemalloc follows objects, at a higher cost; in the\n"
	     "  program, where it has run for a while, and some seconds later:\n"
	     "    import tracemalloc; tracemalloc.start(); before = tracemalloc.take_snapshot()\n"
	     "    after = tracemalloc.take_snapshot()\n"
	     "    print(*after.compare_to(before, 'lineno')[:5], sep='\\n')");
}

void mp_usage_languages(void)
{
	struct mp_obscurity found;
	size_t i;

	puts("How reports name the functions of a program, and what shows a runtime's own heap:\n\n"
	     "C, C++, Rust\n  nothing is needed; lines need -g");
	for (i = 0; mp_runtimes_next(i, &found); i++) {
		puts(found.runtime);
		if (found.remedy)
			printf("  %s\n", found.remedy);
		if (found.heap)
			printf("  %s\n", found.heap);
		if (!strcmp(found.runtime, "Python"))
			print_python();
	}
}

void mp_usage_print(const struct mp_command *command, bool all)
{
	const struct mp_option *option;
	bool metrics = false;

	printf("usage: memprofctl %s%s%s\n\n%s\n\noptions:\n", command->name,
	       command->usage[0] ? " " : "", command->usage, command->summary);
	for (option = command->options; option->name; option++) {
		if (all || !option->rare)
			print_option(option);
		metrics |= option->values &&
			   !strcmp(option->values, MP_VALUES_METRICS);
	}
	if (metrics)
		puts("\n`memprofctl help metrics` shows what can be a METRIC.");
}
