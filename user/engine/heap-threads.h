/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-threads: what the engine knows of threads: the calls they are inside of
 */
#ifndef MP_HEAP_THREADS_H
#define MP_HEAP_THREADS_H

#include "heap.h"

/* Calls that a thread may be inside of at once. */
#define MP_HEAP_DEPTH	8

/* A call; its old block is held, so that nobody else's free can be of it. */
struct mp_flight {
	struct mp_call call;
	uint64_t old_born_ns;
	bool had_old;
};

/**
 * struct mp_heap_thread - a thread while it is in a call, or has a block to
 *	remember
 * @process: of its latest call
 * @depth: calls that it is inside of
 * @deeper: calls beyond MP_HEAP_DEPTH
 * @next: free ones
 * @last_ptr: its latest block, and when it got it
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

/** mp_heap_thread_find - a thread that is known, or NULL */
struct mp_heap_thread *mp_heap_thread_find(const struct mp_heap *heap,
					   uint32_t tid);

/**
 * mp_heap_thread_get - a thread, new if it is not known
 * @thread: out; NULL where there are too many
 *
 * Return: 0, or -ENOMEM.
 */
int mp_heap_thread_get(struct mp_heap *heap, uint32_t tid,
		       struct mp_heap_thread **thread);

/** mp_heap_thread_put - forget a thread; its calls are the caller's business */
void mp_heap_thread_put(struct mp_heap *heap, struct mp_heap_thread *thread);

/** mp_heap_abandon - the call on top will not end, nor those in it */
void mp_heap_abandon(struct mp_heap *heap, struct mp_heap_thread *thread);

#endif
