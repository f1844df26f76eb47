// SPDX-License-Identifier: GPL-2.0-only
/* Tests of keepers: leaks, caches, and what looks like one of them for a while. */
#include "keepers-rows.h"
#include "sites.h"

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

TEST_HARNESS_MAIN
