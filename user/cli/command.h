/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command: the table of memprofctl's verbs
 *
 * Parsing, help and completion use this table.
 */
#ifndef MP_COMMAND_H
#define MP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"

/* First code of options without a letter. */
#define MP_OPTION_LONG	256

/* Value list of --sort and others: names of all metrics. */
#define MP_VALUES_METRICS	"@metrics"

/**
 * struct mp_option - one option; a table of options ends with code 0
 * @code: its letter, or MP_OPTION_LONG and above
 * @name: long name
 * @arg: name of its value for help, or NULL
 * @values: values for completion, separated by spaces; MP_VALUES_METRICS; or
 *	NULL
 * @help: one line of help
 */
struct mp_option {
	int code;
	const char *name;
	const char *arg;
	const char *values;
	const char *help;
};

#define MP_OPTION_HELP { 'h', "help", NULL, NULL, "show this help" }

/**
 * struct mp_command - one verb
 * @name: of the verb
 * @summary: one line
 * @usage: text after the verb in the usage
 * @options: table of options
 * @nr_operands: limit of operands
 * @run: runs it; argv[0] is the verb. Returns the exit status
 */
struct mp_command {
	const char *name;
	const char *summary;
	const char *usage;
	const struct mp_option *options;
	int nr_operands;
	int (*run)(const struct mp_command *command, int argc, char **argv);
};

/**
 * mp_commands_set - set the table of verbs
 * @table: in the order of help; ends with NULL
 */
void mp_commands_set(const struct mp_command * const *table);

/** mp_commands - the table of verbs */
const struct mp_command * const *mp_commands(void);

extern const struct mp_command mp_cmd_start;
extern const struct mp_command mp_cmd_status;
extern const struct mp_command mp_cmd_report;
extern const struct mp_command mp_cmd_top;
extern const struct mp_command mp_cmd_diff;
extern const struct mp_command mp_cmd_export;
extern const struct mp_command mp_cmd_reset;
extern const struct mp_command mp_cmd_stop;
extern const struct mp_command mp_cmd_list;
extern const struct mp_command mp_cmd_record;
extern const struct mp_command mp_cmd_recover;
extern const struct mp_command mp_cmd_snapshot;
extern const struct mp_command mp_cmd_mark;
extern const struct mp_command mp_cmd_pause;
extern const struct mp_command mp_cmd_resume;
extern const struct mp_command mp_cmd_dump;
extern const struct mp_command mp_cmd_sections;
extern const struct mp_command mp_cmd_replay;
extern const struct mp_command mp_cmd_check;
extern const struct mp_command mp_cmd_help;

/** mp_command_find - find a verb by its name, or NULL */
const struct mp_command *mp_command_find(const char *name);

/* Result of mp_command_parse(): continue. */
#define MP_PARSED	(-1)

/**
 * mp_command_parse - parse the options of a verb
 * @take: called for each option except --help, with its code and value. Returns
 *	0, or an exit status after printing a message
 * @context: for @take
 *
 * Afterwards the operands begin at argv[optind].
 *
 * Return: MP_PARSED, or an exit status: help was printed, or an error was
 * reported.
 */
int mp_command_parse(const struct mp_command *command, int argc, char **argv,
		     int (*take)(void *context, int code, const char *value),
		     void *context);

/** mp_command_take_flag - a @take for verbs with one option: sets a bool */
int mp_command_take_flag(void *context, int code, const char *value);

#endif
