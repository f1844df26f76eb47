/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop: the main loop of each recording in the foreground
 */
#ifndef MP_LOOP_H
#define MP_LOOP_H

#include "session.h"

/**
 * struct mp_loop - what to wait for, and what to call
 * @session: the session
 * @targets: the loop ends when the last of these processes exited
 * @turn: reads the session's events; called after each wait, and a last time
 *	after the loop was told to end. Returns 0 to continue, 1 to end the
 *	loop, or a negative errno
 * @sink: for @turn
 * @ready_fd: gets a line when the loop begins, see mp_ready_tell(); 0: none
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
 * Call it before the targets begin, so that no signal is missed.
 *
 * Return: a file descriptor that is readable when a signal arrived.
 */
int mp_loop_signals(void);

/** mp_loop_signals_end - close @signals and unblock the signals */
void mp_loop_signals_end(int signals);

/**
 * mp_loop_wait - wait for a signal, for a fifth of a second at most
 * @signals: from mp_loop_signals()
 *
 * Return: true if SIGINT or SIGTERM came.
 */
bool mp_loop_wait(int signals);

/**
 * mp_loop_run - wait for events and handle them until the end
 * @signals: from mp_loop_signals(); SIGINT and SIGTERM end the loop
 *
 * Return: 0, or the negative errno of a turn.
 */
int mp_loop_run(const struct mp_loop *loop, int signals);

#endif
