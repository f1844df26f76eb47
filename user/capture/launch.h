/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * launch: run the command that is to be recorded
 */
#ifndef MP_LAUNCH_H
#define MP_LAUNCH_H

#include "diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_launch - a command; { .go = -1, .failed = -1 } is none
 * @pid: its process; 0: there is no command
 * @go: write end of a pipe; the process calls exec when it gets a byte
 * @failed: read end of a pipe that carries the errno of a failed exec
 * @ended: the process exited, and @status is as a shell says it
 * @max_rss: most bytes that it, or a child that it waited for, ever held;
 *	0: not known
 */
struct mp_launch {
	pid_t pid;
	int go;
	int failed;
	bool ended;
	int status;
	uint64_t max_rss;
};

/**
 * mp_launch_fork - fork a process that waits, and then runs a command
 * @argv: the command; looked up as execvp() does
 * @prepare: called in the child, before it waits; or NULL
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_launch_fork(struct mp_launch *launch, char **argv,
		   void (*prepare)(void *context), void *context,
		   struct mp_diag *diag);

/** mp_launch_go - let the command begin. Return: 0, or a negative errno */
int mp_launch_go(struct mp_launch *launch);

/**
 * mp_launch_reap - take note of the command's end
 * @flags: as for waitpid(): WNOHANG, or 0 to wait for it
 */
void mp_launch_reap(struct mp_launch *launch, int flags);

/**
 * mp_launch_error - why the command did not begin
 *
 * To be called after its end, once.
 *
 * Return: the errno of exec, positive; 0: it began.
 */
int mp_launch_error(struct mp_launch *launch);

/** mp_launch_cancel - a command that still waits to begin exits */
void mp_launch_cancel(struct mp_launch *launch);

/** mp_launch_close - close the pipes */
void mp_launch_close(struct mp_launch *launch);

#endif
