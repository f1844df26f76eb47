// SPDX-License-Identifier: GPL-2.0-only
/*
 * The merge engine: what each event must do to the sums, and what must hold
 * after any.
 */
#include "heap.h"
#include "random.h"

#include "kselftest_harness.h"

/* The innermost calls' stack pointers; stacks grow down. */
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

/* The next event is of this thread. */
static const struct mp_who *by(FIXTURE_DATA(heap) *self, uint32_t tid)
{
	self->who.tid = tid;
	self->who.time_ns++;
	return &self->who;
}

static void alloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint32_t stack,
		  uint64_t ptr, uint64_t size)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_MALLOC, .stack = stack,
		.callsite = stack, .size = size,
	};

	mp_heap_alloc(&self->heap, by(self, tid), &call, ptr, MP_HEAP_ONE,
		      size);
}

static void dealloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr)
{
	mp_heap_dealloc(&self->heap, by(self, tid), ptr, 0);
}

static void enter(FIXTURE_DATA(heap) *self, uint32_t tid, uint32_t stack,
		  uint64_t size, uint64_t sp)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_MALLOC, .stack = stack,
		.callsite = stack, .size = size,
		.sp = sp,
	};

	mp_heap_enter(&self->heap, by(self, tid), &call);
}

static void leave(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr,
		  uint64_t sp)
{
	mp_heap_leave(&self->heap, by(self, tid), MEMPROF_FUNC_MALLOC,
		      NULL, ptr, sp);
}

static void enter_realloc(FIXTURE_DATA(heap) *self, uint32_t tid,
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

static void leave_realloc(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t ptr,
			  uint64_t sp)
{
	mp_heap_leave(&self->heap, by(self, tid), MEMPROF_FUNC_REALLOC,
		      NULL, ptr, sp);
}

static void fault(FIXTURE_DATA(heap) *self, uint32_t tid, uint64_t addr,
		  uint32_t weight)
{
	mp_heap_fault(&self->heap, by(self, tid), NULL, addr, weight, false);
}

/* Stacks and callsites have the same numbers here, but where a test says so. */
static const struct mp_tally *site_in(const struct mp_heap *heap,
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

static const struct mp_tally *site(FIXTURE_DATA(heap) *self, uint32_t stack)
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

/* Calls */

TEST_F(heap, calls_pair_by_thread)
{
	enter(self, 10, 1, 100, SP(1));
	enter(self, 11, 2, 200, SP(1));
	leave(self, 10, A, SP(1));
	EXPECT_EQ(100, site(self, 1)->inuse_space);
	EXPECT_EQ(0, site(self, 2)->inuse_space);
	leave(self, 11, B, SP(1));
	EXPECT_EQ(200, site(self, 2)->inuse_space);
	EXPECT_LIVE(300, 2, 0);
	EXPECT_EQ(0, self->heap.counts.nested);
	EXPECT_EQ(0, self->heap.counts.unmatched_exits);
}

TEST_F(heap, a_call_in_a_call_counts_at_the_outermost)
{
	/* as calloc that calls malloc that calls brk's wrapper */
	enter(self, 10, 1, 100, SP(1));
	enter(self, 10, 2, 116, SP(2));
	enter(self, 10, 3, 4096, SP(3));
	leave(self, 10, C, SP(3));
	leave(self, 10, B, SP(2));
	EXPECT_LIVE(0, 0, 0);
	leave(self, 10, A, SP(1));
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(100, site(self, 1)->inuse_space);
	EXPECT_EQ(2, self->heap.counts.nested);
}

TEST_F(heap, a_free_in_a_call_is_a_part_of_it)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, SP(1));
	mp_heap_dealloc(&self->heap, by(self, 10), A, SP(2));
	EXPECT_LIVE(100, 1, 0);
	leave_realloc(self, 10, B, SP(1));
	EXPECT_LIVE(200, 2, 1);
	EXPECT_EQ(1, self->heap.counts.nested);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, what_was_not_entered_is_not_left)
{
	leave(self, 10, A, SP(1));
	EXPECT_EQ(1, self->heap.counts.unmatched_exits);
	enter(self, 10, 1, 8, 0);
	leave_realloc(self, 10, A, 0);
	leave(self, 11, A, 0);
	EXPECT_EQ(3, self->heap.counts.unmatched_exits);
	leave(self, 10, A, 0);
	EXPECT_LIVE(8, 1, 0);
}

TEST_F(heap, a_lower_stack_pointer_is_inside_any_other_was_left)
{
	/* longjmp out of two calls, then a call from higher up */
	enter(self, 10, 1, 100, SP(5));
	enter(self, 10, 2, 200, SP(6));
	enter(self, 10, 3, 300, SP(4));
	EXPECT_EQ(1, self->heap.counts.abandoned);
	leave(self, 10, A, SP(4));
	EXPECT_EQ(300, site(self, 3)->inuse_space);
	/* a free tells as well, and counts for itself then */
	enter(self, 10, 1, 100, SP(5));
	mp_heap_dealloc(&self->heap, by(self, 10), A, SP(5));
	EXPECT_EQ(2, self->heap.counts.abandoned);
	EXPECT_LIVE(0, 1, 1);
	/* and so does the end of one that is below others */
	enter(self, 10, 1, 100, SP(1));
	enter(self, 10, 2, 200, SP(2));
	leave(self, 10, B, SP(1));
	EXPECT_LIVE(100, 2, 1);
	EXPECT_EQ(0, self->heap.counts.unmatched_exits);
}

