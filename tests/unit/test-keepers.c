// SPDX-License-Identifier: GPL-2.0-only
/* Tests of keepers: leaks, caches, and what looks like one of them for a while. */
#include "keepers.h"
#include "sites.h"

#include "kselftest_harness.h"

#define MB	(1 << 20)
#define RATE	(16 << 10)

/* A process that ran before the session, and the callsites of a test */
FIXTURE(keepers)
{
	struct mp_profile sites;
	struct mp_meta meta;
	struct mp_row process;
};

FIXTURE_SETUP(keepers)
{
	self->sites = (struct mp_profile){ 0 };
	self->meta = (struct mp_meta){ .status.start_ns = 10, .alloc.rate = RATE };
	self->process = (struct mp_row){ .kind = MP_ROW_PROCESS, .pid = 1, .start_ns = 5 };
}

FIXTURE_TEARDOWN(keepers)
{
	mp_profile_free(&self->sites);
}

/* A callsite: MB that live and of which are old, and frees in 100 allocations */
#define add(live_mb, old_mb, frees) add_site(self, live_mb, old_mb, frees)

static struct mp_row *add_site(FIXTURE_DATA(keepers) *self, uint64_t live, uint64_t old,
			       uint64_t frees)
{
	struct mp_row row = { .kind = MP_ROW_SITE, .pid = 1 };

	row.location.offset = self->sites.nr_rows + 1;
	row.value[MP_ALLOC_OBJECTS] = 100;
	row.value[MP_FREE_OBJECTS] = frees;
	row.value[MP_INUSE_SPACE] = live * MB;
	row.value[MP_AT_EXIT] = live * MB;
	row.value[MP_OLD_SPACE] = old * MB;
	self->process.value[MP_INUSE_SPACE] += live * MB;
	mp_profile_add(&self->sites, &row);
	return &self->sites.rows[self->sites.nr_rows - 1];
}

static uint64_t add_frame(FIXTURE_DATA(keepers) *self, const char *name, uint64_t offset)
{
	struct mp_profile *sites = &self->sites;
	struct mp_line line = {
		.function = mp_names_add(&sites->symbols.names, name), .file = MP_NAMES_NONE,
	};
	const uint32_t number = mp_frames_add(&sites->frames, 0, 0, offset);

	sites->frames.list[number].first = (uint32_t)sites->symbols.nr_lines;
	sites->frames.list[number].nr = 1;
	mp_symbols_add(&sites->symbols, &line);
	return MP_FRAMES_FIRST + (uint64_t)number;
}

/* Gives a callsite the name of its function. */
static void put_in_function(FIXTURE_DATA(keepers) *self, size_t site, const char *name)
{
	const uint64_t frame = add_frame(self, name, site);

	self->sites.rows[site].location.stack =
		mp_stacks_add(&self->sites.frames.stacks, &frame, 1) + 1;
}

/* A stack: @wrapper, called by "between", called by @caller; the wrapper is the callsite. */
static void add_stack_of(FIXTURE_DATA(keepers) *self, const char *wrapper, const char *caller,
			 uint64_t live, uint64_t old, uint64_t frees)
{
	const uint64_t at = 100 * (self->sites.nr_rows + 1), frames[] = {
		add_frame(self, wrapper, at), add_frame(self, "between", at + 1),
		add_frame(self, caller, at + 2),
	};
	struct mp_row *row = add_site(self, live, old, frees);

	self->process.value[MP_INUSE_SPACE] -= live * MB;
	row->kind = MP_ROW_STACK;
	row->location.stack = mp_stacks_add(&self->sites.frames.stacks, frames, 3) + 1;
}

static void add_stack(FIXTURE_DATA(keepers) *self, const char *caller, uint64_t live,
		      uint64_t old, uint64_t frees)
{
	add_stack_of(self, "wrapper", caller, live, old, frees);
}

static struct mp_keepers find(FIXTURE_DATA(keepers) *self, int64_t grown_mb)
{
	self->process.value[MP_RESIDENT] = 100 * MB;
	self->process.value[MP_RESIDENT_DELTA] = (uint64_t)(grown_mb * MB);
	return mp_keepers_find(&self->sites, &self->meta, &self->process, true);
}

TEST_F(keepers, a_leak_is_told_from_a_cache_that_renews_itself)
{
	struct mp_keepers found;

	add(60, 0, 80);
	add(20, 10, 0);
	found = find(self, 22);
	EXPECT_TRUE(found.is_notable);
	EXPECT_FALSE(found.is_steady);
	EXPECT_EQ(&self->sites.rows[0], found.renewer);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(20 * MB, found.kept);
}

