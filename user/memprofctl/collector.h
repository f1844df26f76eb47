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
#include "follower.h"
#include "prober.h"
#include "profile.h"

#include <sys/types.h>

/**
 * struct mp_collector - what a collector holds; -1 for a file that is not open
 * @control: where it is reached
 * @device: the session
 * @lock: of mp_control_lock()
 * @listen: of mp_control_listen()
 * @targets: printable
 * @alloc_rate: mean bytes between two samples; 0: no allocations
 * @prober: probes allocators
 * @follower: notices new ones; the child's only
 */
struct mp_collector {
	struct mp_control control;
	int device;
	int lock;
	int listen;
	char targets[MP_TARGETS_SIZE];
	uint64_t alloc_rate;
	struct mp_prober prober;
	struct mp_follower follower;
};

/**
 * mp_collector_spawn - fork the collector
 *
 * The files of @collector are the child's from then on, and closed here.
 *
 * Return: the child's process id, or a negative errno and nothing is closed.
 */
pid_t mp_collector_spawn(struct mp_collector *collector);

/** mp_collector_close - close the files, which ends the session */
void mp_collector_close(struct mp_collector *collector);

#endif
