// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-threads: stores threads in an array with free slots, and a map by thread id
 */
#include "heap-threads.h"
#include "heap-rows.h"

#include <errno.h>

struct mp_heap_thread *mp_heap_thread_find(const struct mp_heap *heap,
					   uint32_t tid)
{
	uint32_t *known = mp_map_find(&heap->by_tid, tid, 0);

	return known ? &heap->threads[*known] : NULL;
}

static uint32_t slot_for(struct mp_heap *heap)
{
	uint32_t i = heap->free_thread;

	if (i == MP_HEAP_NONE)
		return MP_HEAP_ONE_MORE(heap, threads);
	heap->free_thread = heap->threads[i].next;
	return i;
}

int mp_heap_thread_get(struct mp_heap *heap, uint32_t tid,
		       struct mp_heap_thread **thread)
{
	uint32_t *known, i;

	*thread = mp_heap_thread_find(heap, tid);
	if (*thread)
		return 0;
	if (heap->by_tid.nr >= heap->limit_threads) {
		heap->counts.full_threads++;
		return 0;
	}
	known = mp_map_add(&heap->by_tid, tid, 0);
	if (!known)
		return -ENOMEM;
	i = slot_for(heap);
	if (i == MP_HEAP_NONE) {
		mp_map_remove(&heap->by_tid, tid, 0);
		return -ENOMEM;
	}
	*known = i;
	*thread = &heap->threads[i];
	(*thread)->tid = tid;
	(*thread)->process = MP_HEAP_NONE;
	(*thread)->depth = (*thread)->deeper = 0;
	(*thread)->last_ptr = 0;
	(*thread)->freed_ptr = 0;
	return 0;
}

void mp_heap_thread_put(struct mp_heap *heap, struct mp_heap_thread *thread)
{
	mp_map_remove(&heap->by_tid, thread->tid, 0);
	thread->depth = 0;
	thread->next = heap->free_thread;
	heap->free_thread = (uint32_t)(thread - heap->threads);
}
