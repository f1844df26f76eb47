/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * launch: runs the command to be recorded
 */
#ifndef MP_LAUNCH_H
#define MP_LAUNCH_H

#include "diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mp_launch - a command; { .go = -1, .failed = -1 } means no command
 * @pid: process id; 0: there is no command
 * @go: write end of a pipe; the process calls exec when it gets a byte
 * @failed: read end of a pipe that carries the errno of a failed exec
 * @error: errno of a failed exec, see mp_launch_error()
 * @ended: the process exited, at @ended_ns, CLOCK_MONOTONIC; @status is set as a shell sets $?
 * @signal: the one that killed it; 0: none
 * @max_rss: peak RSS in bytes of the process or of a child it waited for; 0:
 *	not known
 */
struct mp_launch {
	pid_t pid;
	int go;
	int failed;
	int error;
	bool ended;
	uint64_t ended_ns;
	int status, signal;
	uint64_t max_rss;
};

/**
 * mp_launch_fork - fork a process that waits and then runs a command
 * @argv: the command; searched in PATH like execvp() does
 * @prepare: called in the child, before it waits; or NULL
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_launch_fork(struct mp_launch *launch, char **argv,
		   void (*prepare)(void *context), void *context,
		   struct mp_diag *diag);

/** mp_launch_go - let the process run the command. Return: 0, or a negative errno */
int mp_launch_go(struct mp_launch *launch);

/**
 * mp_launch_wait - wait until the command exits
 *
 * Other children of this process that end meanwhile leave no zombies.
 */
void mp_launch_wait(struct mp_launch *launch);

/**
 * mp_launch_reap - get the exit status if the command exited
 * @flags: flags of waitpid(): WNOHANG, or 0 to wait
 */
void mp_launch_reap(struct mp_launch *launch, int flags);

/**
 * mp_launch_error - get the error of exec
 *
 * Call it after the process exited.
 *
 * Return: a positive errno; 0 if the command was run.
 */
int mp_launch_error(struct mp_launch *launch);

/** mp_launch_cancel - end a process that still waits to run the command */
void mp_launch_cancel(struct mp_launch *launch);

/** mp_launch_close - close the pipes */
void mp_launch_close(struct mp_launch *launch);

#endif