/* Half of its blocks are old, as those of a leak are, but the process has not grown by them. */
TEST_F(keepers, a_cache_that_has_freed_nothing_yet_is_no_leak)
{
	struct mp_keepers found;

	add(60, 30, 0);
	add(2, 1, 0);
	found = find(self, 6);
	EXPECT_TRUE(found.is_early);
	EXPECT_FALSE(found.is_notable);
	EXPECT_TRUE(find(self, -1).is_early);
	EXPECT_FALSE(find(self, 60).is_early);
	/* a snapshot of the library does not know by how much it has grown */
	self->meta.source = MP_SOURCE_PRELOAD;
	EXPECT_FALSE(find(self, 6).is_early);
	self->meta.source = MP_SOURCE_PERF;
	/* of one that began in the session, nothing is older */
	self->process.start_ns = 20;
	EXPECT_FALSE(find(self, 6).is_early);
}

TEST_F(keepers, what_frees_its_temporary_blocks_may_leak_the_others)
{
	struct mp_keepers found;

	add(28, 0, 60);
	add(20, 10, 72);
	found = find(self, 22);
	EXPECT_TRUE(found.is_growing);
	EXPECT_TRUE(found.is_steady);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	/* also if few of them are temporary */
	self->sites.rows[1].value[MP_FREE_OBJECTS] = 10;
	EXPECT_EQ(&self->sites.rows[1], find(self, 22).keeper);
	/* 40 samples say nothing of halves, but it holds what the process grew by */
	EXPECT_FALSE(find(self, 22).is_early);
	self->meta.alloc.rate = 512 << 10;
	EXPECT_FALSE(find(self, 22).is_early);
	EXPECT_EQ(&self->sites.rows[1], find(self, 22).keeper);
	/* five samples make a suspect only */
	self->meta.alloc.rate = 4 << 20;
	EXPECT_TRUE(find(self, 22).is_early);
	EXPECT_EQ(&self->sites.rows[1], find(self, 22).keeper);
}

/* A cache that chooses at random, when it has freed a quarter of its blocks */
TEST_F(keepers, a_cache_that_frees_at_random_is_no_keeper)
{
	add(20, 8, 29);
	EXPECT_EQ(NULL, find(self, 5).keeper);
}

TEST_F(keepers, what_the_program_began_with_is_no_leak)
{
	add(20, 20, 0);
	add(30, 0, 90);
	EXPECT_EQ(NULL, find(self, 20).keeper);
}

/* Without ages, and of an exited process, frees alone decide. */
TEST_F(keepers, exited_processes_have_what_they_did_not_free)
{
	struct mp_keepers found;

	add(60, 0, 80);
	add(20, 20, 0);
	self->process.flags = MP_ROW_EXITED;
	self->process.value[MP_AT_EXIT] = 80 * MB;
	found = find(self, -80);
	EXPECT_EQ(MP_AT_EXIT, found.held);
	EXPECT_TRUE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
}

TEST_F(keepers, rows_of_others_do_not_count)
{
	add(60, 30, 0)->pid = 2;
	EXPECT_EQ(NULL, find(self, 60).keeper);
	self->sites.rows[0].pid = 0;
	EXPECT_EQ(&self->sites.rows[0], find(self, 60).keeper);
	EXPECT_EQ(NULL, mp_keepers_find(&self->sites, &self->meta, &self->process,
					false).keeper);
}

TEST_F(keepers, without_callsites_nothing_is_told)
{
	struct mp_keepers found;

	self->process.value[MP_INUSE_SPACE] = 60 * MB;
	found = mp_keepers_find(NULL, &self->meta, &self->process, true);
	EXPECT_FALSE(found.is_early);
	EXPECT_FALSE(found.is_notable);
	EXPECT_EQ(NULL, found.keeper);
}

/* Two lines of a cache, and what grows: each line of the cache holds as much as that. */
TEST_F(keepers, the_function_that_holds_what_the_process_grew_by_may_be_the_leak)
{
	struct mp_keepers found;

	add(8, 4, 0);
	add(5, 2, 0);
	add(5, 2, 0);
	/* three of them, then four */
	add(5, 2, 0);
	found = find(self, 5);
	EXPECT_TRUE(found.is_early);
	EXPECT_NE(NULL, found.third);
	EXPECT_EQ(0, found.nr_more);
	add(5, 2, 0);
	EXPECT_EQ(1, find(self, 5).nr_more);
	self->sites.nr_rows = 3;
	/* two */
	found = find(self, 5);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(&self->sites.rows[2], found.other);
	put_in_function(self, 0, "load");
	put_in_function(self, 1, "load");
	put_in_function(self, 2, "note");
	found = find(self, 5);
	EXPECT_TRUE(found.is_early);
	EXPECT_TRUE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[2], found.keeper);
	EXPECT_EQ(NULL, found.other);
	/* of a process that has not grown, none is */
	EXPECT_EQ(NULL, find(self, 0).keeper);
	EXPECT_FALSE(find(self, 0).is_notable);
}

