// SPDX-License-Identifier: GPL-2.0-only
/*
 * command: finds a verb and parses its options
 *
 * It calls getopt_long() with arrays made from the table of options. A wrong
 * option prints one message and returns exit status 2, before anything is
 * opened.
 */
#include "command.h"
#include "message.h"
#include "usage.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS	24

/* Set by main() at the begin; constant afterwards. */
static const struct mp_command * const *commands;

void mp_commands_set(const struct mp_command * const *table)
{
	commands = table;
}

const struct mp_command * const *mp_commands(void)
{
	return commands;
}

const struct mp_command *mp_command_find(const char *name)
{
	int i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(name, commands[i]->name))
			return commands[i];
	return NULL;
}

static void make_tables(const struct mp_option *from, struct option *longs,
			char *shorts)
{
	int i;

	/*
	 * the leading colon distinguishes a missing value from an unknown
	 * option
	 */
	*shorts++ = ':';
	for (i = 0; from[i].code && i < MAX_OPTIONS; i++) {
		longs[i] = (struct option){
			.name = from[i].name,
			.has_arg = from[i].arg ? required_argument : no_argument,
			.val = from[i].code,
		};
		if (from[i].code < MP_OPTION_LONG) {
			*shorts++ = (char)from[i].code;
			if (from[i].arg)
				*shorts++ = ':';
		}
	}
	longs[i] = (struct option){ 0 };
	*shorts = '\0';
}

static int bad_option(const struct mp_command *command, int code, char **argv)
{
	const char *text = argv[optind - 1];
	const struct mp_option *option;

	for (option = command->options; option->code; option++) {
		if (!optopt || option->code != optopt)
			continue;
		if (code == ':')
			return mp_misuse(command->name,
					 "option --%s needs a value: %s",
					 option->name, option->arg);
		return mp_misuse(command->name, "option --%s takes no value",
				 option->name);
	}
	if (optopt)
		return mp_misuse(command->name, "unknown option '-%c'",
				 isprint(optopt) ? optopt : '?');
	return mp_misuse(command->name, "unknown or ambiguous option '%s'",
			 text);
}

int mp_command_parse(const struct mp_command *command, int argc, char **argv,
		     int (*take)(void *context, int code, const char *value),
		     void *context)
{
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2];
	int code, status;

	make_tables(command->options, longs, shorts);
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (code == '?' || code == ':')
			return bad_option(command, code, argv);
		if (code == 'h') {
			mp_usage_print(command);
			return 0;
		}
		status = take(context, code, optarg);
		if (status)
			return status;
	}
	if (argc - optind > command->nr_operands)
		return mp_misuse(command->name, "unexpected argument '%s'",
				 argv[optind + command->nr_operands]);
	return MP_PARSED;
}

int mp_command_take_flag(void *context, int code, const char *value)
{
	(void)code;
	(void)value;
	*(bool *)context = true;
	return 0;
}
