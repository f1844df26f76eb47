/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * thread-table.h: finds the state of the calling thread.
 *
 * Thread-local storage would be simpler, but a library that is loaded into a running
 * process cannot rely on it: static TLS may be used up, and musl refuses it; dynamic
 * TLS calls malloc() at its first use. So the thread pointer is the key of a table.
 */
#ifndef MEMPROF_THREAD_TABLE_H
#define MEMPROF_THREAD_TABLE_H

#include "memprof_internal.h"

#define MP_THREAD_BITS	14
/* An odd number: the golden ratio, as for other tables, in 32 bits. */
#define MP_THREAD_MIX	0x9e3779b1

/*
 * A thread's place in the table, in cache lines of its own. @pointer: 0: free. Only
 * the thread itself writes its pointer, so it can read it without a barrier.
 */
struct mp_thread {
	uintptr_t pointer;
	MemProfThreadState state;
} __attribute__((aligned(1024)));

_Static_assert(offsetof(struct mp_thread, state.byte_counter) == 8,
	       "mp_sampler_counts_down() has this number");
_Static_assert(sizeof(struct mp_thread) == 1024, "four threads share a page");

#pragma GCC visibility push(hidden)

/* Zeroed memory of the program: pages of unused places take no memory. */
extern struct mp_thread mp_threads[1 << MP_THREAD_BITS];

MemProfThreadState *mp_thread_find(void);
bool mp_thread_has_changed(MemProfThreadState *state);
bool mp_thread_is_dead(const MemProfThreadState *state);
void mp_threads_begin(void);

#pragma GCC visibility pop

/* Never 0. Two threads have the same one only if one has ended before. */
static inline uintptr_t mp_thread_pointer(void)
{
#ifdef __x86_64__
	uintptr_t pointer;

	__asm__("movq %%fs:0, %0" : "=r" (pointer));
	return pointer;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

/*
 * Where in the table a thread is searched first, in bytes. Two threads may have the
 * same place. C libraries put a thread's pointer beside its stack, often at equal
 * distances, so bits 8 to 39 are multiplied: the places of equal distances differ. On
 * x86-64 one instruction loads these bits and multiplies them.
 */
static inline size_t mp_thread_offset(void)
{
	uint32_t mixed;

#ifdef __x86_64__
	__asm__("imull %1, %%fs:1, %0" : "=r" (mixed) : "i" ((int)MP_THREAD_MIX) : "cc");
#else
	mixed = (uint32_t)(mp_thread_pointer() >> 8) * MP_THREAD_MIX;
#endif
	return mixed & (sizeof(mp_threads) - sizeof(struct mp_thread));
}

static inline struct mp_thread *mp_thread_first(void)
{
	return (struct mp_thread *)((char *)mp_threads + mp_thread_offset());
}

static inline bool mp_thread_is_at(const struct mp_thread *thread, uintptr_t pointer)
{
	return __atomic_load_n(&thread->pointer, __ATOMIC_RELAXED) == pointer;
}

#endif
