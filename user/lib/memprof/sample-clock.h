/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sample-clock.h: the time, inside the host's malloc.
 *
 * The coarse clock is a number in the vdso. The fine one needs the CPU's
 * counter, which a process may forbid itself (PR_SET_TSC, seccomp's strict
 * mode), or a system call. The coarse clock is late by up to 10 ms; who compares
 * it with a fine time has to know that. Cost: 5 ns.
 */
#ifndef MEMPROF_SAMPLE_CLOCK_H
#define MEMPROF_SAMPLE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t mp_clock_coarse_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

#endif