TEST_F(heap, a_realloc_that_was_left_leaves_its_block)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, SP(5));
	enter(self, 10, 3, 300, SP(4));
	leave(self, 10, B, SP(4));
	EXPECT_LIVE(400, 2, 0);
	dealloc(self, 10, A);
	EXPECT_LIVE(300, 2, 1);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, more_than_eight_calls_deep_is_counted)
{
	int depth;

	for (depth = 1; depth <= 12; depth++)
		enter(self, 10, depth, depth, SP(depth));
	EXPECT_EQ(4, self->heap.counts.too_deep);
	for (depth = 12; depth >= 1; depth--)
		leave(self, 10, A + depth, SP(depth));
	EXPECT_LIVE(1, 1, 0);
	EXPECT_EQ(0, self->heap.counts.unmatched_exits);
	/* without stack pointers too */
	for (depth = 1; depth <= 12; depth++)
		enter(self, 10, depth, depth, 0);
	for (depth = 12; depth >= 1; depth--)
		leave(self, 10, B + depth, 0);
	EXPECT_LIVE(2, 2, 0);
}

TEST_F(heap, calls_too_deep_are_left_with_those_around_them)
{
	int depth;

	for (depth = 1; depth <= 12; depth++)
		enter(self, 10, depth, depth, SP(depth));
	/* longjmp to the top, and all is as usual */
	enter(self, 10, 99, 100, SP(0));
	leave(self, 10, A, SP(0));
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(100, site(self, 99)->inuse_space);
	/* longjmp into the first call, which then ends */
	for (depth = 1; depth <= 12; depth++)
		enter(self, 10, depth, depth, SP(depth));
	leave(self, 10, B, SP(1));
	EXPECT_LIVE(101, 2, 0);
	enter(self, 10, 99, 100, SP(0));
	leave(self, 10, C, SP(0));
	EXPECT_LIVE(201, 3, 0);
}

TEST_F(heap, a_thread_that_ends_in_a_call_leaves_no_trace)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 11, 2, A, 200, 0);
	mp_heap_exit(&self->heap, by(self, 11), false);
	EXPECT_EQ(1, self->heap.counts.abandoned);
	/* the block lives on; the id may be that of a new thread */
	leave_realloc(self, 11, B, 0);
	EXPECT_EQ(1, self->heap.counts.unmatched_exits);
	dealloc(self, 10, A);
	EXPECT_LIVE(0, 1, 1);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, a_source_may_know_the_caller_only_in_the_end)
{
	struct mp_call at = { .stack = 2, .callsite = 2 };

	enter(self, 10, 1, 100, 0);
	mp_heap_leave(&self->heap, by(self, 10), MEMPROF_FUNC_MALLOC, &at, A,
		      0);
	EXPECT_EQ(0, site(self, 1)->alloc_space);
	EXPECT_EQ(100, site(self, 2)->inuse_space);
}

TEST_F(heap, a_block_whose_address_is_not_told_is_not_followed)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_POSIX_MEMALIGN, .stack = 1,
		.callsite = 1, .size = 100,
	};

	mp_heap_enter(&self->heap, by(self, 10), &call);
	mp_heap_leave(&self->heap, by(self, 10), call.func, NULL, 0, 0);
	EXPECT_LIVE(0, 1, 0);
	EXPECT_EQ(100, site(self, 1)->alloc_space);
	EXPECT_EQ(1, self->heap.counts.not_followed);
	mp_heap_enter(&self->heap, by(self, 10), &call);
	mp_heap_leave(&self->heap, by(self, 10), call.func, NULL, 12, 0);
	EXPECT_EQ(1, self->heap.counts.failed_allocs);
	EXPECT_EQ(MP_HEAP_ONE, site(self, 1)->failed);
}

TEST_F(heap, a_function_reached_by_a_jump_is_inside)
{
	/* as a realloc that is a jump to malloc */
	enter_realloc(self, 10, 1, 0, 100, SP(1));
	enter(self, 10, 1, 100, SP(1));
	leave(self, 10, A, SP(1));
	leave_realloc(self, 10, A, SP(1));
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(0, self->heap.counts.abandoned);
	/* the same one again: the first did not end */
	enter(self, 10, 1, 100, SP(1));
	enter(self, 10, 1, 100, SP(1));
	EXPECT_EQ(1, self->heap.counts.abandoned);
}

/* Allocations and frees */

TEST_F(heap, failed_allocations_are_counted_and_hold_nothing)
{
	alloc(self, 10, 1, 0, 1UL << 62);
	enter(self, 10, 1, -1UL, 0);
	leave(self, 10, 0, 0);
	EXPECT_LIVE(0, 0, 0);
	EXPECT_EQ(2, self->heap.counts.failed_allocs);
	EXPECT_EQ(2 * MP_HEAP_ONE, site(self, 1)->failed);
	EXPECT_EQ(0, self->heap.total.peak_space);
	EXPECT_EQ(0, self->heap.total.alloc_space);
}

