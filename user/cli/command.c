// SPDX-License-Identifier: GPL-2.0-only
/*
 * command: the table of verbs, and the parsing of their options
 *
 * getopt_long() over arrays made from the option tables. A wrong option is one
 * message and exit status 2; nothing has been opened by then.
 */
#include "command.h"
#include "help.h"
#include "message.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS	24

const struct mp_command * const mp_commands[] = {
	&mp_cmd_start,
	&mp_cmd_status,
	&mp_cmd_report,
	&mp_cmd_top,
	&mp_cmd_diff,
	&mp_cmd_export,
	&mp_cmd_reset,
	&mp_cmd_stop,
	&mp_cmd_list,
	&mp_cmd_record,
	&mp_cmd_recover,
	&mp_cmd_snapshot,
	&mp_cmd_mark,
	&mp_cmd_pause,
	&mp_cmd_resume,
	&mp_cmd_dump,
	&mp_cmd_sections,
	&mp_cmd_replay,
	&mp_cmd_check,
	&mp_cmd_help,
	NULL,
};

const struct mp_command *mp_command_find(const char *name)
{
	int i;

	for (i = 0; mp_commands[i]; i++)
		if (!strcmp(name, mp_commands[i]->name))
			return mp_commands[i];
	return NULL;
}

static void make_tables(const struct mp_option *from, struct option *longs,
			char *shorts)
{
	int i;

	/* a leading colon: tell a missing value from an unknown option */
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
			mp_help_command(command);
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
