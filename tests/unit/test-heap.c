// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the heap: how calls, allocations, frees and reallocs change the sums.
 */
#include "heap-events.h"

#include "kselftest_harness.h"

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
	mp_heap_dealloc(&self->heap, by(self, 10), A, SP(2), 0);
	EXPECT_LIVE(100, 1, 0);
	leave_realloc(self, 10, B, SP(1));
	EXPECT_LIVE(200, 2, 1);
	EXPECT_EQ(1, self->heap.counts.nested);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
}

/* As __rust_dealloc, which calls or jumps to free. */
TEST_F(heap, a_free_that_leads_on_to_another_is_one)
{
	const struct mp_who *who = by(self, 10);

	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 100);
	mp_heap_dealloc(&self->heap, who, A, SP(1), 77);
	mp_heap_dealloc(&self->heap, who, A, SP(1), 77);
	mp_heap_dealloc(&self->heap, who, A, SP(2), 78);
	EXPECT_EQ(2, self->heap.counts.nested);
	EXPECT_EQ(0, self->heap.counts.unknown_frees);
	EXPECT_LIVE(100, 2, 1);
	/* two frees of one block in one function, and one of a function outside */
	mp_heap_dealloc(&self->heap, who, B, SP(2), 77);
	mp_heap_dealloc(&self->heap, who, B, SP(2), 78);
	mp_heap_dealloc(&self->heap, who, B, SP(1), 79);
	EXPECT_EQ(2, self->heap.counts.nested);
	EXPECT_EQ(2, self->heap.counts.unknown_frees);
	/* the address was allocated again */
	alloc(self, 10, 1, A, 100);
	mp_heap_dealloc(&self->heap, who, A, SP(1), 77);
	EXPECT_LIVE(0, 3, 3);
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
	mp_heap_dealloc(&self->heap, by(self, 10), A, SP(5), 0);
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
	EXPECT_EQ(0, mp_tally_highest(&self->heap.total));
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
	EXPECT_EQ(100, mp_tally_highest(&self->heap.total));
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
	EXPECT_EQ(100, mp_tally_highest(callsite));
	EXPECT_EQ(200, callsite->alloc_space);
	EXPECT_EQ(3, callsite->block_faults);
	EXPECT_EQ(100, mp_tally_highest(&self->heap.sites[1].tally));
	EXPECT_EQ(100, mp_tally_highest(&self->heap.sites[2].tally));
}

/* Parts of a block are rounded for each stack, so that all numbers are whole and add up. */
TEST_F(heap, whole_blocks_add_up)
{
	struct mp_call call = { .func = MEMPROF_FUNC_MALLOC, .size = 100 };
	uint64_t of_stacks[3] = { 0 }, sum, told[3] = { 0 };
	const struct mp_heap *heap = &self->heap;
	uint64_t i, j, objects;

	for (i = 0; i < 300; i++) {
		call.stack = (uint32_t)(i % 3) + 1;
		call.callsite = 50 + i % 3 / 2;
		objects = MP_HEAP_ONE * (13 + i % 3) / 10;
		told[i % 3] += objects;
		mp_heap_alloc(&self->heap, by(self, 10), &call, A + 128 * i, objects, 130);
		if (i % 2)
			dealloc(self, 10, A + 128 * i);
	}
	for (i = sum = 0; i < heap->nr_sites; i++) {
		EXPECT_EQ(0, heap->sites[i].tally.alloc_objects % MP_HEAP_ONE);
		EXPECT_EQ(heap->sites[i].tally.alloc_objects,
			  heap->sites[i].tally.free_objects + heap->sites[i].tally.inuse_objects);
		if (heap->sites[i].callsite == i)
			sum += heap->sites[i].tally.alloc_objects;
		else
			of_stacks[heap->sites[i].stack - 1] += heap->sites[i].tally.alloc_objects;
	}
	EXPECT_EQ(heap->total.alloc_objects, sum);
	for (j = 0; j < 3; j++)
		EXPECT_LE(of_stacks[j] > told[j] ? of_stacks[j] - told[j] : told[j] - of_stacks[j],
			  MP_HEAP_ONE / 2);
}