TEST_F(heap, frees_of_nothing_are_told_apart)
{
	alloc(self, 10, 1, A, 100);
	dealloc(self, 10, 0);
	dealloc(self, 10, A + 1);
	dealloc(self, 10, A);
	dealloc(self, 10, A);
	EXPECT_LIVE(0, 1, 1);
	EXPECT_EQ(1, self->heap.counts.free_null);
	EXPECT_EQ(2, self->heap.counts.unknown_frees);
	EXPECT_EQ(2, self->heap.total.unknown_frees);
	/* where blocks are sampled, an unknown one is most likely that */
	self->heap.is_exact = false;
	dealloc(self, 10, A);
	EXPECT_EQ(2, self->heap.counts.unknown_frees);
}

TEST_F(heap, an_address_given_out_again_was_freed_unseen)
{
	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 2, A, 30);
	EXPECT_LIVE(30, 2, 1);
	EXPECT_EQ(0, site(self, 1)->inuse_space);
	EXPECT_EQ(100, self->heap.total.peak_space);
}

TEST_F(heap, stacks_of_a_callsite_add_up_there_but_peaks_do_not)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_MALLOC, .stack = 1, .callsite = 50,
		.size = 100,
	};
	const struct mp_tally *callsite;

	mp_heap_alloc(&self->heap, by(self, 10), &call, A, MP_HEAP_ONE, 100);
	dealloc(self, 10, A);
	call.stack = 2;
	mp_heap_alloc(&self->heap, by(self, 10), &call, B, MP_HEAP_ONE, 100);
	mp_heap_fault(&self->heap, by(self, 10), NULL, B, 3, false);
	ASSERT_EQ(3, self->heap.nr_sites);
	callsite = &self->heap.sites[0].tally;
	EXPECT_EQ(0, self->heap.sites[2].callsite);
	EXPECT_EQ(100, callsite->inuse_space);
	EXPECT_EQ(100, callsite->peak_space);
	EXPECT_EQ(200, callsite->alloc_space);
	EXPECT_EQ(3, callsite->block_faults);
	EXPECT_EQ(100, self->heap.sites[1].tally.peak_space);
	EXPECT_EQ(100, self->heap.sites[2].tally.peak_space);
}

TEST_F(heap, a_reset_keeps_what_lives)
{
	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 50);
	dealloc(self, 10, B);
	fault(self, 10, A, 3);
	mp_heap_reset(&self->heap);
	EXPECT_LIVE(100, 0, 0);
	EXPECT_EQ(100, self->heap.total.peak_space);
	EXPECT_EQ(0, self->heap.total.minor_faults);
	EXPECT_EQ(0, site(self, 1)->block_faults);
	EXPECT_EQ(100, site(self, 1)->inuse_space);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(0, self->heap.total.inuse_objects);
}

TEST_F(heap, blocks_of_nothing_live_too)
{
	alloc(self, 10, 1, A, 0);
	EXPECT_EQ(MP_HEAP_ONE, self->heap.total.inuse_objects);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.inuse_objects);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, sampled_blocks_stand_for_others)
{
	struct mp_call call = { .func = MEMPROF_FUNC_MALLOC, .stack = 1,
				.callsite = 1, .size = 100 };

	mp_heap_alloc(&self->heap, by(self, 10), &call, A, MP_HEAP_ONE * 5 / 2,
		      250);
	EXPECT_EQ(250, self->heap.total.inuse_space);
	EXPECT_EQ(250, self->heap.total.alloc_space);
	EXPECT_EQ(1, self->heap.total.samples);
	EXPECT_EQ(100, mp_blocks_at(&self->heap.blocks, 0, A + 99)->size);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(MP_HEAP_ONE * 5 / 2, self->heap.total.free_objects);
	EXPECT_EQ(0, self->heap.total.inuse_objects);
}

TEST_F(heap, temporary_is_freed_by_its_thread_before_the_next)
{
	alloc(self, 10, 1, A, 1);
	alloc(self, 11, 1, B, 1);
	dealloc(self, 10, A);
	EXPECT_EQ(MP_HEAP_ONE, self->heap.total.temporary);
	dealloc(self, 10, B);			/* another's */
	alloc(self, 10, 1, A, 1);
	alloc(self, 10, 1, B, 1);
	dealloc(self, 10, A);			/* not the latest */
	EXPECT_EQ(MP_HEAP_ONE, self->heap.total.temporary);
	dealloc(self, 10, B);
	EXPECT_EQ(2 * MP_HEAP_ONE, self->heap.total.temporary);
	EXPECT_EQ(2 * MP_HEAP_ONE, site(self, 1)->temporary);
}

TEST_F(heap, anothers_block_at_the_same_address_is_not_temporary)
{
	alloc(self, 10, 1, A, 1);
	dealloc(self, 11, A);
	alloc(self, 11, 1, A, 1);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.temporary);
}

