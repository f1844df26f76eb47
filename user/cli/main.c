// SPDX-License-Identifier: GPL-2.0-only
/*
 * memprofctl: the table of verbs, and main()
 *
 * The exit status is 0 for success, 1 for failure, 2 for a wrong command line.
 * If output cannot be written, that is a failure, too.
 */
#include "command.h"
#include "debuginfod.h"
#include "help.h"
#include "message.h"
#include "nearest.h"
#include "pager.h"
#include "title.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct mp_command * const commands[] = {
	&mp_cmd_record,
	&mp_cmd_report,
	&mp_cmd_top,
	&mp_cmd_diff,
	&mp_cmd_export,
	&mp_cmd_start,
	&mp_cmd_status,
	&mp_cmd_reset,
	&mp_cmd_stop,
	&mp_cmd_agent,
	&mp_cmd_leaks,
	&mp_cmd_postmortem,
	&mp_cmd_inject,
	&mp_cmd_eject,
	&mp_cmd_snapshot,
	&mp_cmd_mark,
	&mp_cmd_pause,
	&mp_cmd_resume,
	&mp_cmd_list,
	&mp_cmd_sections,
	&mp_cmd_replay,
	&mp_cmd_recover,
	&mp_cmd_merge,
	&mp_cmd_dump,
	&mp_cmd_check,
	&mp_cmd_help,
	NULL,
};

static int unknown_verb(const char *word)
{
	struct mp_nearest nearest = { .word = word };
	size_t i;

	for (i = 0; commands[i]; i++)
		mp_nearest_try(&nearest, commands[i]->name);
	return nearest.name ?
	       mp_misuse(NULL, "unknown verb '%s': %s?", word, nearest.name) :
	       mp_misuse(NULL, "unknown verb '%s'", word);
}

static int run(int argc, char **argv)
{
	const struct mp_command *command;

	if (argc < 2)
		return mp_misuse(NULL, "a verb is needed");
	if (!strcmp(argv[1], "--version")) {
		puts("memprofctl " MP_VERSION);
		return 0;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		mp_help_program();
		return 0;
	}
	if (argv[1][0] == '-')
		return mp_misuse(NULL, "unknown option '%s'", argv[1]);
	command = mp_command_find(argv[1]);
	if (!command)
		return unknown_verb(argv[1]);
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	mp_title_init(argc, argv);
	/* make writing beyond ulimit -f an error instead of a signal; see launch.c */
	signal(SIGXFSZ, SIG_IGN);
	mp_commands_set(commands);
	/* otherwise libdwfl would ask a server for debug files and wait for it */
	mp_debuginfod_hide();
	/* write whole lines, because several processes may write to one log */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	status = run(argc, argv);
	/* a user may quit the pager early: ignore errors of standard output */
	if (mp_pager_wait())
		return status;
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return mp_fail(errno, NULL, "cannot write standard output");
	return status;
}
