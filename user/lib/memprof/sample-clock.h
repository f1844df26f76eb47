/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sample-clock.h: reads the time inside the host's malloc.
 *
 * The coarse clock is a number that the vdso reads from memory. It is late by up to
 * 10 ms; this matters when its time is compared with a time of the exact clock. The
 * exact clock needs a system call, or the CPU's counter. A process can forbid the
 * counter for itself (PR_SET_TSC, seccomp's strict mode). Cost: 5 ns.
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
