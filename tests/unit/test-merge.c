// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the complete engine: names, mappings, stacks, and the begin and end of
 * processes. Exited processes must not take memory.
 */
#include "code-location.h"
#include "grouping.h"
#include "merging.h"

#include <stdlib.h>
#include <string.h>

#define OFFSET		0x1234UL

/* Passes all events of one process, from start to exit. Its code is at a given address. */
static void live(FIXTURE_DATA(merge) *self, uint32_t pid, const char *comm,
		 uint64_t base)
{
	const uint64_t frames[] = { base + OFFSET, base + 2 * OFFSET };

	tell(self, MP_EVENT_FORK, pid, 1);
	name(self, pid, comm, true);
	map(self, pid, "/bin/program", base);
	alloc(self, pid, 0x1000, 100, frames, 2);
	alloc(self, pid, 0x2000, 50, frames, 1);
	tell(self, MP_EVENT_EXIT, pid, 0);
}

static uint64_t base_of(uint32_t i)
{
	return 0x550000000000UL + i * 0x100000UL;
}

static size_t nr_rows(const struct mp_heap *heap)
{
	return heap->nr_processes - heap->nr_free_processes;
}

TEST_F(merge, programs_that_ended_leave_sums)
{
	const struct mp_heap *heap = &self->merge.heap;
	uint32_t i, nr = 20000, folded = 0;
	uint64_t objects = 0, space = 0;
	size_t sites = 0, j;

	for (i = 0; i < nr; i++) {
		live(self, 1000 + i, i % 4 ? "cc1" : "as", base_of(i));
		if (!(i % 100))
			ASSERT_EQ(0, mp_merge_round(&self->merge));
	}
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	EXPECT_EQ(2 * nr * MP_HEAP_ONE, heap->total.alloc_objects);
	EXPECT_EQ(150 * nr, heap->total.alloc_space);
	EXPECT_EQ(0, heap->total.inuse_space);
	EXPECT_GT(1100, nr_rows(heap));
	EXPECT_GT(2300, heap->nr_processes);
	for (j = 0; j < heap->nr_processes; j++) {
		objects += heap->processes[j].tally.alloc_objects;
		space += heap->processes[j].tally.alloc_space;
		folded += heap->processes[j].nr_folded;
	}
	EXPECT_EQ(heap->total.alloc_objects, objects);
	EXPECT_EQ(heap->total.alloc_space, space);
	/* the forks' own rows, closed by exec, are among them */
	EXPECT_LT(nr, folded);
	space = 0;
	for (j = 0; j < heap->nr_sites; j++)
		if (heap->sites[j].callsite == j) {
			space += heap->sites[j].tally.alloc_space;
			sites++;
		}
	EXPECT_EQ(heap->total.alloc_space, space);
	EXPECT_GT(1100, sites);
}

/* The heap of a program that began while it was followed has no older blocks. */
TEST_F(merge, programs_that_began_are_marked)
{
	struct mp_profile profile = { 0 };
	size_t i;

	name(self, 100, "older", false);
	name(self, 101, "shell", false);
	name(self, 101, "program", true);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (i = 0; i < profile.nr_rows; i++)
		if (profile.rows[i].kind == MP_ROW_PROCESS)
			EXPECT_EQ(!strcmp(profile.rows[i].comm, "program"),
				  !!(profile.rows[i].flags & MP_ROW_EXECUTED));
	ASSERT_LE(2, profile.nr_rows);
	mp_profile_free(&profile);
}

/*
 * In code without frame pointers a chain has any words. Functions of Python that follow it
 * are none of its frames: they are kept, and are the callsite.
 */
