// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the heap: where faults and growth are counted, and the sums of processes
 * and cgroups.
 */
#include "heap-events.h"

#include "kselftest_harness.h"

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
	EXPECT_EQ(100, mp_tally_highest(&self->heap.total));
	/* its number is another's now, and so are its threads' */
	alloc(self, 10, 1, A, 7);
	EXPECT_EQ(2, self->heap.nr_processes);
	leave_realloc(self, 10, B, 0);
	leave(self, 11, C, 0);
	EXPECT_EQ(0, self->heap.processes[0].tally.inuse_space);
	EXPECT_EQ(self->heap.total.inuse_space,
		  self->heap.processes[1].tally.inuse_space);
}

TEST_F(heap, growth_leaves_with_its_process)
{
	const struct mp_tally *cgroup;

	mp_heap_grow(&self->heap, by(self, 10), NULL, true, 5000);
	cgroup = &self->heap.cgroups[self->heap.processes[0].cgroup].tally;
	mp_heap_grow(&self->heap, by(self, 10), NULL, false, 20000);
	mp_heap_grow(&self->heap, by(self, 10), NULL, false, -8000);
	EXPECT_EQ(17000, cgroup->growth);
	mp_heap_exit(&self->heap, by(self, 10), true);
	EXPECT_EQ(0, cgroup->growth);
	EXPECT_EQ(0, self->heap.total.growth);
	EXPECT_EQ(20000, cgroup->mmap_down);
	EXPECT_EQ(5000, cgroup->brk_down);
	EXPECT_EQ(20000, cgroup->mmap_up);
	/* the process itself keeps it */
	EXPECT_EQ(17000, self->heap.processes[0].tally.growth);
}

TEST_HARNESS_MAIN