/*
 * A cache that frees nothing yet, and a leak that frees a part of its temporary blocks: what is
 * not sure counts, and both may be what grows.
 */
TEST_F(keepers, a_cache_that_holds_what_the_process_grew_by_is_not_the_only_suspect)
{
	struct mp_keepers found;

	add(5, 2, 20);
	add(10, 5, 0);
	found = find(self, 8);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(15 * MB, found.unsure);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(&self->sites.rows[0], found.other);
}

/* It frees too much for a keeper and too little for a cache: it is named, but not as sure. */
TEST_F(keepers, who_may_hold_the_growth_is_named_if_nobody_is_sure)
{
	struct mp_keepers found;

	add(30, 6, 80);
	add(8, 3, 12);
	found = find(self, 6);
	EXPECT_TRUE(found.is_early);
	EXPECT_TRUE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	/* also of a growth that it explains a part of */
	found = find(self, 40);
	EXPECT_TRUE(found.is_early);
	EXPECT_TRUE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	/* if nobody holds more than what is new, it did not replace older blocks */
	found = find(self, 9);
	EXPECT_FALSE(found.is_early);
	EXPECT_TRUE(found.is_growing);
	EXPECT_TRUE(found.is_steady);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	/* nobody is named if the process has hardly grown */
	EXPECT_FALSE(find(self, 1).is_notable);
}

/* A full cache does not grow any more: what leaks is compared with what is left. */
TEST_F(keepers, what_has_stopped_to_allocate_explains_its_part_of_the_growth)
{
	struct mp_keepers found;

	add(24, 23, 0);
	add(4, 2, 0);
	found = find(self, 30);
	EXPECT_EQ(24 * MB, found.stable);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_TRUE(found.is_growing);
	EXPECT_TRUE(found.is_notable);
	self->sites.rows[0].value[MP_OLD_SPACE] = 0;
	self->sites.rows[0].value[MP_FREE_OBJECTS] = 60;
	EXPECT_FALSE(find(self, 30).is_growing);
}

TEST_F(keepers, a_small_leak_is_told_beside_a_cache_that_fills)
{
	struct mp_keepers found;

	self->meta.status.start_ns = 100000000000;
	self->meta.status.now_ns = 112000000000;
	self->process.start_ns = 0;
	self->process.began_ns = 95000000000;
	/* a cache that fills, and a function that keeps a quarter of what it allocates */
	add(190, 95, 0);
	add(10, 5, 75);
	found = find(self, 210);
	EXPECT_TRUE(found.is_notable);
	EXPECT_TRUE(found.may_fill);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	EXPECT_EQ(&self->sites.rows[1], found.beside);
	/* another cache, which frees its oldest blocks */
	self->sites.rows[1].value[MP_OLD_SPACE] = 1 * MB;
	EXPECT_EQ(NULL, find(self, 210).beside);
	/* a full one that drops blocks at random: the process did not grow by them */
	self->sites.rows[1].value[MP_OLD_SPACE] = 5 * MB;
	EXPECT_EQ(&self->sites.rows[1], find(self, 210).beside);
	EXPECT_EQ(NULL, find(self, 170).beside);
	/* few samples */
	self->meta.alloc.rate = MB;
	EXPECT_EQ(NULL, find(self, 210).beside);
}

TEST_F(keepers, what_is_far_below_its_peak_does_not_grow)
{
	/* since its start: what it loaded, and freed most of */
	self->meta.source = MP_SOURCE_PRELOAD;
	self->meta.status.start_ns = 100000000000;
	self->meta.status.now_ns = 112000000000;
	self->process.start_ns = 0;
	self->process.began_ns = 100000000000;
	add(57, 28, 80);
	self->sites.rows[0].value[MP_PEAK_SPACE] = 285 * MB;
	EXPECT_FALSE(find(self, 0).is_notable);
	self->sites.rows[0].value[MP_PEAK_SPACE] = 60 * MB;
	EXPECT_TRUE(find(self, 0).is_notable);
}

/* A program that has just begun may have a cache that fills for the first time. */
TEST_F(keepers, young_programs_may_fill_a_cache)
{
	self->meta.status.start_ns = 10000000000000;
	self->meta.status.now_ns = 10010000000000;
	self->process.start_ns = 0;
	self->process.began_ns = 9990000000000;
	add(9, 4, 0);
	EXPECT_TRUE(find(self, 10).is_growing);
	EXPECT_TRUE(find(self, 10).may_fill);
	self->process.began_ns = 5000000000000;
	EXPECT_FALSE(find(self, 10).may_fill);
	/* seen for longer than it ran before */
	self->meta.status.now_ns = 16000000000000;
	EXPECT_TRUE(find(self, 10).may_fill);
	/* when it began is not known */
	self->process.began_ns = 0;
	EXPECT_FALSE(find(self, 10).may_fill);
}

