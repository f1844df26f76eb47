// SPDX-License-Identifier: GPL-2.0-only
/*
 * pager: runs the user's pager in a shell, through a pipe
 *
 * The cost is one process. If the pager cannot be started, output goes to the
 * terminal.
 */
#include "pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Process id of the pager; 0: none. Written by mp_pager_start() and
 * mp_pager_wait().
 */
static pid_t pager;

bool mp_pager_has_colour(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term &&
	       strcmp(term, "dumb");
}

static void run_pager(const char *command, int *ends)
{
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	close(ends[1]);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void mp_pager_start(void)
{
	const char *command = getenv("PAGER");
	int ends[2];

	if (!command) {
		/* use cat if less does not exist or fails */
		command = "command -v less >/dev/null && exec less -FRX; "
			  "exec cat";
	}
	if (!isatty(STDOUT_FILENO) || !command[0] || !strcmp(command, "cat") ||
	    pipe(ends))
		return;
	fflush(stdout);
	pager = fork();
	if (pager == 0)
		run_pager(command, ends);
	if (pager > 0) {
		/* a user may quit the pager early: then writing fails with EPIPE */
		signal(SIGPIPE, SIG_IGN);
		dup2(ends[1], STDOUT_FILENO);
	} else {
		pager = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

bool mp_pager_wait(void)
{
	if (!pager)
		return false;
	fflush(stdout);
	close(STDOUT_FILENO);
	waitpid(pager, NULL, 0);
	pager = 0;
	return true;
}
