/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * injected: puts libmemprof into the target processes, for one session
 */
#ifndef MP_INJECTED_H
#define MP_INJECTED_H

#include "inject-worker.h"
#include "prober.h"

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

/* Processes that can wait for the library at one time. */
#define MP_INJECTED_WAITING	256

/**
 * struct mp_injected - the processes that got the library; zeroed: none
 * @filter: recognises targets
 * @options: how they are sampled
 * @library: path of the library
 * @worker: it makes the injections
 * @timer: readable when a process has waited long enough
 * @waiting: processes that began a program, and when they get the library
 * @nr_waiting: number of @waiting
 * @own: processes that lose the library at the end
 * @nr_own: number of @own
 * @others: processes that had the library before, and keep it
 * @nr_others: number of @others
 * @nr_refused: times that a process could not have the library
 * @nr_missed: programs that began while too many waited
 * @nr_brief: programs that ended while they waited
 * @paid_ns: CLOCK_MONOTONIC, until when the injections so far have used up their share
 * @second: the second of CLOCK_MONOTONIC in which @nr_begun programs began
 * @nr_begun: number of programs that began in it
 * @is_busy: very many began in it, or in the one before
 */
struct mp_injected {
	const struct mp_prober *filter;
	struct mp_inject_options options;
	char library[PATH_MAX];
	struct mp_inject_worker worker;
	int timer;
	struct mp_injected_waiting {
		pid_t pid;
		bool was_seen;		/* without the library */
		unsigned int tries;
		int64_t begin_ms, due_ms;
	} waiting[MP_INJECTED_WAITING];
	size_t nr_waiting;
	pid_t *own, *others;
	size_t nr_own, max_own, nr_others, max_others;
	size_t nr_refused, nr_missed, nr_brief;
	uint64_t paid_ns;
	int64_t second;
	unsigned int nr_begun;
	bool is_busy;
};

/**
 * mp_injected_begin - put the library into each process that a filter wants
 * @filter: stays as long as @injected
 * @rate: mean bytes between samples; 0: the library's default
 * @pace: samples a second that a thread takes at most; 0: any number
 * @out: names of the regions' files; stays as long as @injected. NULL: no region has a
 *	file, because a session traces the static probes
 * @diag: also gets warnings about processes that cannot have it
 *
 * A process that has the library already keeps it and its rate. If everything is a
 * target, process 1 is left out.
 *
 * Return: 0 if at least one process has the library, or if targets can begin later;
 * else a negative errno with the reason of the first one in @diag.
 */
int mp_injected_begin(struct mp_injected *injected, const struct mp_prober *filter,
		      uint64_t rate, uint32_t pace, const char *out, struct mp_diag *diag);

/**
 * mp_injected_expect - a target may have begun a program: it gets the library soon
 * @injected: a struct mp_injected
 */
void mp_injected_expect(void *injected, pid_t pid);

/** mp_injected_work - put the library into processes that have waited */
void mp_injected_work(struct mp_injected *injected);

/** mp_injected_count - the number of processes that have the library */
size_t mp_injected_count(const struct mp_injected *injected);

/**
 * mp_injected_end - take the library out again, and free all
 *
 * Processes that forked from others during the session lose it, too.
 */
void mp_injected_end(struct mp_injected *injected);

#endif