TEST_F(merge, functions_of_python_follow_a_lost_chain)
{
	const uint64_t python = 1ULL << 55;
	const uint64_t frames[] = { 0x550000001234, 0x7770000000, 0x7770000008, python };
	const struct mp_heap *heap = &self->merge.heap;
	const struct mp_names *names = &self->merge.names;
	uint64_t callsite = 0;
	uint32_t nr;
	size_t i;

	name(self, 100, "python3", true);
	map(self, 100, "/bin/python3", 0x550000000000);
	map(self, 100, "py::leak:/app.py", python - 1);
	alloc(self, 100, 0x1000, 100, frames, 4);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	for (i = 0; i < heap->nr_sites; i++)
		if (heap->sites[i].tally.alloc_space) {
			callsite = heap->sites[i].location.callsite;
			mp_stacks_frames(&self->merge.locations, heap->sites[i].location.stack,
					 &nr);
			EXPECT_EQ(2, nr);
		}
	ASSERT_GT(self->merge.nr_files, mp_code_file(callsite));
	EXPECT_STREQ("py::leak:/app.py",
		     names->list[self->merge.files[mp_code_file(callsite)].path]);
}

TEST_F(merge, memory_does_not_grow_with_what_is_over)
{
	const struct mp_merge *merge = &self->merge;
	size_t stacks = 0, spaces = 0, sites = 0;
	uint32_t i;

	for (i = 0; i < 40000; i++) {
		live(self, 1000 + i, "cc1", base_of(i));
		if (i % 100)
			continue;
		ASSERT_EQ(0, mp_merge_round(&self->merge));
		if (i < 20000) {
			stacks = merge->stacks.max;
			spaces = merge->spaces.nr;
			sites = merge->heap.max_sites;
		}
	}
	EXPECT_EQ(stacks, merge->stacks.max);
	EXPECT_EQ(spaces, merge->spaces.nr);
	EXPECT_EQ(sites, merge->heap.max_sites);
	EXPECT_EQ(0, merge->heap.by_tid.nr);
	EXPECT_GE(1, merge->heap.by_pid.nr);
	EXPECT_GE(1, merge->syscalls.by_pid.nr);
	EXPECT_EQ(0, merge->spaces.nr_ranges);
}

TEST_F(merge, sums_bear_their_names_and_cgroups)
{
	struct mp_profile profile = { 0 };
	uint32_t i, cc1 = 0, as = 0, nr = 3000;
	size_t j;

	for (i = 0; i < nr; i++)
		live(self, 1000 + i, i % 3 ? "cc1" : "as", base_of(i));
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++) {
		const struct mp_row *row = &profile.rows[j];

		if (row->kind != MP_ROW_PROCESS)
			continue;
		if (row->flags & MP_ROW_FOLDED) {
			EXPECT_EQ(7, row->cgroup);
			EXPECT_EQ(0, row->pid);
			EXPECT_EQ(150 * row->nr_processes,
				  row->value[MP_ALLOC_SPACE]);
		}
		cc1 += strcmp(row->comm, "cc1") ? 0 : row->nr_processes ?: 1;
		as += strcmp(row->comm, "as") ? 0 : row->nr_processes ?: 1;
	}
	EXPECT_EQ(2 * nr / 3, cc1);
	EXPECT_EQ(nr / 3, as);
	mp_profile_free(&profile);
}

/* A program runs at different addresses, but has only one callsite and two stacks. */
TEST_F(merge, callsites_are_the_same_wherever_they_are)
{
	struct mp_profile profile = { 0 };
	size_t j, sites = 0, stacks = 0;
	uint32_t i;

	self->merge.heap.limit_exited = 10;
	for (i = 0; i < 1000; i++)
		live(self, 1000 + i, "cc1", base_of(i));
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++) {
		if (!(profile.rows[j].flags & MP_ROW_FOLDED) ||
		    !mp_row_has_location(&profile.rows[j]))
			continue;
		sites += profile.rows[j].kind == MP_ROW_SITE;
		stacks += profile.rows[j].kind == MP_ROW_STACK;
		EXPECT_EQ(OFFSET, profile.rows[j].location.offset);
	}
	EXPECT_EQ(1, sites);
	EXPECT_EQ(2, stacks);
	EXPECT_EQ(2, profile.frames.nr);
	mp_profile_free(&profile);
}

