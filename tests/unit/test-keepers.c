// SPDX-License-Identifier: GPL-2.0-only
/* Tests of keepers: leaks, caches, and what looks like one of them for a while. */
#include "keepers.h"

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

/* Gives a callsite the name of its function. */
static void put_in_function(FIXTURE_DATA(keepers) *self, size_t site, const char *name)
{
	struct mp_profile *sites = &self->sites;
	struct mp_line line = {
		.function = mp_names_add(&sites->symbols.names, name), .file = MP_NAMES_NONE,
	};
	const uint32_t number = mp_frames_add(&sites->frames, 1, 0, site);
	const uint64_t frame = MP_FRAMES_FIRST + (uint64_t)number;

	sites->frames.list[number].first = (uint32_t)sites->symbols.nr_lines;
	sites->frames.list[number].nr = 1;
	mp_symbols_add(&sites->symbols, &line);
	sites->rows[site].location.stack = mp_stacks_add(&sites->frames.stacks, &frame, 1) + 1;
}

static struct mp_keepers find(FIXTURE_DATA(keepers) *self, int64_t grown_mb)
{
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
	/* one sample of each block of 512K says nothing of halves */
	self->meta.alloc.rate = 512 << 10;
	EXPECT_EQ(NULL, find(self, 22).keeper);
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

TEST_F(keepers, without_callsites_only_the_process_is_known)
{
	struct mp_keepers found;

	self->process.value[MP_INUSE_SPACE] = 60 * MB;
	found = mp_keepers_find(NULL, &self->meta, &self->process, true);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(NULL, found.keeper);
}

/* Two lines of a cache, and what grows: each line of the cache holds as much as that. */
TEST_F(keepers, the_function_that_holds_what_the_process_grew_by_may_be_the_leak)
{
	struct mp_keepers found;

	add(8, 4, 0);
	add(5, 2, 0);
	add(5, 2, 0);
	/* three of them */
	add(5, 2, 0);
	found = find(self, 5);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(NULL, found.keeper);
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

/* All of 90 MB is replaced at 15 MB in 5 seconds. */
TEST_F(keepers, the_time_that_is_enough_is_that_of_replacing_all)
{
	add(15, 7, 0);
	self->process.value[MP_RESIDENT] = 90 * MB;
	self->meta.status.start_ns = 10;
	self->meta.status.now_ns = 5000000010;
	EXPECT_EQ(5000000000, find(self, 1).seen_ns);
	EXPECT_EQ(45000000000, find(self, 1).enough_ns);
	self->process.value[MP_RESIDENT] = 15 * MB;
	EXPECT_EQ(7500000000, find(self, 1).enough_ns);
}

/* Python reuses freed objects without its allocator: a cache's line holds what leaks, too. */
TEST_F(keepers, a_second_function_that_keeps_half_as_much_is_told)
{
	struct mp_keepers found;

	add(8, 4, 0);
	add(5, 2, 0);
	add(3, 1, 0);
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

TEST_HARNESS_MAIN
