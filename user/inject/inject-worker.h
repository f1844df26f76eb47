/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject-worker: a small process that makes the injections of a large one
 *
 * Each injection is made in a child, and to fork a collector of 100 MB costs more than
 * the injection. The worker is forked once, while its parent is small.
 */
#ifndef MP_INJECT_WORKER_H
#define MP_INJECT_WORKER_H

#include "inject.h"

/**
 * struct mp_inject_worker - the process; zeroed: none
 * @pid: its id; 0: none
 * @socket: it reads requests from the other end, and writes answers to it
 */
struct mp_inject_worker {
	pid_t pid;
	int socket;
};

/**
 * mp_inject_worker_begin - start a worker
 * @options: of all its injections
 *
 * If it cannot be started, the injections are made by this process. It ends with its
 * parent, after the injection that it is at.
 */
void mp_inject_worker_begin(struct mp_inject_worker *worker,
			    const struct mp_inject_options *options);

/**
 * mp_inject_worker_inject - as mp_inject()
 * @options: those of mp_inject_worker_begin()
 * @diag: out
 */
int mp_inject_worker_inject(const struct mp_inject_worker *worker, pid_t pid,
			    const struct mp_inject_options *options,
			    struct mp_injection *result, struct mp_diag *diag);

/**
 * mp_inject_worker_eject - as mp_eject()
 * @diag: out
 */
int mp_inject_worker_eject(const struct mp_inject_worker *worker, pid_t pid,
			   struct mp_injection *result, struct mp_diag *diag);

/** mp_inject_worker_end - end a worker, and wait for it */
void mp_inject_worker_end(struct mp_inject_worker *worker);

#endif
