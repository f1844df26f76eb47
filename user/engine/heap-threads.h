/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-threads: stores the allocator calls in progress, by thread
 */
#ifndef MP_HEAP_THREADS_H
#define MP_HEAP_THREADS_H

#include "heap.h"

/* Limit of nested allocator calls per thread. */
#define MP_HEAP_DEPTH	8

/*
 * A call in progress. If it is a realloc, its old block is marked as held, so that
 * other calls do not free the block.
 */
struct mp_flight {
	struct mp_call call;
	uint64_t old_born_ns;
	bool had_old;
};

/**
 * struct mp_heap_thread - a thread with calls in progress, or with a latest block
 * @process: number of the process of the thread's latest call
 * @depth: number of calls in @flights
 * @deeper: number of nested calls beyond MP_HEAP_DEPTH
 * @next: next free slot, if this slot is free
 * @last_ptr: address of the block that the thread allocated last
 * @last_born_ns: time of that allocation
 * @freed_ptr: block that the thread freed in its latest event, or 0
 * @freed_sp, @freed_ra: stack pointer at the entry of that free, and its return address
 */
struct mp_heap_thread {
	uint32_t tid;
	uint32_t process;
	uint32_t depth;
	uint32_t deeper;
	uint32_t next;
	uint64_t last_ptr;
	uint64_t last_born_ns;
	uint64_t freed_ptr, freed_sp, freed_ra;
	struct mp_flight flights[MP_HEAP_DEPTH];
};

/** mp_heap_thread_find - find a thread by its id; NULL if it is unknown */
struct mp_heap_thread *mp_heap_thread_find(const struct mp_heap *heap,
					   uint32_t tid);

/**
 * mp_heap_thread_get - find or add a thread
 * @thread: out: the thread; NULL if the table is full
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_thread_get(struct mp_heap *heap, uint32_t tid,
		       struct mp_heap_thread **thread);

/** mp_heap_thread_put - remove a thread; the caller handles its open calls */
void mp_heap_thread_put(struct mp_heap *heap, struct mp_heap_thread *thread);

/** mp_heap_abandon - remove the innermost call, whose return was not seen */
void mp_heap_abandon(struct mp_heap *heap, struct mp_heap_thread *thread);

#endif
