/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * probes.h: defines the USDT probes for sampled blocks: otel_memory:alloc(ptr, size,
 * weighted_bytes, callsite, frames, nr_frames) and otel_memory:free(ptr). The frames are
 * return addresses of 8 bytes; the first one is the callsite, in the allocator's
 * caller. A tracer can read MEMPROF_MAX_STACK_DEPTH of them; those after nr_frames
 * mean nothing. nr_frames has the bit MP_PROBE_CUT if outer callers are missing.
 * otel_memory:function(record) names a frame that is no code: record is a struct
 * memprof_region_function. It is fired before a block with such a frame.
 * otel_memory:counter(record) tells what was dropped, see mp_counters_tell().
 *
 * Each probe is a nop that is executed only if its semaphore is not 0. A tracer
 * increments the semaphore.
 */
#ifndef MEMPROF_PROBES_H
#define MEMPROF_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_PROBE_CUT	(1ULL << 32)

#ifdef MP_SDT

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The semaphores. The kernel or a debugger writes them. */
extern unsigned short otel_memory_alloc_semaphore, otel_memory_free_semaphore,
	otel_memory_function_semaphore, otel_memory_counter_semaphore;

static inline void mp_probe_alloc(uint64_t ptr, uint64_t size, uint64_t weighted_bytes,
				  const uintptr_t *frames, uint64_t nr_frames)
{
	if (*(volatile unsigned short *)&otel_memory_alloc_semaphore)
		STAP_PROBE6(otel_memory, alloc, ptr, size, weighted_bytes,
			    (uint32_t)nr_frames ? frames[0] : 0, frames, nr_frames);
}

static inline void mp_probe_free(uint64_t ptr)
{
	if (*(volatile unsigned short *)&otel_memory_free_semaphore)
		STAP_PROBE1(otel_memory, free, ptr);
}

/* Changes when a tracer comes or goes; 0: there is none. */
static inline unsigned short mp_probe_function_listeners(void)
{
	return *(volatile unsigned short *)&otel_memory_function_semaphore;
}

static inline void mp_probe_function(const void *record)
{
	STAP_PROBE1(otel_memory, function, record);
}

static inline bool mp_probe_counter_listens(void)
{
	return *(volatile unsigned short *)&otel_memory_counter_semaphore;
}

static inline void mp_probe_counter(const void *record)
{
	STAP_PROBE1(otel_memory, counter, record);
}

#else

static inline void mp_probe_alloc(uint64_t ptr, uint64_t size, uint64_t weighted_bytes,
				  const uintptr_t *frames, uint64_t nr_frames)
{
	(void)ptr;
	(void)size;
	(void)weighted_bytes;
	(void)frames;
	(void)nr_frames;
}

static inline void mp_probe_free(uint64_t ptr)
{
	(void)ptr;
}

static inline unsigned short mp_probe_function_listeners(void)
{
	return 0;
}

static inline void mp_probe_function(const void *record)
{
	(void)record;
}

static inline bool mp_probe_counter_listens(void)
{
	return false;
}

static inline void mp_probe_counter(const void *record)
{
	(void)record;
}

#endif

#endif