TEST_F(heap, bins_hold_sizes_and_lifetimes)
{
	self->heap.with_bins = true;
	alloc(self, 10, 1, A, 100);
	self->who.time_ns += 998;
	dealloc(self, 10, A);
	EXPECT_EQ(1, self->heap.sites[0].bins->sizes[7]);
	EXPECT_EQ(1, self->heap.sites[0].bins->lifetimes[10]);
	alloc(self, 10, 1, A, -1UL);
	EXPECT_EQ(1, self->heap.sites[0].bins->sizes[MEMPROF_HISTOGRAM - 1]);
}

TEST_F(heap, blocks_beyond_the_bound_are_counted_not_followed)
{
	self->heap.max_blocks = 1;
	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 100);
	EXPECT_EQ(1, self->heap.counts.dropped_blocks);
	EXPECT_EQ(100, self->heap.total.inuse_space);
	EXPECT_EQ(200, self->heap.total.alloc_space);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.inuse_space);
}

/* realloc, as one event and as two */

FIXTURE(moving)
{
	struct mp_heap heap;
	struct mp_who who;
};

FIXTURE_VARIANT(moving)
{
	bool two_events;
};

FIXTURE_VARIANT_ADD(moving, one_event) { .two_events = false };
FIXTURE_VARIANT_ADD(moving, enter_and_leave) { .two_events = true };

FIXTURE_SETUP(moving)
{
	mp_heap_init(&self->heap);
	self->who = (struct mp_who){ .pid = 10, .tid = 10 };
}

FIXTURE_TEARDOWN(moving)
{
	mp_heap_free(&self->heap);
}

static void move(FIXTURE_DATA(moving) *self, bool two_events, uint32_t stack,
		 uint64_t old, uint64_t size, uint64_t ptr)
{
	struct mp_call call = {
		.func = MEMPROF_FUNC_REALLOC, .stack = stack,
		.callsite = stack, .size = size,
		.old = old,
	};

	self->who.time_ns++;
	if (!two_events) {
		mp_heap_realloc(&self->heap, &self->who, &call, ptr);
		return;
	}
	mp_heap_enter(&self->heap, &self->who, &call);
	mp_heap_leave(&self->heap, &self->who, MEMPROF_FUNC_REALLOC,
		      NULL, ptr, 0);
}

#define MOVE(...) move(self, variant->two_events, __VA_ARGS__)

/* A block that only the first line of a test needs. */
static void given(FIXTURE_DATA(moving) *self, uint64_t ptr, uint64_t size)
{
	struct mp_call call = { .func = MEMPROF_FUNC_MALLOC, .stack = 1,
				.callsite = 1, .size = size };

	self->who.time_ns++;
	mp_heap_alloc(&self->heap, &self->who, &call, ptr, MP_HEAP_ONE, size);
}

TEST_F(moving, peak_never_holds_both_blocks)
{
	given(self, A, 1000);
	MOVE(2, A, 1500, B);
	EXPECT_LIVE(1500, 2, 1);
	EXPECT_EQ(1500, self->heap.total.peak_space);
	MOVE(2, B, 1200, B);
	EXPECT_LIVE(1200, 3, 2);
	EXPECT_EQ(1500, self->heap.total.peak_space);
	EXPECT_EQ(1, self->heap.blocks.nr);
	EXPECT_EQ(NULL, mp_blocks_at(&self->heap.blocks, 0, A));
}

TEST_F(moving, a_block_goes_to_who_moved_it)
{
	given(self, A, 1000);
	MOVE(2, A, 1000, B);
	EXPECT_EQ(0, self->heap.sites[0].tally.inuse_space);
	EXPECT_EQ(1000, self->heap.sites[0].tally.peak_space);
	EXPECT_EQ(1000, self->heap.sites[2].tally.inuse_space);
}

TEST_F(moving, of_null_is_an_allocation)
{
	MOVE(1, 0, 100, A);
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
	MOVE(1, 0, 100, 0);
	EXPECT_EQ(1, self->heap.counts.failed_reallocs);
	EXPECT_LIVE(100, 1, 0);
}

TEST_F(moving, to_nothing_is_a_free)
{
	given(self, A, 100);
	MOVE(1, A, 0, 0);
	EXPECT_LIVE(0, 1, 1);
	EXPECT_EQ(0, self->heap.counts.failed_reallocs);
	/* some allocators give a block of size 0 instead */
	given(self, A, 100);
	MOVE(1, A, 0, B);
	EXPECT_LIVE(0, 3, 2);
	EXPECT_EQ(MP_HEAP_ONE, self->heap.total.inuse_objects);
}

