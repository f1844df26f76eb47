/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampler.h: chooses the allocations to sample, and computes their weights.
 */
#ifndef MEMPROF_SAMPLER_H
#define MEMPROF_SAMPLER_H

#include "memprof_internal.h"

/* One object, in the unit that weights of objects have (2^-16). */
#define MP_ONE_OBJECT	(1ULL << 16)

void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed);
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate);
bool mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size);
uint64_t mp_sampler_weight_bytes(MemProfThreadState *thread, uint64_t rate,
				 uint64_t size);
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size);
uint64_t mp_sampler_rate_valid(uint64_t rate);

/*
 * Subtracts @size from the counter. Returns true if the countdown ends in this
 * allocation. The counter is not negative, so the countdown ends exactly if the
 * unsigned subtraction borrows or leaves 0. The subtraction is one instruction, so no
 * signal can interrupt it. If the result is true, the caller must call
 * mp_sampler_ended() at once.
 */
static inline __attribute__((always_inline))
bool mp_sampler_counts_down(size_t size)
{
#ifdef __x86_64__
	bool ends;

	__asm__("subq %2, %0"
		: "+m" (memprof_thread.byte_counter), "=@ccbe" (ends)
		: "er" (size));
	return ends;
#else
	const uint64_t counter = memprof_thread.byte_counter;

	memprof_thread.byte_counter = (int64_t)(counter - size);
	return counter <= size;
#endif
}

/*
 * Whether the countdown ended, after @size has been subtracted. If so, the counter is
 * set to 0, because a value below 0 would look like a long countdown. It stays 0 until
 * the next countdown is drawn. So an allocation of a signal handler in between ends
 * the countdown, too.
 */
static inline bool mp_sampler_ended(size_t size)
{
	if (memprof_thread.byte_counter > 0 && size <= PTRDIFF_MAX)
		return false;
	memprof_thread.byte_counter = 0;
	return true;
}

#endif