/* Many callsites that hold less than a leak that is worth a sentence */
TEST_F(keepers, it_is_too_early_while_nobody_holds_much)
{
	struct mp_row *row;
	int i;

	for (i = 0; i < 4; i++) {
		row = add(1, 0, 0);
		row->value[MP_INUSE_SPACE] = MB * 3 / 4;
	}
	EXPECT_TRUE(find(self, 3).is_early);
	EXPECT_FALSE(find(self, 3).is_notable);
	self->sites.rows[0].value[MP_INUSE_SPACE] = 2 * MB;
	EXPECT_FALSE(find(self, 3).is_early);
}

/* A wrapper's blocks are kept for one caller and freed for another, behind two functions. */
TEST_F(keepers, the_caller_of_a_wrapper_is_named)
{
	struct mp_keepers found;

	add(40, 10, 60);
	put_in_function(self, 0, "wrapper");
	add_stack(self, "cache", 20, 2, 80);
	add_stack(self, "leak", 9, 4, 0);
	add_stack(self, "leak", 3, 1, 0);
	found = find(self, 15);
	EXPECT_TRUE(found.is_notable);
	EXPECT_TRUE(found.is_growing);
	EXPECT_FALSE(found.is_early);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	ASSERT_EQ(1, found.nr_callers);
	EXPECT_EQ(12 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(self->sites.rows[2].location.stack, found.caller.location.stack);
	EXPECT_EQ(2, found.caller.location.level);
	EXPECT_FALSE(found.is_for);
	/* if all callers keep, it is the wrapper that is told, with the one that has most */
	self->sites.rows[1].value[MP_FREE_OBJECTS] = 0;
	self->sites.rows[0].value[MP_FREE_OBJECTS] = 0;
	found = find(self, 38);
	EXPECT_EQ(0, found.nr_callers);
	ASSERT_TRUE(found.is_for);
	EXPECT_EQ(20 * MB, found.most_for.value[MP_INUSE_SPACE]);
	EXPECT_EQ(self->sites.rows[1].location.stack, found.most_for.location.stack);
	/* one caller is not worth it */
	self->sites.rows[1].value[MP_INUSE_SPACE] = MB;
	EXPECT_FALSE(find(self, 38).is_for);
}

/* A full cache that allocates by itself holds more than the wrapper. */
TEST_F(keepers, a_wrapper_need_not_hold_most)
{
	struct mp_keepers found;

	add(60, 10, 60);
	put_in_function(self, 0, "full");
	add(14, 5, 60);
	put_in_function(self, 1, "wrapper");
	add_stack(self, "temporary", 2, 0, 80);
	add_stack(self, "leak", 12, 5, 0);
	found = find(self, 13);
	EXPECT_TRUE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	ASSERT_EQ(1, found.nr_callers);
	EXPECT_EQ(12 * MB, found.caller.value[MP_INUSE_SPACE]);
}

/* The wrapper that holds less may have the larger leak. */
TEST_F(keepers, of_two_wrappers_the_larger_leak_is_named)
{
	struct mp_keepers found;

	add(46, 10, 60);
	put_in_function(self, 0, "wrapper");
	add_stack(self, "cache", 34, 2, 80);
	add_stack(self, "small", 12, 6, 0);
	add(30, 12, 60);
	put_in_function(self, 3, "other");
	add_stack_of(self, "other", "renews", 2, 0, 80);
	add_stack_of(self, "other", "large", 25, 12, 0);
	found = find(self, 38);
	ASSERT_EQ(2, found.nr_callers);
	EXPECT_EQ(&self->sites.rows[3], found.keeper);
	EXPECT_EQ(25 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(12 * MB, found.other_caller.value[MP_INUSE_SPACE]);
	/* the order of the wrappers does not matter */
	self->sites.rows[0].value[MP_INUSE_SPACE] = 26 * MB;
	self->sites.rows[1].value[MP_INUSE_SPACE] = 14 * MB;
	found = find(self, 38);
	ASSERT_EQ(2, found.nr_callers);
	EXPECT_EQ(&self->sites.rows[3], found.keeper);
	EXPECT_EQ(25 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(12 * MB, found.other_caller.value[MP_INUSE_SPACE]);
}

TEST_F(keepers, two_callers_that_keep_are_named)
{
	struct mp_keepers found;

	add(40, 10, 60);
	put_in_function(self, 0, "wrapper");
	add_stack(self, "cache", 20, 2, 80);
	add_stack(self, "leak", 5, 2, 0);
	add_stack(self, "larger", 12, 6, 0);
	found = find(self, 18);
	ASSERT_EQ(2, found.nr_callers);
	EXPECT_EQ(12 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(5 * MB, found.other_caller.value[MP_INUSE_SPACE]);
	/* who frees all is no keeper, but tells that the function is a wrapper */
	self->sites.rows[1].value[MP_INUSE_SPACE] = self->sites.rows[1].value[MP_OLD_SPACE] = 0;
	EXPECT_EQ(2, find(self, 18).nr_callers);
	/* a much smaller one is left out */
	self->sites.rows[2].value[MP_INUSE_SPACE] = MB;
	EXPECT_EQ(1, find(self, 18).nr_callers);
}

/* The cache has freed nothing yet. */
/* A wrapper that holds what the process grew by is no suspect: its caller is. */
TEST_F(keepers, a_suspect_that_is_a_wrapper_has_its_caller_named)
{
	struct mp_keepers found;

	add(40, 18, 1);
	put_in_function(self, 0, "cache");
	add(10, 4, 60);
	put_in_function(self, 1, "wrapper");
	add_stack(self, "temporary", 1, 0, 60);
	add_stack(self, "leak", 9, 4, 0);
	found = find(self, 9);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	ASSERT_EQ(1, found.nr_callers);
	EXPECT_EQ(9 * MB, found.caller.value[MP_INUSE_SPACE]);
	/* nobody frees what it allocates: it may be what leaks */
	self->sites.rows[2].value[MP_FREE_OBJECTS] = 0;
	EXPECT_EQ(0, find(self, 9).nr_callers);
}

TEST_F(keepers, if_it_is_too_early_callers_of_a_wrapper_are_suspects)
{
	struct mp_keepers found;

	add(40, 18, 1);
	put_in_function(self, 0, "wrapper");
	add_stack(self, "cache", 10, 4, 1);
	add_stack(self, "leak", 7, 3, 0);
	add_stack(self, "temporary", 23, 0, 90);
	found = find(self, 9);
	EXPECT_TRUE(found.is_early);
	EXPECT_TRUE(found.is_notable);
	ASSERT_EQ(2, found.nr_callers);
	EXPECT_EQ(10 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(7 * MB, found.other_caller.value[MP_INUSE_SPACE]);
}

TEST_F(keepers, three_suspects_are_named_and_more_are_counted)
{
	struct mp_keepers found;

	add(5, 2, 10);
	add(9, 4, 10);
	add(7, 3, 10);
	found = find(self, 9);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(&self->sites.rows[2], found.other);
	EXPECT_EQ(&self->sites.rows[0], found.third);
	EXPECT_EQ(0, found.nr_more);
	add(6, 3, 10);
	found = find(self, 9);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(&self->sites.rows[3], found.third);
	EXPECT_EQ(1, found.nr_more);
}

/* A server that was filled, and one whose memory takes the place of other memory */
TEST_F(keepers, what_has_stopped_to_grow_is_told)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 20000000010;
	add(30, 29, 0);
	found = find(self, 32);
	EXPECT_FALSE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[0], found.stopped);
	EXPECT_FALSE(found.is_flat);
	self->sites.rows[0].value[MP_FREE_OBJECTS] = 60;
	self->sites.rows[0].value[MP_OLD_SPACE] = 0;
	found = find(self, 0);
	EXPECT_EQ(NULL, found.stopped);
	EXPECT_TRUE(found.is_flat);
	EXPECT_FALSE(found.is_brief);
	self->meta.status.now_ns = 4000000010;
	EXPECT_TRUE(find(self, 0).is_brief);
	EXPECT_TRUE(find(self, 0).is_flat);
	/* a cache that has freed nothing yet: no time is too short for what does not grow */
	self->meta.status.now_ns = 20000000010;
	self->sites.rows[0].value[MP_FREE_OBJECTS] = 0;
	self->sites.rows[0].value[MP_OLD_SPACE] = 15 * MB;
	EXPECT_TRUE(find(self, 0).is_flat);
	EXPECT_FALSE(find(self, 0).is_early);
	EXPECT_TRUE(find(self, 3).is_early);
	/* a recording of perf itself does not know the size of its process */
	self->process.value[MP_RESIDENT] = 0;
	self->process.value[MP_RESIDENT_DELTA] = 0;
	EXPECT_FALSE(mp_keepers_find(&self->sites, &self->meta, &self->process, true).is_flat);
}

/* One block, such as a table, is no habit. */
TEST_F(keepers, a_single_block_is_no_leak)
{
	add(6, 3, 0)->value[MP_ALLOC_OBJECTS] = 1;
	EXPECT_FALSE(find(self, 6).is_notable);
	EXPECT_EQ(&self->sites.rows[0], find(self, 6).stopped);
	add(6, 3, 0)->value[MP_ALLOC_OBJECTS] = 2;
	EXPECT_EQ(&self->sites.rows[1], find(self, 12).keeper);
}

/* Python reuses freed objects without its allocator: a cache's line holds what leaks, too. */
TEST_F(keepers, a_second_function_that_keeps_a_quarter_is_told)
{
	struct mp_keepers found;

	add(8, 4, 0);
	add(5, 2, 0);
	add(1, 1, 0);
	found = find(self, 16);
	EXPECT_FALSE(found.is_early);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	EXPECT_EQ(&self->sites.rows[1], found.other);
	put_in_function(self, 0, "f");
	put_in_function(self, 1, "f");
	EXPECT_EQ(NULL, find(self, 16).other);
}

/* Of 16M by samples of 4M, the truth may be the 8M that the process grew by. */
TEST_F(keepers, what_few_samples_hold_may_be_what_the_process_grew_by)
{
	struct mp_row *row = add(16, 8, 0);

	EXPECT_EQ(NULL, find(self, 8).keeper);
	self->meta.alloc.pace = 1000;
	self->meta.alloc.rate = 64 << 10;
	row->value[MP_ALLOC_SPACE] = 16 * MB;
	row->value[MP_ALLOC_SAMPLES] = 4;
	EXPECT_EQ(row, find(self, 8).keeper);
	EXPECT_TRUE(find(self, 8).is_early);
	EXPECT_TRUE(find(self, 8).is_notable);
}

/* A leak of some 100 KB a second beside a cache */
TEST_F(keepers, too_little_growth_is_told)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 10000000010;
	add(50, 60, 0);
	found = find(self, 1);
	EXPECT_FALSE(found.is_notable);
	EXPECT_TRUE(found.is_slow);
	EXPECT_FALSE(found.is_flat);
	EXPECT_FALSE(find(self, 0).is_slow);
	EXPECT_FALSE(find(self, 3).is_slow);
}

/* A line of a cache that is slow, in its first seconds */
TEST_F(keepers, small_keepers_are_not_named_in_seconds)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 4000000010;
	add(1, 0, 0);
	found = find(self, 1);
	EXPECT_TRUE(found.is_early);
	self->meta.status.now_ns = 20000000010;
	found = find(self, 1);
	EXPECT_FALSE(found.is_early);
	EXPECT_TRUE(found.is_growing);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
}

/* In seconds a leak beside other growth has a suspect, and an idle process has none. */
TEST_F(keepers, little_is_no_reason_to_wait)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 4000000010;
	self->sites.nr_rows = 0;
	add(0, 0, 0)->value[MP_INUSE_SPACE] = 12 << 10;
	found = find(self, 0);
	EXPECT_FALSE(found.is_early);
	EXPECT_FALSE(found.is_notable);
}

