/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collector: what `memprofctl start` leaves behind
 *
 * A session belongs to an open file. The collector is the process that keeps
 * that file open, and answers for it on the control socket.
 */
#ifndef MP_COLLECTOR_H
#define MP_COLLECTOR_H

#include "control.h"
#include "live.h"

#include <sys/types.h>

/**
 * struct mp_collector - what a collector holds; -1 for a file that is not open
 * @control: where it is reached
 * @lock: of mp_control_lock()
 * @listen: of mp_control_listen()
 * @session, @live: what it answers for; the child's only
 */
struct mp_collector {
	struct mp_control control;
	int lock;
	int listen;
	struct mp_session session;
	struct mp_live live;
};

/**
 * mp_collector_spawn - fork the collector, which begins a session
 * @options: what to follow
 * @pid: out, the child's, once it has begun
 *
 * The files of @collector are the child's from then on, and closed here.
 *
 * Return: 0, or a negative errno and @diag says why; @diag may hold warnings.
 */
int mp_collector_spawn(struct mp_collector *collector,
		       const struct mp_record_options *options, pid_t *pid,
		       struct mp_diag *diag);

/** mp_collector_close - close the files */
void mp_collector_close(struct mp_collector *collector);

#endif
