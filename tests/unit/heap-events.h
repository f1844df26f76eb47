/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-events: a fixture with a heap, and functions that pass events to it
 */
#ifndef MP_HEAP_EVENTS_H
#define MP_HEAP_EVENTS_H

#include "heap.h"

#include "kselftest_harness.h"

/* Stack pointer of a nested call. Stacks grow down. */
#define SP(depth)	(0x7ffc00000000UL - 256 * (depth))

#define A		0x10000UL
#define B		0x20000UL
#define C		0x30000UL

FIXTURE(heap)
{
	struct mp_heap heap;
	struct mp_who who;
};

FIXTURE_SETUP(heap)
{
	mp_heap_init(&self->heap);
	self->who = (struct mp_who){ .pid = 10, .tid = 10, .cgroup = 5 };
}

FIXTURE_TEARDOWN(heap)
{
	mp_heap_free(&self->heap);
}

/* Sets the thread of the next event. */
static inline const struct mp_who *by(FIXTURE_DATA(heap) *self, uint32_t tid)
{
	self->who.tid = tid;
	self->who.time_ns++;
	return &self->who;
}

static inline void alloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint32_t stack,
			 uint64_t ptr, uint64_t size)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_MALLOC, .stack = stack,
		.callsite = stack, .size = size,
	};

	mp_heap_alloc(&self->heap, by(self, tid), &call, ptr, MP_HEAP_ONE,
		      size);
}

static inline void dealloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr)
{
	mp_heap_dealloc(&self->heap, by(self, tid), ptr, 0, 0);
}

static inline void enter(FIXTURE_DATA(heap) *self, uint32_t tid, uint32_t stack,
			 uint64_t size, uint64_t sp)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_MALLOC, .stack = stack,
		.callsite = stack, .size = size,
		.sp = sp,
	};

	mp_heap_enter(&self->heap, by(self, tid), &call);
}

static inline void leave(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr,
			 uint64_t sp)
{
	mp_heap_leave(&self->heap, by(self, tid), MEMPROF_FUNC_MALLOC,
		      NULL, ptr, sp);
}

static inline void enter_realloc(FIXTURE_DATA(heap) *self, uint32_t tid,
				 uint32_t stack, uint64_t old, uint64_t size,
				 uint64_t sp)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_REALLOC, .stack = stack,
		.callsite = stack, .size = size,
		.old = old, .sp = sp,
	};

	mp_heap_enter(&self->heap, by(self, tid), &call);
}

static inline void leave_realloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr,
				 uint64_t sp)
{
	mp_heap_leave(&self->heap, by(self, tid), MEMPROF_FUNC_REALLOC,
		      NULL, ptr, sp);
}

static inline void fault(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t addr,
			 uint32_t weight)
{
	mp_heap_fault(&self->heap, by(self, tid), NULL, addr, weight, false);
}

/* Finds a site's tally. Unless a test says otherwise, stacks have their callsites' numbers. */
static inline const struct mp_tally *site_in(const struct mp_heap *heap,
					     uint32_t stack)
{
	static const struct mp_tally none;
	size_t i;

	for (i = 0; i < heap->nr_sites; i++)
		if (heap->sites[i].stack == stack &&
		    heap->sites[i].callsite == i)
			return &heap->sites[i].tally;
	return &none;
}

static inline const struct mp_tally *site(FIXTURE_DATA(heap) *self, uint32_t stack)
{
	return site_in(&self->heap, stack);
}

#define EXPECT_LIVE(bytes, allocs, frees) do {				\
	EXPECT_EQ(bytes, self->heap.total.inuse_space);			\
	EXPECT_EQ((allocs) * MP_HEAP_ONE,				\
		  self->heap.total.alloc_objects);			\
	EXPECT_EQ((frees) * MP_HEAP_ONE,				\
		  self->heap.total.free_objects);			\
} while (0)

#endif
