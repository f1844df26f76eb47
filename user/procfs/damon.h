/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * damon: lets the kernel's DAMON watch which memory of processes is referenced
 */
#ifndef MP_DAMON_H
#define MP_DAMON_H

#include "cold.h"
#include "damon-guard.h"
#include "diag.h"

#include <sys/types.h>

/* Limit of processes: each has a thread of the kernel. */
#define MP_DAMON_MAX_TARGETS	16

/**
 * struct mp_damon_target - a process that is watched
 * @bytes: bytes of the ranges that are watched
 * @begun_ns: when it began, CLOCK_MONOTONIC
 * @on: it was begun
 */
struct mp_damon_target {
	pid_t pid;
	uint64_t bytes;
	uint64_t begun_ns;
	bool on;
};

/**
 * struct mp_damon - DAMON, while it is ours
 * @lock: open file
 * @guard: gives DAMON back if this program is killed
 * @interval_us: time for which references are counted
 */
struct mp_damon {
	int lock;
	struct mp_damon_guard guard;
	uint64_t interval_us;
	struct mp_damon_target targets[MP_DAMON_MAX_TARGETS];
	size_t nr;
};

/** mp_damon_exists - whether the kernel has DAMON's files */
bool mp_damon_exists(void);

/** mp_damon_others - number of DAMON's threads that were set up; 0 also without DAMON */
uint64_t mp_damon_others(void);

/**
 * mp_damon_open - take DAMON, if nobody uses it
 * @nr: number of processes, at most MP_DAMON_MAX_TARGETS
 * @cold_ns: memory without a reference for that long is cold
 *
 * Call mp_damon_close() in each case. If the program is killed before, a child of it gives
 * DAMON back.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_damon_open(struct mp_damon *damon, size_t nr, uint64_t cold_ns,
		  struct mp_diag *diag);

/**
 * mp_damon_begin - begin to watch process @i
 * @pages: its runs that are present are watched, with small gaps between them
 *
 * Return: 0; -ESRCH if it has ended or has no pages; -EBUSY if a module has DAMON; another
 * negative errno.
 */
int mp_damon_begin(struct mp_damon *damon, size_t i, pid_t pid,
		   const struct mp_pages *pages);

/**
 * mp_damon_interval - the time that an interval really takes
 *
 * It is longer than interval_us on a busy machine. Return: ns; 0 if it is not known.
 */
uint64_t mp_damon_interval(const struct mp_damon *damon, size_t i);

/**
 * mp_damon_read - add the ranges of process @i with their ages
 *
 * Waits for the end of an interval.
 *
 * Return: 0; -ESRCH if the process has ended; another negative errno.
 */
int mp_damon_read(const struct mp_damon *damon, size_t i, struct mp_cold *cold);

/** mp_damon_cpu_ns - CPU time of DAMON's threads so far; 0 if it is not known */
uint64_t mp_damon_cpu_ns(const struct mp_damon *damon);

/** mp_damon_close - stop, and leave DAMON as it was found */
void mp_damon_close(struct mp_damon *damon);

#endif