/* A program that a recording began: its tables have stopped, and its leak goes on */
TEST_F(keepers, a_leak_of_a_new_program_is_told)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 20000000010;
	self->process.start_ns = 20;
	add(4, 4, 0);
	add(10, 5, 0);
	found = find(self, 14);
	EXPECT_TRUE(found.is_notable);
	EXPECT_TRUE(found.may_fill);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	/* all at once, at the begin or at the end */
	self->sites.rows[1].value[MP_OLD_SPACE] = 10 * MB;
	EXPECT_FALSE(find(self, 14).is_notable);
	self->sites.rows[1].value[MP_OLD_SPACE] = 0;
	EXPECT_FALSE(find(self, 14).is_notable);
}

TEST_F(keepers, what_was_not_freed_at_the_end_is_told)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 20000000010;
	self->process.flags = MP_ROW_EXITED;
	self->process.value[MP_AT_EXIT] = 7 * MB;
	add(1, 0, 0);
	add(6, 0, 0);
	found = find(self, 0);
	EXPECT_FALSE(found.is_notable);
	EXPECT_EQ(&self->sites.rows[1], found.left);
	/* also of one of several processes */
	EXPECT_NE(NULL, mp_keepers_find(&self->sites, &self->meta, &self->process, false).left);
	self->process.value[MP_AT_EXIT] = MB / 2;
	EXPECT_EQ(NULL, find(self, 0).left);
}

