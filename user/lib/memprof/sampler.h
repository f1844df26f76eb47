/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sampler.h: chooses the allocations to sample, and computes their weights.
 */
#ifndef MEMPROF_SAMPLER_H
#define MEMPROF_SAMPLER_H

#include "stack-walk.h"
#include "thread-table.h"

/* One object, in the unit that weights of objects have (2^-16). */
#define MP_ONE_OBJECT	(1ULL << 16)
/* Highest rate for which each distance between samples fits into the counter. */
#define MP_MAX_RATE	(1ULL << 35)

void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed);
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate);
uint64_t mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size,
			   const struct mp_registers *regs);
uint64_t mp_sampler_next(MemProfThreadState *thread, uint64_t rate, size_t size,
			 struct mp_pace_site *site, uint64_t now_ns);
uint64_t mp_sampler_weight_bytes(MemProfThreadState *thread, uint64_t rate,
				 uint64_t size);
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size);
uint64_t mp_sampler_rate_valid(uint64_t rate);
bool mp_sampler_not_followed(void);

/*
 * Subtracts @size from the thread's counter. Returns true if the countdown ends in
 * this allocation, or if the thread is not at its first place, where nothing was
 * subtracted. The counter is not negative, so the countdown ends exactly if the
 * unsigned subtraction borrows or leaves 0. The subtraction is one instruction, so no
 * signal can interrupt it. If the result is true, the caller must call
 * mp_sampler_ended() at once.
 */
static inline __attribute__((always_inline))
bool mp_sampler_counts_down(size_t size)
{
	const uintptr_t own = mp_thread_pointer();
#ifdef __x86_64__
	const size_t offset = mp_thread_offset();
	bool is_other, ends;

	/* by hand, because the compiler would use three more instructions */
	__asm__("cmpq %3, (%1,%2)"
		: "=@ccne" (is_other)
		: "r" (mp_threads), "r" (offset), "r" (own) : "memory");
	if (__builtin_expect(is_other, 0))
		return true;
	__asm__("subq %3, 8(%1,%2)"
		: "=@ccbe" (ends)
		: "r" (mp_threads), "r" (offset), "er" (size) : "memory");
	return ends;
#else
	struct mp_thread *thread = mp_thread_first();
	uint64_t counter;

	if (__builtin_expect(!mp_thread_is_at(thread, own), 0))
		return true;
	counter = thread->state.byte_counter;
	thread->state.byte_counter = (int64_t)(counter - size);
	return counter <= size;
#endif
}

/*
 * Whether the countdown ended, after mp_sampler_counts_down() returned true. If so, the
 * counter is set to 0, because a value below 0 would look like a long countdown. It
 * stays 0 until the next countdown is drawn. So an allocation of a signal handler in
 * between ends the countdown, too.
 */
static inline bool mp_sampler_ended(size_t size)
{
	const uintptr_t own = mp_thread_pointer();
	struct mp_thread *first = mp_thread_first();
	MemProfThreadState *t = &first->state;

	if (!mp_thread_is_at(first, own)) {
		t = mp_thread_find();
		if (!t)
			return mp_sampler_not_followed();
		t->byte_counter = (int64_t)((uint64_t)t->byte_counter - size);
	}
	if (t->byte_counter > 0 && size <= PTRDIFF_MAX)
		return false;
	t->byte_counter = 0;
	return true;
}

#endif