TEST_F(merge, sums_tell_how_many_had_a_callsite)
{
	struct mp_profile profile = { 0 };
	uint32_t i, nr = 0;
	size_t j;

	self->merge.heap.limit_exited = 0;
	for (i = 0; i < 100; i++) {
		const uint64_t base = base_of(i);
		const uint64_t rare[] = { base + 0x3000, base + 0x4000 };

		tell(self, MP_EVENT_FORK, 1000 + i, 1);
		name(self, 1000 + i, "cc1", true);
		map(self, 1000 + i, "/bin/program", base);
		/* two stacks of one callsite */
		if (!(i % 10)) {
			alloc(self, 1000 + i, 0x1000, 100, rare, 1);
			alloc(self, 1000 + i, 0x2000, 100, rare, 2);
		}
		tell(self, MP_EVENT_EXIT, 1000 + i, 0);
	}
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++)
		if (mp_row_has_location(&profile.rows[j])) {
			EXPECT_EQ(10, profile.rows[j].nr_processes);
			/* as if inlined functions had parted the callsite */
			profile.rows[j].kind = MP_ROW_SITE;
			nr++;
		}
	EXPECT_EQ(3, nr);
	mp_grouping_apply(&profile, MP_GROUP_DEFAULT | MP_GROUP_PID |
			  MP_GROUP_CGROUP);
	mp_profile_merge(&profile);
	mp_grouping_apply(&profile, MP_GROUP_DEFAULT);
	mp_profile_merge(&profile);
	for (j = 0; j < profile.nr_rows; j++)
		if (profile.rows[j].kind == MP_ROW_SITE)
			EXPECT_EQ(10, profile.rows[j].nr_processes);
	mp_profile_free(&profile);
}

TEST_F(merge, known_names_have_their_sums_however_many_come)
{
	struct mp_heap_process *process;
	char comm[MP_HEAP_COMM_SIZE];
	uint32_t i, first = 0;
	size_t j;

	self->merge.heap.limit_exited = 0;
	for (i = 0; i < 6000; i++) {
		snprintf(comm, sizeof(comm), "name-%u", i < 5000 ? i : 0);
		name(self, 1000 + i, comm, true);
		tell(self, MP_EVENT_EXIT, 1000 + i, 0);
	}
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	for (j = 0; j < self->merge.heap.nr_processes; j++) {
		process = &self->merge.heap.processes[j];
		if (!strcmp(process->comm, "name-0"))
			first += process->nr_folded;
	}
	EXPECT_EQ(1001, first);
}

static uint32_t folded_of(const struct mp_heap *heap, const char *comm)
{
	uint32_t nr = 0;
	size_t j;

	for (j = 0; j < heap->nr_processes; j++)
		if (!strcmp(heap->processes[j].comm, comm))
			nr += heap->processes[j].nr_folded;
	return nr;
}

/* The key of a command name in by_sum. Cgroup 7 of the events has the number 1. */
static uint64_t key_of_sum(const char *name)
{
	char comm[MP_HEAP_COMM_SIZE] = "";
	uint64_t halves[2];

	snprintf(comm, sizeof(comm), "%s", name);
	memcpy(halves, comm, sizeof(halves));
	return mp_map_hash(mp_map_hash(halves[0], halves[1]), 1) | 1;
}

/* Two equal hashes of 64 random bits cannot be found: the test adds the second one. */
TEST_F(merge, names_of_equal_hash_have_sums_of_their_own)
{
	struct mp_heap *heap = &self->merge.heap;
	uint32_t *first, number;

	heap->limit_exited = 0;
	name(self, 1000, "first", true);
	tell(self, MP_EVENT_EXIT, 1000, 0);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	first = mp_map_find(&heap->by_sum, key_of_sum("first"), 0);
	ASSERT_NE(NULL, first);
	number = *first;
	*mp_map_add(&heap->by_sum, key_of_sum("second"), 0) = number;
	name(self, 1001, "second", true);
	tell(self, MP_EVENT_EXIT, 1001, 0);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	EXPECT_EQ(1, folded_of(heap, "first"));
	EXPECT_EQ(1, folded_of(heap, "second"));
}

