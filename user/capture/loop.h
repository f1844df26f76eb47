/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the loop of every capture in the foreground
 */
#ifndef MP_LOOP_H
#define MP_LOOP_H

#include "session.h"

/**
 * struct mp_loop - what to wait for, and what to do then
 * @session: that is followed
 * @targets: the loop ends when the last of these processes exited
 * @turn: takes in what the session has; called after each wait, and a last time
 *	after the loop's end was decided. Returns 0 to go on, 1 to end the loop, or
 *	a negative errno
 * @sink: for @turn
 * @ready_fd: gets a line as the loop begins, see mp_ready_tell(); 0: nobody waits
 */
struct mp_loop {
	struct mp_session *session;
	const struct mp_targets *targets;
	int (*turn)(void *sink);
	void *sink;
	int ready_fd;
};

/**
 * mp_loop_signals - block SIGINT, SIGTERM and SIGCHLD
 *
 * To be called before the targets begin, so that no signal is missed.
 *
 * Return: a file descriptor that can be read when one came.
 */
int mp_loop_signals(void);

/** mp_loop_signals_end - close @signals and let signals through again */
void mp_loop_signals_end(int signals);

/**
 * mp_loop_run - wait and take turns
 * @signals: of mp_loop_signals(); SIGINT and SIGTERM end the loop
 *
 * Return: 0, or the negative errno of a turn.
 */
int mp_loop_run(const struct mp_loop *loop, int signals);

#endif
