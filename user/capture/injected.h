/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injected: puts libmemprof into the target processes that run, for one session
 */
#ifndef MP_INJECTED_H
#define MP_INJECTED_H

#include "prober.h"

#include <stddef.h>
#include <sys/types.h>

/**
 * struct mp_injected - the processes that got the library; zeroed: none
 * @pids: the processes, which lose it at the end
 * @nr: number of @pids
 * @nr_had: processes that had the library before, and keep it
 */
struct mp_injected {
	pid_t *pids;
	size_t nr, max, nr_had;
};

/**
 * mp_injected_begin - put the library into each process that a filter wants
 * @rate: mean bytes between samples; 0: the library's default
 * @diag: also gets warnings about processes that cannot have it
 *
 * A process that has the library already keeps it and its rate. No region has a file:
 * the session traces the static probes.
 *
 * Return: 0 if at least one process has the library; else a negative errno with the
 * reason of the first one in @diag.
 */
int mp_injected_begin(struct mp_injected *injected, const struct mp_prober *filter,
		      uint64_t rate, struct mp_diag *diag);

/** mp_injected_end - take the library out again, and free all */
void mp_injected_end(struct mp_injected *injected);

#endif
