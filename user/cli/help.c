// SPDX-License-Identifier: GPL-2.0-only
/*
 * help: prints the table of verbs, and words for completion
 *
 * It writes to standard output; main() reports errors. An unknown verb or
 * option has no completions.
 */
#include "help.h"
#include "metric.h"

#include <stdio.h>
#include <string.h>

void mp_help_program(void)
{
	const struct mp_command * const *commands = mp_commands();
	int i;

	puts("usage: memprofctl VERB [OPTION]...\n"
	     "       memprofctl --version\n\n"
	     "Who allocates, touches and holds memory on this machine.\n");
	for (i = 0; commands[i]; i++) {
		if (commands[i]->heading)
			printf("%s%s\n", i ? "\n" : "", commands[i]->heading);
		printf("  %-10s  %s\n", commands[i]->name,
		       commands[i]->summary);
	}
	puts("\n`memprofctl help VERB` shows its options, `memprofctl help metrics` the columns,\n"
	     "`memprofctl help languages` how functions of Python, node or Java get names.\n"
	     "See also man memprofctl-VERB.");
}

static void complete_values(const char *values)
{
	int i;

	if (!strcmp(values, MP_VALUES_METRICS)) {
		for (i = 0; i < MP_NR_METRICS; i++)
			puts(mp_metrics[i].key);
		return;
	}
	for (; *values; putchar('\n')) {
		for (; *values && *values != ' '; values++)
			putchar(*values);
		values += *values == ' ';
	}
}

static void complete_option(const struct mp_option *option, const char *word)
{
	char letter[] = { '-', (char)option->letter, '\0' };
	bool named = !strncmp(word, "--", 2) && !strcmp(word + 2, option->name);

	if (!named && (!option->letter || strcmp(word, letter)))
		return;
	if (option->arg)
		printf("%s\n", option->arg);
	if (option->values)
		complete_values(option->values);
}

void mp_help_complete(const char *verb, const char *word)
{
	const struct mp_command *command = verb ? mp_command_find(verb) : NULL;
	const struct mp_command * const *commands = mp_commands();
	const struct mp_option *option;
	int i;

	for (i = 0; !verb && commands[i]; i++)
		puts(commands[i]->name);
	if (!command)
		return;
	for (option = command->options; option->name; option++) {
		if (word)
			complete_option(option, word);
		else
			printf("--%s\n", option->name);
	}
}