/* What ended without its memory had it at the peak. */
TEST_F(keepers, who_had_most_at_the_peak_is_told_of_what_freed_all)
{
	struct mp_row *row;

	self->process.flags = MP_ROW_EXITED;
	self->process.value[MP_AT_PEAK] = 9 * MB;
	row = add(0, 0, 100);
	row->value[MP_AT_PEAK] = 2 * MB;
	row = add(0, 0, 100);
	row->value[MP_AT_PEAK] = 7 * MB;
	/* it had blocks that nobody has seen */
	EXPECT_EQ(NULL, find(self, 0).top);
	self->process.start_ns = 15;
	EXPECT_EQ(&self->sites.rows[1], find(self, 0).top);
	EXPECT_EQ(NULL, find(self, 0).left);
	EXPECT_EQ(NULL, mp_keepers_find(&self->sites, &self->meta, &self->process, false).top);
	self->process.value[MP_AT_PEAK] = MB / 2;
	EXPECT_EQ(NULL, find(self, 0).top);
}

/* Who has most of the little that such a program did not free is told, too. */
TEST_F(keepers, who_did_not_free_is_told_beside_the_peak)
{
	struct mp_row *row;

	self->process.flags = MP_ROW_EXITED;
	self->process.start_ns = 15;
	self->process.value[MP_AT_PEAK] = 90 * MB;
	self->process.value[MP_PEAK_SPACE] = 90 * MB;
	row = add(0, 0, 100);
	row->value[MP_AT_PEAK] = 85 * MB;
	add(5, 0, 0);
	self->process.value[MP_AT_EXIT] = 5 * MB;
	EXPECT_EQ(&self->sites.rows[0], find(self, 0).top);
	EXPECT_EQ(&self->sites.rows[1], find(self, 0).rest);
	/* less than half of it */
	self->process.value[MP_AT_EXIT] = 11 * MB;
	self->process.value[MP_PEAK_SPACE] = 200 * MB;
	EXPECT_EQ(NULL, find(self, 0).rest);
	/* a few samples */
	self->process.value[MP_AT_EXIT] = 5 * MB;
	self->meta.alloc.rate = MB;
	EXPECT_EQ(NULL, find(self, 0).rest);
}