TEST_F(moving, in_vain_leaves_the_old_block)
{
	given(self, A, 100);
	MOVE(2, A, 1UL << 60, 0);
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(1, self->heap.counts.failed_reallocs);
	EXPECT_EQ(0, self->heap.counts.failed_allocs);
	EXPECT_EQ(100, self->heap.total.peak_space);
	EXPECT_EQ(MP_HEAP_ONE, self->heap.sites[2].tally.failed);
	mp_heap_dealloc(&self->heap, &self->who, A, 0);
	EXPECT_LIVE(0, 1, 1);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(moving, of_an_unknown_block_counts_both)
{
	MOVE(1, C, 100, A);
	EXPECT_LIVE(100, 1, 0);
	EXPECT_EQ(1, self->heap.counts.unknown_frees);
	/* but not where nothing was freed */
	MOVE(1, C, 100, 0);
	EXPECT_EQ(1, self->heap.counts.unknown_frees);
}

/* Two threads: realloc frees the old block before it returns. */

TEST_F(heap, an_old_address_may_be_anothers_before_realloc_returns)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, 0);
	alloc(self, 11, 3, A, 50);
	/* never both the old and the new block at one address */
	EXPECT_LIVE(50, 2, 1);
	EXPECT_EQ(100, self->heap.total.peak_space);
	leave_realloc(self, 10, B, 0);
	EXPECT_LIVE(250, 3, 1);
	EXPECT_EQ(50, mp_blocks_at(&self->heap.blocks, 0, A)->size);
	dealloc(self, 11, A);
	EXPECT_LIVE(200, 3, 2);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, another_may_free_it_again_before_realloc_returns)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, 0);
	alloc(self, 11, 3, A, 50);
	dealloc(self, 11, A);
	leave_realloc(self, 10, B, 0);
	EXPECT_LIVE(200, 3, 2);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, another_may_move_it_away_before_realloc_returns)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, 0);
	alloc(self, 11, 3, A, 50);
	enter_realloc(self, 11, 4, A, 60, 0);
	leave_realloc(self, 10, B, 0);
	EXPECT_LIVE(250, 3, 1);
	leave_realloc(self, 11, C, 0);
	EXPECT_LIVE(260, 4, 2);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

TEST_F(heap, a_block_that_is_being_moved_is_not_anothers_to_free)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, 0);
	dealloc(self, 11, A);
	EXPECT_EQ(1, self->heap.counts.unknown_frees);
	leave_realloc(self, 10, B, 0);
	EXPECT_LIVE(200, 2, 1);
	EXPECT_EQ(1, self->heap.counts.unknown_frees);
}

/* Faults and growth */

TEST_F(heap, faults_go_to_the_call_the_block_or_nobody)
{
	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 2, B, 100000);
	fault(self, 10, A + 99, 7);
	fault(self, 11, B + 99999, 10);
	fault(self, 10, A + 100, 100);
	fault(self, 10, B + 100000, 100);
	enter(self, 10, 3, 5, 0);
	/* on a block, but inside a call */
	fault(self, 10, A, 3);
	fault(self, 11, A, 1);
	EXPECT_EQ(8, site(self, 1)->block_faults);
	EXPECT_EQ(10, site(self, 2)->block_faults);
	EXPECT_EQ(3, site(self, 3)->inside_faults);
	EXPECT_EQ(0, site(self, 1)->inside_faults);
	EXPECT_EQ(221, self->heap.total.minor_faults);
	EXPECT_EQ(6, self->heap.total.minor_samples);
	EXPECT_EQ(221, self->heap.processes[0].tally.minor_faults);
	mp_heap_fault(&self->heap, by(self, 10), NULL, C, 2, true);
	EXPECT_EQ(2, self->heap.total.major_faults);
	EXPECT_EQ(1, self->heap.total.major_samples);
}

TEST_F(heap, faults_on_freed_blocks_are_nobodys)
{
	alloc(self, 10, 1, B, 100000);
	dealloc(self, 10, B);
	fault(self, 10, B, 1);
	EXPECT_EQ(0, site(self, 1)->block_faults);
	EXPECT_EQ(1, self->heap.total.minor_faults);
}

TEST_F(heap, growth_in_a_call_is_that_callsites)
{
	enter(self, 10, 1, 100, 0);
	mp_heap_grow(&self->heap, by(self, 10), NULL, true, 135168);
	mp_heap_grow(&self->heap, by(self, 11), NULL, false, 4096);
	leave(self, 10, A, 0);
	mp_heap_grow(&self->heap, by(self, 10), NULL, false, -200000);
	EXPECT_EQ(135168, site(self, 1)->brk_up);
	EXPECT_EQ(135168, site(self, 1)->growth);
	EXPECT_EQ(0, site(self, 1)->mmap_up);
	EXPECT_EQ(4096, self->heap.total.mmap_up);
	EXPECT_EQ(200000, self->heap.total.mmap_down);
	EXPECT_EQ(135168 + 4096 - 200000, self->heap.total.growth);
	EXPECT_EQ(135168 + 4096, self->heap.total.growth_peak);
	EXPECT_EQ(3, self->heap.total.growth_calls);
}

TEST_F(heap, a_source_may_say_where_faults_and_growth_belong)
{
	struct mp_call at = { .stack = 7, .callsite = 7 };

	enter(self, 10, 1, 100, 0);
	mp_heap_fault(&self->heap, by(self, 10), &at, A, 5, false);
	mp_heap_grow(&self->heap, by(self, 10), &at, true, 4096);
	EXPECT_EQ(5, site(self, 7)->inside_faults);
	EXPECT_EQ(4096, site(self, 7)->brk_up);
	EXPECT_EQ(0, site(self, 1)->inside_faults);
}

