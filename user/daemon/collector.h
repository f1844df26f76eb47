/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collector: the process that `memprofctl start` leaves running
 *
 * A session belongs to an open file. The collector keeps that file open, and answers
 * requests about the session on the control socket.
 */
#ifndef MP_COLLECTOR_H
#define MP_COLLECTOR_H

#include "control.h"
#include "live.h"

#include <sys/types.h>

/**
 * struct mp_collector - files and state of a collector; -1 for a file that is
 * not open
 * @control: paths of the lock and the socket
 * @lock: from mp_control_lock()
 * @listen: from mp_control_listen()
 * @owner: process with which the session and its folder end; 0: none
 * @session, @live: the session; only in the child
 */
struct mp_collector {
	struct mp_control control;
	int lock;
	int listen;
	pid_t owner;
	struct mp_session session;
	struct mp_live live;
};

/**
 * mp_collector_spawn - fork the collector, which begins a session
 * @options: processes and events to record
 * @pid: out, the child's process id, after the session has begun
 *
 * The files of @collector belong to the child from then on, and are closed
 * here.
 *
 * Return: 0, or a negative errno with the reason in @diag. @diag may have
 * warnings in both cases.
 */
int mp_collector_spawn(struct mp_collector *collector,
		       const struct mp_record_options *options, pid_t *pid,
		       struct mp_diag *diag);

/** mp_collector_close - close the files */
void mp_collector_close(struct mp_collector *collector);

#endif