/* A cache that fills frees nothing, and a leak that holds far less frees nothing, either. */
TEST_F(keepers, a_small_one_that_frees_nothing_is_told)
{
	add(64, 32, 0);
	add(3, 1, 0);
	EXPECT_EQ(&self->sites.rows[0], find(self, 67).keeper);
	EXPECT_EQ(&self->sites.rows[1], find(self, 67).other);
	self->sites.rows[1].value[MP_INUSE_SPACE] = 1 * MB;
	EXPECT_EQ(NULL, find(self, 65).other);
}

/* It may free what it only works with. */
TEST_F(keepers, a_small_one_that_frees_little_is_told)
{
	add(64, 32, 0);
	add(4, 2, 10);
	EXPECT_EQ(&self->sites.rows[1], find(self, 67).other);
	self->sites.rows[1].value[MP_FREE_OBJECTS] = 30;
	EXPECT_EQ(NULL, find(self, 67).other);
}

/* A full cache that has not freed anything yet holds more than the rest of the growth. */
TEST_F(keepers, a_second_one_has_to_fit_into_the_growth)
{
	add(10, 5, 0);
	add(4, 2, 0);
	EXPECT_EQ(&self->sites.rows[1], find(self, 13).other);
	EXPECT_EQ(&self->sites.rows[0], find(self, 11).keeper);
	EXPECT_EQ(NULL, find(self, 11).other);
}

/* Two keepers in stacks of their own, which one function calls */
TEST_F(keepers, what_calls_both_is_told)
{
	struct mp_keepers found;
	size_t i;

	add_site(self, 20, 10, 0);
	add_site(self, 10, 5, 0);
	put_in_function(self, 0, "copy");
	put_in_function(self, 1, "plan");
	add_stack_of(self, "copy", "prepare", 20, 10, 0);
	add_stack_of(self, "plan", "prepare", 10, 5, 0);
	found = find(self, 30);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	EXPECT_EQ(&self->sites.rows[1], found.other);
	ASSERT_TRUE(found.has_common);
	EXPECT_STREQ("between", mp_symbols_text(&self->sites.symbols,
		     mp_profile_line(&self->sites, &found.common.location)->function));
	/* what all of a thread runs in is not told */
	for (i = 0; i < self->sites.symbols.nr_lines; i++)
		if (!strcmp(mp_symbols_text(&self->sites.symbols,
					    self->sites.symbols.lines[i].function), "between"))
			self->sites.symbols.lines[i].function =
				mp_names_add(&self->sites.symbols.names, "main");
	EXPECT_FALSE(find(self, 30).has_common);
}

static void make_python(FIXTURE_DATA(keepers) *self, size_t site)
{
	struct mp_binary binary = { .inode = site + 1 };

	snprintf(binary.path, sizeof(binary.path), "py::f%zu:/a.py", site);
	mp_sites_binary(&self->sites, &binary, &self->sites.rows[site].location.binary);
}

