// SPDX-License-Identifier: GPL-2.0-only
/* Tests of renamed: which command has another name in the new build. */
#include "renamed.h"

#include "kselftest_harness.h"

#include <stdio.h>

FIXTURE(renamed)
{
	struct mp_renamed renamed;
};

FIXTURE_SETUP(renamed)
{
	self->renamed = (struct mp_renamed){ 0 };
}

FIXTURE_TEARDOWN(renamed)
{
}

/* A run of a side with up to two commands */
static void run(struct mp_renamed *renamed, int side, const char *one, const char *other)
{
	mp_renamed_begin(&renamed->sides[side]);
	mp_renamed_add(&renamed->sides[side], one);
	mp_renamed_add(&renamed->sides[side], one);
	mp_renamed_add(&renamed->sides[side], other);
}

TEST_F(renamed, one_of_each_side)
{
	run(&self->renamed, 0, "sh", "app-1.0");
	run(&self->renamed, 0, "app-1.0", "sh");
	run(&self->renamed, 1, "app-1.1", "sh");
	ASSERT_TRUE(mp_renamed_find(&self->renamed));
	EXPECT_STREQ(self->renamed.was, "app-1.0");
	EXPECT_STREQ(self->renamed.is, "app-1.1");
}

TEST_F(renamed, same_commands)
{
	run(&self->renamed, 0, "sh", "app");
	run(&self->renamed, 1, "sh", "app");
	EXPECT_FALSE(mp_renamed_find(&self->renamed));
	EXPECT_STREQ(self->renamed.was, "");
}

TEST_F(renamed, two_that_may_be_meant)
{
	run(&self->renamed, 0, "old", "");
	run(&self->renamed, 1, "new", "helper");
	EXPECT_FALSE(mp_renamed_find(&self->renamed));
}

/* What only some runs have is not the program. */
TEST_F(renamed, not_in_all_runs)
{
	run(&self->renamed, 0, "old", "cron");
	run(&self->renamed, 0, "old", "");
	run(&self->renamed, 1, "new", "");
	ASSERT_TRUE(mp_renamed_find(&self->renamed));
	EXPECT_STREQ(self->renamed.was, "old");
}

TEST_F(renamed, too_many)
{
	char name[16];
	int i;

	run(&self->renamed, 0, "old", "");
	run(&self->renamed, 1, "new", "");
	for (i = 0; i < MP_RENAMED_MAX; i++) {
		snprintf(name, sizeof(name), "job-%d", i);
		mp_renamed_add(&self->renamed.sides[0], name);
		mp_renamed_add(&self->renamed.sides[1], name);
	}
	EXPECT_FALSE(mp_renamed_find(&self->renamed));
}

TEST_HARNESS_MAIN