TEST_F(merge, addresses_in_no_file_stay_apart_while_their_process_has_a_row)
{
	const uint64_t frame = 0x7f0000001000UL;
	struct mp_profile profile = { 0 };
	size_t j, folded = 0, own = 0;
	uint32_t i;

	self->merge.heap.limit_exited = 10;
	for (i = 0; i < 100; i++) {
		const uint64_t at = frame + i;

		tell(self, MP_EVENT_FORK, 1000 + i, 1);
		alloc(self, 1000 + i, 0x1000, 100, &at, 1);
		tell(self, MP_EVENT_EXIT, 1000 + i, 0);
	}
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++) {
		if (profile.rows[j].kind != MP_ROW_SITE)
			continue;
		if (profile.rows[j].flags & MP_ROW_FOLDED) {
			EXPECT_EQ(0, profile.rows[j].location.address);
			folded++;
		} else {
			EXPECT_LT(frame, profile.rows[j].location.address);
			own++;
		}
	}
	EXPECT_EQ(1, folded);
	EXPECT_LE(5, own);
	mp_profile_free(&profile);
}

/* Callback: all code up to an offset belongs to wrappers; odd offsets have no name. */
static enum mp_merge_code wraps(void *context, const struct mp_merge *merge,
				uint32_t process, uint32_t file, uint64_t offset)
{
	(void)merge;
	(void)process;
	(void)file;
	return offset % 2 ? MP_MERGE_CODE_NAMELESS :
	       offset <= *(uint64_t *)context ? MP_MERGE_CODE_WRAPPER :
						MP_MERGE_CODE_PROGRAM;
}

TEST_F(merge, a_callsite_is_the_first_frame_that_wraps_no_allocator)
{
	const uint64_t base = base_of(0);
	const uint64_t a[] = { base + 1, base + 2, base + 0x500, base + 0x600 };
	const uint64_t b[] = { base + 4, base + 0x500, base + 0x700 };
	const uint64_t c[] = { base + 1, base + 2 };
	const uint64_t d[] = { base + 3, base + 0x600, base + 2 };
	struct mp_profile profile = { 0 };
	uint64_t limit = 0x100;
	size_t j, found = 0;

	self->merge.ops.kind_of = wraps;
	self->merge.ops.context = &limit;
	map(self, 10, "/bin/program", base);
	alloc(self, 10, 0x1000, 100, a, 4);
	alloc(self, 10, 0x2000, 50, b, 3);
	alloc(self, 10, 0x3000, 30, c, 2);
	alloc(self, 10, 0x4000, 7, d, 3);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++) {
		const struct mp_row *row = &profile.rows[j];

		if (row->kind != MP_ROW_SITE)
			continue;
		found++;
		if (row->location.offset == 0x500) {
			EXPECT_EQ(150, row->value[MP_INUSE_SPACE]);
			EXPECT_EQ(2, row->location.level);
		} else if (row->location.offset == 3) {
			/* without a name, and not called by a wrapper */
			EXPECT_EQ(7, row->value[MP_INUSE_SPACE]);
		} else {
			/* wrappers all the way: the innermost is all there is */
			EXPECT_EQ(1, row->location.offset);
			EXPECT_EQ(30, row->value[MP_INUSE_SPACE]);
		}
	}
	EXPECT_EQ(3, found);
	mp_profile_free(&profile);
}

/* Returns the number of frames of the only stack in the profile. */
static uint32_t nr_frames(FIXTURE_DATA(merge) *self)
{
	struct mp_profile profile = { 0 };
	uint32_t nr = 0;
	size_t j;

	mp_order_flush(&self->merge.order);
	mp_merge_profile(&self->merge, &profile, true);
	for (j = 0; j < profile.nr_rows; j++)
		if (profile.rows[j].kind == MP_ROW_STACK)
			nr = mp_frames_stack(&profile.frames,
				profile.rows[j].location.stack - 1).nr;
	mp_profile_free(&profile);
	return nr;
}