/* Temporary dicts go through a list of Python's to who keeps them, without its allocator. */
TEST_F(keepers, python_hands_objects_on)
{
	struct mp_keepers found;
	size_t i;

	add(18, 9, 98);
	add(10, 5, 80);
	for (i = 0; i < 2; i++)
		self->sites.rows[i].value[MP_ALLOC_SAMPLES] = 1000;
	EXPECT_EQ(&self->sites.rows[0], find(self, 28).keeper);
	EXPECT_EQ(NULL, find(self, 28).handed_on);
	for (i = 0; i < 2; i++)
		make_python(self, i);
	found = find(self, 28);
	EXPECT_EQ(&self->sites.rows[1], found.keeper);
	EXPECT_EQ(&self->sites.rows[0], found.handed_on);
	EXPECT_EQ(NULL, found.other);
}

/* A full cache keeps a larger part of its blocks than who makes temporary ones. */
TEST_F(keepers, python_hands_objects_on_to_no_cache)
{
	size_t i;

	add(18, 9, 98);
	add(10, 0, 80);
	for (i = 0; i < 2; i++) {
		self->sites.rows[i].value[MP_ALLOC_SAMPLES] = 1000;
		self->sites.rows[i].value[MP_ALLOC_SPACE] = 100 * MB;
		make_python(self, i);
	}
	EXPECT_EQ(&self->sites.rows[0], find(self, 28).keeper);
	EXPECT_EQ(NULL, find(self, 28).handed_on);
	EXPECT_TRUE(find(self, 28).hands_on);
}

/* Of a line that keeps a far smaller part than it frees, it is not sure that it keeps it. */
TEST_F(keepers, python_may_hand_objects_on_to_nobody_knows_whom)
{
	add(18, 9, 98);
	self->sites.rows[0].value[MP_ALLOC_SAMPLES] = 1000;
	self->sites.rows[0].value[MP_ALLOC_SPACE] = 100 * MB;
	EXPECT_FALSE(find(self, 20).hands_on);
	make_python(self, 0);
	EXPECT_TRUE(find(self, 20).hands_on);
	EXPECT_EQ(NULL, find(self, 20).handed_on);
	self->sites.rows[0].value[MP_ALLOC_SPACE] = 30 * MB;
	EXPECT_FALSE(find(self, 20).hands_on);
}

/* Who keeps things in a list enlarges the list. */
TEST_F(keepers, python_may_hand_objects_on_to_who_enlarges_a_list)
{
	struct mp_row *list;

	add(18, 9, 98);
	list = add(2, 1, 0);
	list->value[MP_ALLOC_OBJECTS] = 2;
	list->value[MP_FREE_OBJECTS] = 1;
	self->sites.rows[0].value[MP_ALLOC_SAMPLES] = 1000;
	self->sites.rows[0].value[MP_ALLOC_SPACE] = 100 * MB;
	make_python(self, 0);
	EXPECT_EQ(NULL, find(self, 20).enlarger);
	make_python(self, 1);
	EXPECT_EQ(&self->sites.rows[1], find(self, 20).enlarger);
	/* one block may be anything */
	self->sites.rows[1].value[MP_ALLOC_OBJECTS] = 1;
	EXPECT_EQ(NULL, find(self, 20).enlarger);
	/* many are no list */
	self->sites.rows[1].value[MP_ALLOC_OBJECTS] = 1000;
	EXPECT_EQ(NULL, find(self, 20).enlarger);
	/* a line that keeps its own needs nobody */
	self->sites.rows[1].value[MP_ALLOC_OBJECTS] = 2;
	self->sites.rows[0].value[MP_ALLOC_SPACE] = 30 * MB;
	EXPECT_EQ(NULL, find(self, 20).enlarger);
}

TEST_F(keepers, a_server_may_keep_its_data)
{
	add(10, 5, 0);
	EXPECT_FALSE(find(self, 10).is_data);
	strcpy(self->process.comm, "redis-server");
	EXPECT_TRUE(find(self, 10).is_data);
}

/* A cache that has freed nothing yet gets its blocks from a function that others free from. */
TEST_F(keepers, a_callers_cache_may_have_freed_nothing_yet)
{
	struct mp_keepers found;

	self->meta.status.now_ns = 20000000010;
	add(8, 0, 90);
	put_in_function(self, 0, "wrapper");
	add_stack(self, "cache", 7, 3, 0);
	add_stack(self, "temporary", 1, 0, 99);
	found = find(self, 7);
	EXPECT_EQ(1, found.nr_callers);
	EXPECT_TRUE(found.is_notable);
	found = find(self, 0);
	EXPECT_FALSE(found.is_notable);
	found = find(self, 3);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(0, found.nr_callers);
}

TEST_HARNESS_MAIN
