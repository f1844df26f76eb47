// SPDX-License-Identifier: GPL-2.0-only
/* Tests of judge-callers: for which caller a wrapper allocates what is kept. */
#include "keepers-rows.h"
#include "sites.h"

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
	found = find(self, 44);
	ASSERT_EQ(2, found.nr_callers);
	EXPECT_EQ(&self->sites.rows[3], found.keeper);
	EXPECT_EQ(25 * MB, found.caller.value[MP_INUSE_SPACE]);
	EXPECT_EQ(12 * MB, found.other_caller.value[MP_INUSE_SPACE]);
}

/* A cache that fills frees nothing, and is larger than the leak beside it. */
TEST_F(keepers, a_caller_of_a_wrapper_is_named_beside_a_larger_keeper)
{
	struct mp_keepers found;

	add(30, 14, 0);
	put_in_function(self, 0, "cache");
	add(5, 2, 80);
	put_in_function(self, 1, "wrapper");
	add_stack(self, "leak", 5, 2, 0);
	add_stack(self, "renews", 0, 0, 100);
	found = find(self, 36);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	EXPECT_FALSE(found.is_early);
	ASSERT_TRUE(found.has_wrapped);
	EXPECT_EQ(5 * MB, mp_keepers_other(&found)->value[MP_INUSE_SPACE]);
	/* the cache frees what is older than the session, so nobody is sure to leak */
	found = find(self, 26);
	EXPECT_TRUE(found.is_early);
	EXPECT_EQ(&self->sites.rows[0], found.keeper);
	ASSERT_TRUE(found.has_wrapped);
	/* without one that frees, it is no wrapper */
	self->sites.rows[3].value[MP_FREE_OBJECTS] = 0;
	EXPECT_FALSE(find(self, 36).has_wrapped);
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
