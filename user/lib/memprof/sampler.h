/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which allocations are sampled, and what they stand for. */
#ifndef MEMPROF_SAMPLER_H
#define MEMPROF_SAMPLER_H

#include "memprof_internal.h"

/* Units of numbers of objects. */
#define MP_ONE_OBJECT	(1ULL << 16)

void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed);
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate);
bool mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size);
uint64_t mp_sampler_weight_bytes(uint64_t rate, uint64_t size);
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size);
uint64_t mp_sampler_rate_valid(uint64_t rate);

/*
 * Whether the countdown ends here, of any size: the counter is a positive number, so
 * that what is subtracted is greater or equal just where an unsigned subtraction
 * borrows, or leaves 0. One instruction, so no signal can tear it. Whoever is told
 * so calls mp_sampler_ended() at once.
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

/* After @size has been subtracted: did it end? Then it is 0, not below, which would
 * be taken for a long one, from now on until the next one is drawn: whoever
 * interrupts this, or never comes back to it, ends it again.
 */
static inline bool mp_sampler_ended(size_t size)
{
	if (memprof_thread.byte_counter > 0 && size <= PTRDIFF_MAX)
		return false;
	memprof_thread.byte_counter = 0;
	return true;
}

#endif