TEST_F(merge, chains_end_in_data_where_all_code_is_in_files)
{
	const uint64_t base = base_of(0);
	const uint64_t frames[] = { base + 0x100, 0x7f0000001000, base + 9 };

	map(self, 10, "/bin/program", base);
	alloc(self, 10, 0x1000, 100, frames, 3);
	EXPECT_EQ(1, nr_frames(self));
}

TEST_F(merge, chains_go_on_in_code_that_a_program_made)
{
	const uint64_t base = base_of(0);
	const uint64_t frames[] = { base + 0x100, 0x7f0000001000, base + 9 };
	struct mp_event e;

	map(self, 10, "/bin/program", base);
	event(self, MP_EVENT_MAP, 10, &e);
	e.map.other = true;
	e.map.file = MP_NAMES_NONE;
	mp_merge_add(&self->merge, &e);
	/* and of its children's */
	tell(self, MP_EVENT_FORK, 11, 10);
	alloc(self, 11, 0x1000, 100, frames, 3);
	EXPECT_EQ(3, nr_frames(self));
}

TEST_F(merge, addresses_in_no_file_are_told_up_to_48_bits)
{
	const uint64_t frames[] = { 0xffff80001234, 0xffff80005678 };
	struct mp_profile profile = { 0 };

	alloc(self, 10, 0x1000, 100, frames, 2);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	ASSERT_EQ(2, profile.frames.nr);
	EXPECT_EQ(frames[0], profile.frames.list[0].offset);
	EXPECT_EQ(frames[1], profile.frames.list[1].offset);
	mp_profile_free(&profile);
}

TEST_F(merge, places_that_look_like_marks_are_frames)
{
	const uint64_t base = base_of(0);
	const uint64_t frames[] = { base + 2, base + 1, base + 0x500 };
	struct mp_profile profile = { 0 };
	struct mp_frames_stack stack;
	size_t j, found = 0;
	uint32_t i;

	map(self, 10, "/bin/program", base);
	alloc(self, 10, 0x1000, 100, frames, 3);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	for (j = 0; j < profile.nr_rows; j++) {
		if (profile.rows[j].kind != MP_ROW_STACK)
			continue;
		stack = mp_frames_stack(&profile.frames,
					profile.rows[j].location.stack - 1);
		EXPECT_EQ(3, stack.nr);
		for (i = 0; i < stack.nr; i++)
			EXPECT_GT(profile.frames.nr,
				  stack.list[i] - MP_FRAMES_FIRST);
		found++;
	}
	EXPECT_EQ(1, found);
	mp_profile_free(&profile);
}

static uint32_t unwind(void *context, struct mp_merge *merge, uint32_t process,
		       const struct mp_dump *dump, uint64_t *frames)
{
	(void)merge;
	(void)process;
	++*(int *)context;
	frames[0] = 0x10;		/* in the allocator */
	frames[1] = dump->regs[0];
	frames[2] = dump->stack[0];
	frames[3] = MP_STACKS_BEGIN;
	return 4;
}

static void alloc_dump(FIXTURE_DATA(merge) *self, uint64_t caller)
{
	const uint64_t regs[] = { 0x5000 };
	const uint8_t stack[] = { 0x77 };
	const struct mp_dump dump = {
		.mask = 1, .regs = regs, .stack = stack, .size = 1,
		.caller = caller,
	};
	struct mp_event e;

	event(self, MP_EVENT_ALLOC, 10, &e);
	e.stack = mp_dumps_add(&self->merge.dumps, &dump) | MP_EVENT_DUMP;
	e.alloc.ptr = 0x1000 + caller;
	e.alloc.objects = MP_HEAP_ONE;
	mp_merge_add(&self->merge, &e);
}

