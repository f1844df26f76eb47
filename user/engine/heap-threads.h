/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-threads: the allocator calls that each thread is inside of
 */
#ifndef MP_HEAP_THREADS_H
#define MP_HEAP_THREADS_H

#include "heap.h"

/* Limit of nested calls of one thread. */
#define MP_HEAP_DEPTH	8

/*
 * A call in progress. Its old block is marked as held: other frees do not
 * affect it.
 */
struct mp_flight {
	struct mp_call call;
	uint64_t old_born_ns;
	bool had_old;
};

/**
 * struct mp_heap_thread - a thread in a call, or with a latest block
 * @process: number of the process of its latest call
 * @depth: number of calls in @flights
 * @deeper: number of calls beyond MP_HEAP_DEPTH
 * @next: next free slot
 * @last_ptr: its latest block
 * @last_born_ns: when it allocated that block
 */
struct mp_heap_thread {
	uint32_t tid;
	uint32_t process;
	uint32_t depth;
	uint32_t deeper;
	uint32_t next;
	uint64_t last_ptr;
	uint64_t last_born_ns;
	struct mp_flight flights[MP_HEAP_DEPTH];
};

/** mp_heap_thread_find - a known thread, or NULL */
struct mp_heap_thread *mp_heap_thread_find(const struct mp_heap *heap,
					   uint32_t tid);

/**
 * mp_heap_thread_get - find or add a thread
 * @thread: out; NULL if the table is full
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
