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

/* Value of mp_option.values that stands for the names of all metrics. */
#define MP_VALUES_METRICS	"@metrics"

struct mp_option;

/**
 * struct mp_argument - an option in a command line
 * @option: the option
 * @verb: the verb, for messages
 * @value: the option's value, which stays valid; NULL if it has none
 */
struct mp_argument {
	const struct mp_option *option;
	const char *verb;
	const char *value;
};

/**
 * struct mp_option - one option; a table of options ends without a name
 * @letter: its letter, or 0
 * @name: long name
 * @arg: name of its value for help, or NULL
 * @values: values for completion, separated by spaces; MP_VALUES_METRICS; or
 *	NULL
 * @help: one line of help
 * @set: sets the member at @at. Returns 0, or an exit status after printing a
 *	message
 * @at: offset of the member in the struct that holds the verb's options
 * @size: bytes of a number's member
 * @given: offset of a bool that becomes true with the option, plus 1; 0: none
 * @rare: only --help-all shows it
 * @min, @max: limits of a number
 * @constant: for @set
 */
struct mp_option {
	int letter;
	const char *name;
	const char *arg;
	const char *values;
	const char *help;
	int (*set)(void *to, const struct mp_argument *argument);
	size_t at, size, given;
	bool rare;
	uint64_t min, max;
	uint32_t constant;
};

/*
 * Parts of an entry of an option table. The option sets @member of @type, the
 * struct that holds the verb's options. A member of a wrong type does not
 * compile.
 */
#define MP_SET(type, member, function) \
	.set = function, .at = offsetof(type, member)
#define MP_GIVEN(type, member)	.given = 1 + offsetof(type, member)
#define MP_MEMBER(type, member)	(((type *)NULL)->member)
#define MP_CHECKED(type, member, is)					\
	.size = __builtin_choose_expr(__builtin_types_compatible_p(	\
		typeof(MP_MEMBER(type, member)), is), sizeof(is), (void)0)
/* An option that sets a bool to true, or to false. */
#define MP_FLAG(type, member) \
	MP_SET(type, member, mp_set_flag), MP_CHECKED(type, member, bool), \
	.constant = true
#define MP_FLAG_OFF(type, member) \
	MP_SET(type, member, mp_set_flag), MP_CHECKED(type, member, bool)
/* An option that sets a const char *, which is not copied. */
#define MP_TEXT(type, member) \
	MP_SET(type, member, mp_set_text), MP_CHECKED(type, member, const char *)
/* An option that sets an unsigned number of 32 or 64 bits. */
#define MP_NUMBER(type, member, low, high) \
	MP_SET(type, member, mp_set_number), .min = low, .max = high, \
	.size = sizeof(MP_MEMBER(type, member))
/* An option that sets a time of at least a millisecond, in milliseconds. */
#define MP_DURATION(type, member) \
	MP_SET(type, member, mp_set_duration), MP_CHECKED(type, member, uint64_t)
/* An option that sets an enum to the index of the value in the option's value list. */
#define MP_WORD(type, member) \
	MP_SET(type, member, mp_set_word), \
	.size = sizeof(MP_MEMBER(type, member))

/* An option that few people need. Its verb has MP_OPTION_HELP_ALL, too. */
#define MP_RARE	.rare = true

#define MP_OPTION_HELP_ALL \
	{ 0, "help-all", NULL, NULL, "show all options", .set = NULL }
#define MP_OPTION_HELP { 'h', "help", NULL, NULL, "show this help", .set = NULL }
#define MP_OPTION_QUIET(type, member) \
	{ 'q', "quiet", NULL, NULL, "print nothing on success", MP_FLAG(type, member) }

int mp_set_flag(void *to, const struct mp_argument *argument);
int mp_set_text(void *to, const struct mp_argument *argument);
int mp_set_number(void *to, const struct mp_argument *argument);
int mp_set_duration(void *to, const struct mp_argument *argument);
int mp_set_word(void *to, const struct mp_argument *argument);

/**
 * struct mp_command - one verb
 * @heading: begins a group in the list of verbs, or NULL
 * @name: of the verb
 * @summary: one line
 * @usage: text after the verb in the usage
 * @options: table of options
 * @nr_operands: limit of operands
 * @run: runs it; argv[0] is the verb. Returns the exit status
 */
struct mp_command {
	const char *heading;
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

/** mp_commands - get the table of verbs */
const struct mp_command * const *mp_commands(void);

extern const struct mp_command mp_cmd_start;
extern const struct mp_command mp_cmd_status;
extern const struct mp_command mp_cmd_report;
extern const struct mp_command mp_cmd_top;
extern const struct mp_command mp_cmd_diff;
extern const struct mp_command mp_cmd_export;
extern const struct mp_command mp_cmd_reset;
extern const struct mp_command mp_cmd_stop;
extern const struct mp_command mp_cmd_agent;
extern const struct mp_command mp_cmd_leaks;
extern const struct mp_command mp_cmd_postmortem;
extern const struct mp_command mp_cmd_list;
extern const struct mp_command mp_cmd_record;
extern const struct mp_command mp_cmd_merge;
extern const struct mp_command mp_cmd_recover;
extern const struct mp_command mp_cmd_snapshot;
extern const struct mp_command mp_cmd_mark;
extern const struct mp_command mp_cmd_pause;
extern const struct mp_command mp_cmd_resume;
extern const struct mp_command mp_cmd_inject;
extern const struct mp_command mp_cmd_eject;
extern const struct mp_command mp_cmd_dump;
extern const struct mp_command mp_cmd_sections;
extern const struct mp_command mp_cmd_replay;
extern const struct mp_command mp_cmd_check;
extern const struct mp_command mp_cmd_help;

/** mp_command_find - find a verb by its name, or NULL */
const struct mp_command *mp_command_find(const char *name);

/* Result of mp_command_parse() if the verb should continue. */
#define MP_PARSED	(-1)

/**
 * mp_command_parse - parse the options of a verb
 * @request: what the options set, see struct mp_option
 *
 * Afterwards the operands begin at argv[optind].
 *
 * Return: MP_PARSED, or an exit status: help was printed, or an error was
 * reported.
 */
int mp_command_parse(const struct mp_command *command, int argc, char **argv,
		     void *request);

#endif