TEST_F(merge, dumps_are_unwound_once_and_dropped)
{
	struct mp_profile profile = { 0 };
	struct mp_frames_stack stack;
	int calls = 0;

	self->merge.ops.unwind = unwind;
	self->merge.ops.context = &calls;
	alloc_dump(self, 0x5000);
	EXPECT_LT(0, self->merge.dumps.bytes);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	EXPECT_EQ(1, calls);
	EXPECT_EQ(0, self->merge.dumps.bytes);
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	ASSERT_EQ(2, profile.frames.nr);
	stack = mp_frames_stack(&profile.frames, 0);
	EXPECT_EQ(2, stack.nr);
	EXPECT_EQ(MP_STACKS_BEGIN, stack.end);
	EXPECT_EQ(0x5000, mp_frames_at(&profile.frames, 0, 0)->offset);
	EXPECT_EQ(0x77, mp_frames_at(&profile.frames, 0, 1)->offset);
	EXPECT_EQ(NULL, mp_frames_at(&profile.frames, 0, 2));
	mp_profile_free(&profile);
}

TEST_F(merge, a_stack_that_misses_its_callsite_is_cut_there)
{
	struct mp_profile profile = { 0 };
	struct mp_frames_stack stack;
	int calls = 0;

	self->merge.ops.unwind = unwind;
	self->merge.ops.context = &calls;
	alloc_dump(self, 0x6000);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	stack = mp_frames_stack(&profile.frames, 0);
	EXPECT_EQ(1, stack.nr);
	EXPECT_EQ(MP_STACKS_CUT, stack.end);
	EXPECT_EQ(0x6000, mp_frames_at(&profile.frames, 0, 0)->offset);
	mp_profile_free(&profile);
}

/* A process id is used again, but the exit of the first process was not reported. */
TEST_F(merge, a_child_has_nothing_of_its_namesake)
{
	const uint64_t base = base_of(0), frame = base + OFFSET;
	struct mp_profile profile = { 0 };

	map(self, 10, "/bin/program", base);
	tell(self, MP_EVENT_FORK, 10, 1);
	alloc(self, 10, 0x1000, 100, &frame, 1);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	ASSERT_EQ(0, mp_merge_profile(&self->merge, &profile, true));
	ASSERT_EQ(1, profile.frames.nr);
	EXPECT_EQ(0, profile.frames.list[0].binary);
	mp_profile_free(&profile);
}

TEST_F(merge, a_process_that_is_gone_has_ended_with_its_threads)
{
	const struct mp_heap *heap = &self->merge.heap;
	const uint64_t frame = base_of(0) + OFFSET;
	struct mp_event e;
	uint32_t known;

	tell(self, MP_EVENT_FORK, 10, 1);
	/* a thread, whose exit is lost, too */
	event(self, MP_EVENT_FORK, 10, &e);
	e.tid = 11;
	e.fork.parent = 10;
	mp_merge_add(&self->merge, &e);
	alloc(self, 10, 0x1000, 100, &frame, 1);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	known = *mp_map_find(&heap->by_pid, 10, 0);
	/* its id was used again since */
	ASSERT_EQ(0, mp_merge_gone(&self->merge, 10,
				   heap->processes[known].start_ns - 1));
	EXPECT_EQ(0, heap->processes[known].exit_ns);
	EXPECT_EQ(100, heap->total.inuse_space);
	ASSERT_EQ(0, mp_merge_gone(&self->merge, 10, ++self->time_ns));
	EXPECT_EQ(self->time_ns, heap->processes[known].exit_ns);
	EXPECT_EQ(0, heap->total.inuse_space);
	/* unknown processes are no error */
	ASSERT_EQ(0, mp_merge_gone(&self->merge, 99, self->time_ns));
}

