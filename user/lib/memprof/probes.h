/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * probes.h: defines the USDT probes for sampled blocks: otel_memory:alloc(ptr, size,
 * weighted_bytes) and otel_memory:free(ptr).
 *
 * Each probe is a nop that is executed only if its semaphore is not 0. A tracer
 * increments the semaphore.
 */
#ifndef MEMPROF_PROBES_H
#define MEMPROF_PROBES_H

#include <stdint.h>

#ifdef MP_SDT

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The semaphores. The kernel or a debugger writes them. */
extern unsigned short otel_memory_alloc_semaphore, otel_memory_free_semaphore;

static inline void mp_probe_alloc(uint64_t ptr, uint64_t size,
				  uint64_t weighted_bytes)
{
	if (*(volatile unsigned short *)&otel_memory_alloc_semaphore)
		STAP_PROBE3(otel_memory, alloc, ptr, size, weighted_bytes);
}

static inline void mp_probe_free(uint64_t ptr)
{
	if (*(volatile unsigned short *)&otel_memory_free_semaphore)
		STAP_PROBE1(otel_memory, free, ptr);
}

#else

static inline void mp_probe_alloc(uint64_t ptr, uint64_t size,
				  uint64_t weighted_bytes)
{
	(void)ptr;
	(void)size;
	(void)weighted_bytes;
}

static inline void mp_probe_free(uint64_t ptr)
{
	(void)ptr;
}

#endif

#endif