TEST_F(heap, what_no_allocator_is_behind_belongs_to_its_own_code)
{
	struct mp_call at = { .stack = 7, .callsite = 7, .own = true };

	alloc(self, 10, 1, B, 100);
	mp_heap_fault(&self->heap, by(self, 10), &at, A, 5, false);
	mp_heap_fault(&self->heap, by(self, 10), &at, B, 3, false);
	mp_heap_grow(&self->heap, by(self, 10), &at, false, 4096);
	enter(self, 10, 2, 100, 0);
	mp_heap_fault(&self->heap, by(self, 10), &at, C, 2, true);
	mp_heap_grow(&self->heap, by(self, 10), &at, true, 8192);
	EXPECT_EQ(5, site(self, 7)->other_faults);
	EXPECT_EQ(0, site(self, 7)->inside_faults);
	EXPECT_EQ(4096, site(self, 7)->growth);
	EXPECT_EQ(3, site(self, 1)->block_faults);
	EXPECT_EQ(2, site(self, 2)->inside_faults);
	EXPECT_EQ(8192, site(self, 2)->growth);
	EXPECT_EQ(8, self->heap.total.minor_faults);
	EXPECT_EQ(2, self->heap.total.major_faults);
}

/* Processes and cgroups */

TEST_F(heap, a_process_keeps_its_cgroup_until_it_is_told_another)
{
	alloc(self, 10, 1, A, 100);
	self->who.cgroup = 0;
	alloc(self, 10, 1, B, 100);
	self->who.cgroup = 6;
	alloc(self, 10, 1, C, 30);
	EXPECT_EQ(200, self->heap.cgroups[1].tally.inuse_space);
	EXPECT_EQ(5, self->heap.cgroups[1].id);
	EXPECT_EQ(30, self->heap.cgroups[2].tally.inuse_space);
	/* a block is given back where it was taken */
	dealloc(self, 10, A);
	EXPECT_EQ(100, self->heap.cgroups[1].tally.inuse_space);
	EXPECT_EQ(0, self->heap.cgroups[0].tally.alloc_objects);
}

TEST_F(heap, processes_do_not_share_addresses)
{
	alloc(self, 10, 1, A, 100);
	self->who.pid = 20;
	alloc(self, 20, 1, A, 50);
	EXPECT_LIVE(150, 2, 0);
	EXPECT_EQ(4, self->heap.nr_sites);
	dealloc(self, 20, A);
	EXPECT_LIVE(100, 2, 1);
	EXPECT_EQ(100, self->heap.processes[0].tally.inuse_space);
}

static struct mp_tally *fork_it(FIXTURE_DATA(heap) *self, uint32_t pid,
				uint32_t parent)
{
	self->who.pid = pid;
	mp_heap_fork(&self->heap, by(self, pid), parent);
	return &self->heap.processes[self->heap.nr_processes - 1].tally;
}

TEST_F(heap, a_child_inherits_blocks_apart_from_its_own)
{
	struct mp_tally *child;

	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 50);
	child = fork_it(self, 20, 10);
	EXPECT_EQ(2, child->inherited_objects);
	EXPECT_EQ(150, child->inherited_space);
	EXPECT_EQ(0, child->inuse_space);
	dealloc(self, 20, A);
	EXPECT_EQ(1, child->inherited_frees);
	alloc(self, 20, 1, C, 10);
	/* a grandchild: what the child has left, and made */
	child = fork_it(self, 30, 20);
	EXPECT_EQ(2, child->inherited_objects);
	dealloc(self, 30, B);
	dealloc(self, 30, C);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
	dealloc(self, 30, C);
	EXPECT_EQ(1, self->heap.counts.unknown_frees);
	/* the parent's are untouched by all this */
	EXPECT_EQ(150, self->heap.processes[0].tally.inuse_space);
	EXPECT_EQ(160, self->heap.total.inuse_space);
}

TEST_F(heap, exec_drops_blocks_and_what_was_inherited)
{
	struct mp_tally *child;

	alloc(self, 10, 1, A, 100);
	child = fork_it(self, 20, 10);
	alloc(self, 20, 1, B, 10);
	mp_heap_exec(&self->heap, by(self, 20));
	EXPECT_EQ(100, self->heap.total.inuse_space);
	EXPECT_NE(0, self->heap.processes[1].exit_ns);
	child = &self->heap.processes[1].tally;
	EXPECT_EQ(0, child->inuse_space);
	EXPECT_EQ(10, child->alloc_space);
	/* another row, of the same process */
	child = &self->heap.processes[2].tally;
	EXPECT_EQ(20, self->heap.processes[2].pid);
	EXPECT_EQ(self->heap.processes[1].start_ns,
		  self->heap.processes[2].start_ns);
	EXPECT_EQ(0, child->inherited_objects);
	dealloc(self, 20, A);
	EXPECT_EQ(1, self->heap.processes[2].tally.unknown_frees);
}

TEST_F(heap, a_process_that_ended_holds_nothing)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 1, A, 200, 0);
	enter(self, 11, 1, 70, 0);
	mp_heap_exit(&self->heap, by(self, 12), true);
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(0, self->heap.processes[0].tally.inuse_space);
	EXPECT_EQ(0, self->heap.blocks.nr);
	EXPECT_NE(0, self->heap.processes[0].exit_ns);
	EXPECT_EQ(100, self->heap.total.peak_space);
	/* its number is another's now, and so are its threads' */
	alloc(self, 10, 1, A, 7);
	EXPECT_EQ(2, self->heap.nr_processes);
	leave_realloc(self, 10, B, 0);
	leave(self, 11, C, 0);
	EXPECT_EQ(0, self->heap.processes[0].tally.inuse_space);
	EXPECT_EQ(self->heap.total.inuse_space,
		  self->heap.processes[1].tally.inuse_space);
}