TEST_F(heap, a_reset_keeps_what_lives)
{
	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 50);
	dealloc(self, 10, B);
	fault(self, 10, A, 3);
	mp_heap_reset(&self->heap);
	EXPECT_LIVE(100, 0, 0);
	EXPECT_EQ(100, mp_tally_highest(&self->heap.total));
	EXPECT_EQ(0, self->heap.total.minor_faults);
	EXPECT_EQ(0, site(self, 1)->block_faults);
	EXPECT_EQ(100, site(self, 1)->inuse_space);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(0, self->heap.total.inuse_objects);
}

TEST_F(heap, old_is_what_lives_since_a_time)
{
	uint64_t half;

	alloc(self, 10, 1, A, 100);
	alloc(self, 10, 1, B, 30);
	half = self->who.time_ns;
	alloc(self, 10, 1, C, 7);
	dealloc(self, 10, B);
	mp_heap_find_old(&self->heap, half);
	EXPECT_EQ(100, site(self, 1)->old_space);
	EXPECT_EQ(100, self->heap.processes[0].tally.old_space);
	EXPECT_EQ(100, self->heap.cgroups[self->heap.processes[0].cgroup].tally.old_space);
	/* it is counted anew each time */
	dealloc(self, 10, A);
	mp_heap_find_old(&self->heap, half);
	EXPECT_EQ(0, site(self, 1)->old_space);
	mp_heap_find_old(&self->heap, half + 1);
	EXPECT_EQ(7, site(self, 1)->old_space);
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
	EXPECT_EQ(0, self->heap.total.inuse_objects);
	/* of halves, one is rounded up and one down */
	EXPECT_EQ(3 * MP_HEAP_ONE, self->heap.total.free_objects);
	mp_heap_alloc(&self->heap, by(self, 10), &call, A, MP_HEAP_ONE * 5 / 2,
		      250);
	EXPECT_EQ(2 * MP_HEAP_ONE, self->heap.total.inuse_objects);
	EXPECT_EQ(5 * MP_HEAP_ONE, self->heap.total.alloc_objects);
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

/* Allocates the block with which a test begins. */
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
	EXPECT_EQ(1500, mp_tally_highest(&self->heap.total));
	MOVE(2, B, 1200, B);
	EXPECT_LIVE(1200, 3, 2);
	EXPECT_EQ(1500, mp_tally_highest(&self->heap.total));
	EXPECT_EQ(1, self->heap.blocks.nr);
	EXPECT_EQ(NULL, mp_blocks_at(&self->heap.blocks, 0, A));
}

TEST_F(moving, a_block_goes_to_who_moved_it)
{
	given(self, A, 1000);
	MOVE(2, A, 1000, B);
	EXPECT_EQ(0, self->heap.sites[0].tally.inuse_space);
	EXPECT_EQ(1000, mp_tally_highest(&self->heap.sites[0].tally));
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
	EXPECT_EQ(100, mp_tally_highest(&self->heap.total));
	EXPECT_EQ(MP_HEAP_ONE, self->heap.sites[2].tally.failed);
	mp_heap_dealloc(&self->heap, &self->who, A, 0, 0);
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

/* A realloc frees the old block before it returns; another thread may get its address. */

TEST_F(heap, an_old_address_may_be_anothers_before_realloc_returns)
{
	alloc(self, 10, 1, A, 100);
	enter_realloc(self, 10, 2, A, 200, 0);
	alloc(self, 11, 3, A, 50);
	/* never both the old and the new block at one address */
	EXPECT_LIVE(50, 2, 1);
	EXPECT_EQ(100, mp_tally_highest(&self->heap.total));
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

TEST_HARNESS_MAIN
