// SPDX-License-Identifier: GPL-2.0-only
/*
 * command: finds a verb and parses its options
 *
 * It calls getopt_long() with arrays made from the table of options. A wrong
 * option prints one message and gives exit status 2, before anything is opened.
 */
#include "command.h"
#include "message.h"
#include "nearest.h"
#include "usage.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#define MAX_OPTIONS	48

/* 68 years */
#define MAX_DURATION_MS	(1000ULL << 31)

/* First getopt_long() code for options without a letter. */
#define CODE_LONG	256

/* Set by main() at its begin; constant afterwards. */
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

int mp_set_flag(void *to, const struct mp_argument *argument)
{
	*(bool *)to = argument->option->constant;
	return 0;
}

int mp_set_text(void *to, const struct mp_argument *argument)
{
	*(const char **)to = argument->value;
	return 0;
}

int mp_set_number(void *to, const struct mp_argument *argument)
{
	const struct mp_option *option = argument->option;
	uint64_t number;

	if (!mp_command_number(argument->value, option->min, option->max,
			       &number))
		return mp_misuse(argument->verb,
				 "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
				 option->name, option->min, option->max,
				 argument->value);
	if (option->size == sizeof(uint32_t))
		*(uint32_t *)to = (uint32_t)number;
	else
		*(uint64_t *)to = number;
	return 0;
}

int mp_set_duration(void *to, const struct mp_argument *argument)
{
	return mp_command_duration(argument->value, 1, MAX_DURATION_MS, to) ? 0 :
	       mp_misuse(argument->verb,
			 "--%s takes a time such as 0.5, 90s, 1m or 2h, not '%s'",
			 argument->option->name, argument->value);
}

int mp_set_word(void *to, const struct mp_argument *argument)
{
	const struct mp_option *option = argument->option;
	const char *word = option->values;
	size_t size = strlen(argument->value);
	unsigned int index;

	for (index = 0; *word; index++) {
		size_t len = strcspn(word, " ");

		if (len == size && !memcmp(word, argument->value, len)) {
			*(unsigned int *)to = index;
			return 0;
		}
		word += len + (word[len] == ' ');
	}
	return mp_misuse(argument->verb, "--%s takes %s, not '%s'",
			 option->name, option->arg, argument->value);
}

static int code_of(const struct mp_option *table, int i)
{
	return table[i].letter ? table[i].letter : CODE_LONG + i;
}

/* Finds the option that has a getopt_long() code, or NULL. */
static const struct mp_option *find_option(const struct mp_option *table, int code)
{
	int i;

	for (i = 0; table[i].name; i++)
		if (code_of(table, i) == code)
			return &table[i];
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
	for (i = 0; from[i].name && i < MAX_OPTIONS; i++) {
		longs[i] = (struct option){
			.name = from[i].name,
			.has_arg = from[i].arg ? required_argument : no_argument,
			.val = code_of(from, i),
		};
		if (from[i].letter) {
			*shorts++ = (char)from[i].letter;
			if (from[i].arg)
				*shorts++ = ':';
		}
	}
	longs[i] = (struct option){ 0 };
	*shorts = '\0';
}

/* @word begins with two dashes. */
static int unknown_option(const struct mp_command *command, const char *word)
{
	struct mp_nearest nearest = { .word = word + 2 };
	const struct mp_option *option;

	for (option = command->options; option->name; option++)
		mp_nearest_try(&nearest, option->name);
	return nearest.name ?
	       mp_misuse(command->name, "unknown or ambiguous option '%s': --%s?",
			 word, nearest.name) :
	       mp_misuse(command->name, "unknown or ambiguous option '%s'", word);
}

static int bad_option(const struct mp_command *command, int code, char **argv)
{
	const struct mp_option *option = find_option(command->options, optopt);

	if (option && code == ':')
		return mp_misuse(command->name, "option --%s needs a value: %s",
				 option->name, option->arg);
	if (option)
		return mp_misuse(command->name, "option --%s takes no value",
				 option->name);
	if (optopt)
		return mp_misuse(command->name, "unknown option '-%c'",
				 isprint(optopt) ? optopt : '?');
	return unknown_option(command, argv[optind - 1]);
}

static int set_option(const struct mp_argument *argument, char *request)
{
	const struct mp_option *option = argument->option;

	if (option->given)
		*(bool *)(request + option->given - 1) = true;
	return option->set(request + option->at, argument);
}

static bool reads_recordings(const struct mp_command *command)
{
	const struct mp_option *option = find_option(command->options, 'i');

	return option && !strcmp(option->name, "input");
}

int mp_command_parse(const struct mp_command *command, int argc, char **argv,
		     void *request)
{
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 2];
	int code, status;

	make_tables(command->options, longs, shorts);
	opterr = 0;
	optind = 1;
	while ((code = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		struct mp_argument argument = {
			find_option(command->options, code), command->name, optarg,
		};

		if (code == '?' || code == ':')
			return bad_option(command, code, argv);
		if (!argument.option->set) {
			mp_usage_print(command, code != 'h');
			return 0;
		}
		status = set_option(&argument, request);
		if (status)
			return status;
	}
	if (argc - optind > command->nr_operands)
		return mp_misuse(command->name, reads_recordings(command) ?
				 "unexpected argument '%s': -i FILE names a recording" :
				 "unexpected argument '%s'",
				 argv[optind + command->nr_operands]);
	return MP_PARSED;
}