/* After any event */

struct sums {
	uint64_t blocks, processes, sites, stacks, cgroups, allocs, faults;
	int64_t growth;
	bool peaks, objects;
};

static void add_up(const struct mp_tally *tally, uint64_t *space,
		   struct sums *sums)
{
	*space += tally->inuse_space;
	sums->peaks &= tally->peak_space >= tally->inuse_space &&
		       tally->alloc_space >= tally->peak_space &&
		       tally->growth_peak >= tally->growth;
	sums->objects &= tally->alloc_objects >= tally->free_objects &&
			 tally->alloc_objects - tally->free_objects >=
			 tally->inuse_objects &&
			 tally->free_objects >= tally->temporary &&
			 tally->inherited_objects >= tally->inherited_frees;
}

static struct sums sum_up(const struct mp_heap *heap)
{
	struct sums sums = { .peaks = true, .objects = true };
	uint64_t dead = 0, total = 0;
	size_t i;

	add_up(&heap->total, &total, &sums);
	for (i = 0; i < heap->blocks.nr_slots; i++)
		if (heap->blocks.list[i].ptr)
			sums.blocks += heap->blocks.list[i].space;
	for (i = 0; i < heap->nr_processes; i++) {
		add_up(&heap->processes[i].tally, heap->processes[i].exit_ns ?
		       &dead : &sums.processes, &sums);
		sums.allocs += heap->processes[i].tally.alloc_objects;
		sums.faults += heap->processes[i].tally.minor_faults;
		sums.growth += heap->processes[i].tally.growth;
	}
	/* a dead one that holds something shows up as a difference */
	sums.processes += dead;
	sums.objects &= !dead;
	for (i = 0; i < heap->nr_sites; i++)
		add_up(&heap->sites[i].tally, heap->sites[i].callsite == i ?
		       &sums.sites : &sums.stacks, &sums);
	for (i = 0; i < heap->nr_cgroups; i++)
		add_up(&heap->cgroups[i].tally, &sums.cgroups, &sums);
	return sums;
}

#define NR_PIDS		5
#define NR_THREADS	4
#define NR_ADDRS	60

static struct mp_who random_who(uint32_t *seed, uint64_t time_ns)
{
	uint32_t pid = 1 + random_below(seed, NR_PIDS);

	return (struct mp_who){
		.pid = pid,
		.tid = pid * NR_THREADS + random_below(seed, NR_THREADS),
		.cgroup = random_below(seed, 4),
		.time_ns = time_ns,
	};
}

static uint64_t random_ptr(uint32_t *seed)
{
	return random_below(seed, 8) ? A + 8192 * random_below(seed, NR_ADDRS) :
	       0;
}

static struct mp_call random_call(uint32_t *seed)
{
	bool realloc = random_below(seed, 2);
	uint32_t stack = random_below(seed, 20);

	return (struct mp_call){
		.func = realloc ? MEMPROF_FUNC_REALLOC : MEMPROF_FUNC_MALLOC,
		.stack = stack, .callsite = stack / 4,
		.size = random_below(seed, random_below(seed, 2) ? 200 : 8192),
		.old = realloc ? random_ptr(seed) : 0,
		.sp = random_below(seed, 3) ? SP(random_below(seed, 30)) : 0,
	};
}

/* Anything at all, also what cannot be. */
static int random_event(struct mp_heap *heap, uint32_t *seed, uint64_t time_ns)
{
	struct mp_who who = random_who(seed, time_ns);
	struct mp_call call = random_call(seed);
	uint64_t ptr = random_ptr(seed);
	uint32_t rare = random_below(seed, 400);

	if (rare == 0)
		return mp_heap_exit(heap, &who, true);
	if (rare == 1)
		return mp_heap_exec(heap, &who);
	if (rare == 2)
		return mp_heap_fork(heap, &who, 1 + random_below(seed, NR_PIDS));
	if (rare < 8)
		return mp_heap_exit(heap, &who, false);
	switch (rare % 8) {
	case 0:
		return mp_heap_alloc(heap, &who, &call, ptr,
				     MP_HEAP_ONE + random_below(seed, 99999),
				     call.size + random_below(seed, 100));
	case 1:
		return mp_heap_realloc(heap, &who, &call, ptr);
	case 2:
		return mp_heap_dealloc(heap, &who, ptr, call.sp);
	case 3:
	case 4:
		return mp_heap_enter(heap, &who, &call);
	case 5:
		return mp_heap_leave(heap, &who, call.func,
				     random_below(seed, 2) ? &call : NULL,
				     ptr, call.sp);
	case 6:
		return mp_heap_fault(heap, &who,
				     random_below(seed, 2) ? &call : NULL,
				     ptr + call.size / 2, 1 + random_below(seed, 9), false);
	default:
		return mp_heap_grow(heap, &who,
				    random_below(seed, 2) ? &call : NULL,
				    random_below(seed, 2),
				    (int64_t)random_below(seed, 10000) - 4000);
	}
}