/* The fork of a thread was lost, its exit was not. */
TEST_F(merge, a_process_lives_as_long_as_its_main_thread)
{
	const struct mp_heap *heap = &self->merge.heap;
	const uint64_t frame = base_of(0) + OFFSET;
	struct mp_event e;
	uint32_t known;

	tell(self, MP_EVENT_FORK, 10, 1);
	alloc(self, 10, 0x1000, 100, &frame, 1);
	event(self, MP_EVENT_EXIT, 10, &e);
	e.tid = 11;
	mp_merge_add(&self->merge, &e);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	known = *mp_map_find(&heap->by_pid, 10, 0);
	EXPECT_EQ(0, heap->processes[known].exit_ns);
	EXPECT_EQ(100, heap->total.inuse_space);
	tell(self, MP_EVENT_EXIT, 10, 0);
	ASSERT_EQ(0, mp_order_flush(&self->merge.order));
	EXPECT_NE(0, heap->processes[known].exit_ns);
}

TEST_F(merge, former_files_of_a_path_are_told_apart)
{
	struct mp_merge_file file = { 0 };
	uint32_t first, number, again;
	uint64_t i;

	for (i = 1; i <= 50000; i++) {
		file.inode = i;
		ASSERT_EQ(0, mp_merge_file(&self->merge, "/a", &file, &number));
		if (i == 1)
			first = number;
	}
	EXPECT_EQ(50000, self->merge.nr_files);
	file.inode = 1;
	ASSERT_EQ(0, mp_merge_file(&self->merge, "/a", &file, &again));
	EXPECT_EQ(first, again);
}

TEST_F(merge, known_files_are_found_when_the_table_is_full)
{
	struct mp_merge_file file = { 0 };
	uint32_t first, number;
	size_t nr_names;
	uint64_t i;

	for (i = 1; i <= MP_MERGE_FILES; i++) {
		file.inode = i;
		ASSERT_EQ(0, mp_merge_file(&self->merge, "/a", &file, &number));
		if (i == 1)
			first = number;
	}
	EXPECT_EQ(MP_MERGE_FILES, self->merge.nr_files);
	file.inode = 1;
	ASSERT_EQ(0, mp_merge_file(&self->merge, "/a", &file, &number));
	EXPECT_EQ(first, number);
	EXPECT_EQ(0, self->merge.nr_refused);
	/* names of refused files take no memory */
	nr_names = self->merge.names.nr;
	ASSERT_EQ(0, mp_merge_file(&self->merge, "/b", &file, &number));
	EXPECT_EQ(MP_NAMES_NONE, number);
	EXPECT_EQ(1, self->merge.nr_refused);
	EXPECT_EQ(nr_names, self->merge.names.nr);
}

/* Stacks */

TEST(stacks_that_are_swept_make_room)
{
	struct mp_stacks stacks = { 0 };
	bool marks[1000];
	uint64_t frames[3];
	uint32_t i, nr;
	size_t max;

	for (i = 0; i < 1000; i++) {
		frames[0] = i;
		frames[1] = frames[2] = i + 5;
		ASSERT_EQ(i, mp_stacks_add(&stacks, frames, 1 + i % 3));
		marks[i] = i % 2;
	}
	max = stacks.max;
	ASSERT_EQ(0, mp_stacks_sweep(&stacks, marks));
	EXPECT_EQ(500, stacks.nr_free);
	for (i = 1; i < 1000; i += 2) {
		const uint64_t *spool = mp_stacks_frames(&stacks, i, &nr);

		ASSERT_EQ(1 + i % 3, nr);
		EXPECT_EQ(i, spool[0]);
		frames[0] = i;
		frames[1] = frames[2] = i + 5;
		EXPECT_EQ(i, mp_stacks_add(&stacks, frames, nr));
	}
	for (i = 0; i < 500; i++) {
		frames[0] = 100000 + i;
		nr = mp_stacks_add(&stacks, frames, 1);
		EXPECT_EQ(0, nr % 2);
	}
	EXPECT_EQ(max, stacks.max);
	EXPECT_EQ(0, stacks.nr_free);
	mp_stacks_free(&stacks);
}

TEST_HARNESS_MAIN
