/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock: reads the monotonic clock as one number
 */
#ifndef MP_CLOCK_H
#define MP_CLOCK_H

#include <stdint.h>
#include <time.h>

/** mp_clock_ns - CLOCK_MONOTONIC in nanoseconds */
static inline uint64_t mp_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** mp_clock_thread_ns - CPU time of the calling thread in nanoseconds */
static inline uint64_t mp_clock_thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** mp_clock_ms - CLOCK_MONOTONIC in milliseconds */
static inline int64_t mp_clock_ms(void)
{
	return (int64_t)(mp_clock_ns() / 1000000);
}

#endif