TEST_F(heap, full_tables_lose_rows_and_no_sums)
{
	uint32_t pid;

	self->heap.limit_processes = 3;
	self->heap.limit_sites = 6;
	for (pid = 1; pid <= 10; pid++) {
		self->who.pid = pid;
		alloc(self, pid, pid, A, 100);
	}
	EXPECT_EQ(4, self->heap.nr_processes);
	EXPECT_EQ(7, self->heap.counts.full_processes);
	EXPECT_EQ(10 * 100, self->heap.total.alloc_space);
	/* whose address is whose is not known there */
	EXPECT_EQ(3 * 100, self->heap.total.inuse_space);
	EXPECT_EQ(7 * 100,
		  self->heap.processes[self->heap.overflow].tally.alloc_space);
	EXPECT_EQ(7 * 100,
		  self->heap.sites[self->heap.dropped].tally.alloc_space);
	for (pid = 1; pid <= 10; pid++) {
		self->who.pid = pid;
		mp_heap_exit(&self->heap, by(self, pid), true);
	}
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(0, self->heap.by_pid.nr);
}

TEST_F(heap, faults_of_many_stacks_leave_half_of_the_sites_to_allocators)
{
	struct mp_call call = { .own = true };
	uint32_t stack;

	self->heap.limit_sites = 40;
	for (stack = 1; stack <= 100; stack++) {
		call.stack = stack;
		call.callsite = stack;
		ASSERT_EQ(0, mp_heap_fault(&self->heap, by(self, 1), &call,
					   stack << 12, 1, false));
		ASSERT_EQ(0, mp_heap_grow(&self->heap, by(self, 1), &call,
					  false, 4096));
	}
	EXPECT_EQ(100, self->heap.total.minor_faults);
	EXPECT_EQ(90, self->heap.sites[self->heap.dropped].tally.other_faults);
	for (stack = 1001; stack <= 1009; stack++)
		alloc(self, 1, stack, stack, 100);
	EXPECT_EQ(0, self->heap.sites[self->heap.dropped].tally.alloc_space);
	EXPECT_EQ(900, self->heap.total.inuse_space);
}

TEST_F(heap, sums_agree_after_whatever_happens)
{
	struct mp_heap *heap = &self->heap;
	struct sums sums;
	uint32_t seed = 5, n;
	uint64_t live;

	for (n = 1; n <= 100000; n++) {
		ASSERT_EQ(0, random_event(heap, &seed, n));
		if (n > 2000 && n % 50)
			continue;
		sums = sum_up(heap);
		live = heap->total.inuse_space;
		ASSERT_EQ(live, sums.blocks) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.processes) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.sites) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.stacks) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.cgroups) TH_LOG("after %u", n);
		ASSERT_EQ(heap->total.alloc_objects, sums.allocs);
		ASSERT_EQ(heap->total.minor_faults, sums.faults);
		ASSERT_EQ(heap->total.growth, sums.growth);
		ASSERT_TRUE(sums.peaks) TH_LOG("after %u", n);
		ASSERT_TRUE(sums.objects) TH_LOG("after %u", n);
	}
	/* all of it was reached */
	EXPECT_LT(0, heap->counts.nested);
	EXPECT_LT(0, heap->counts.abandoned);
	EXPECT_LT(0, heap->counts.unmatched_exits);
	EXPECT_LT(0, heap->counts.failed_allocs);
	EXPECT_LT(0, heap->counts.failed_reallocs);
	EXPECT_LT(0, heap->counts.unknown_frees);
	EXPECT_LT(0, heap->total.temporary);
	EXPECT_LT(0, heap->counts.too_deep);
	EXPECT_LT(0, live);
	/* the bound is on threads that live */
	EXPECT_GE(NR_PIDS * NR_THREADS, heap->nr_threads);
}

/* No block is left held by a call that is over: all can be freed. */
TEST_F(heap, every_block_can_be_freed_in_the_end)
{
	struct mp_heap *heap = &self->heap;
	uint32_t seed = 6, n, p, t;
	struct mp_who who;
	uint64_t unknown;

	for (n = 1; n <= 20000; n++)
		ASSERT_EQ(0, random_event(heap, &seed, n));
	for (p = 1; p <= NR_PIDS; p++)
		for (t = 0; t < NR_THREADS; t++) {
			who = (struct mp_who){ .pid = p, .time_ns = n,
					       .tid = p * NR_THREADS + t };
			mp_heap_exit(heap, &who, false);
		}
	unknown = heap->counts.unknown_frees;
	for (n = 0; n < heap->blocks.nr_slots; n++) {
		struct mp_block *block = &heap->blocks.list[n];

		if (!block->ptr)
			continue;
		who.pid = heap->processes[block->process].pid;
		mp_heap_dealloc(heap, &who, block->ptr, 0);
	}
	EXPECT_EQ(unknown, heap->counts.unknown_frees);
	EXPECT_EQ(0, heap->blocks.nr);
	EXPECT_EQ(0, heap->total.inuse_space);
	EXPECT_EQ(0, heap->total.inuse_objects);
}

TEST_HARNESS_MAIN
