// SPDX-License-Identifier: GPL-2.0-only
/* How the table of stacks grows, from inside of it. */
#include "stack-table.c"

#include "kselftest_harness.h"

TEST(who_finds_it_grown_counts_no_failure)
{
	ASSERT_EQ(0, stack_table_init());
	EXPECT_TRUE(grow_table(2 * FIRST_ROOM));
	/* another thread had the same wish */
	EXPECT_TRUE(grow_table(2 * FIRST_ROOM));
	EXPECT_EQ(2 * FIRST_ROOM, capacity);
	EXPECT_EQ(0, mp_drop_counter_value(MP_COUNT_region_grow_failed));
}

TEST(a_stack_is_counted_with_the_binaries_of_its_time)
{
	uintptr_t frame = 0x1000;
	uint32_t stack;

	ASSERT_EQ(0, stack_table_init());
	stack = stack_table_intern(&frame, 1, 1);
	mp_region->sections[MEMPROF_REGION_MAPS].used = 3;
	EXPECT_EQ(3, mp_stack_tally(stack)->nr_maps);
	mp_region->sections[MEMPROF_REGION_MAPS].used = 5;
	EXPECT_EQ(3, mp_stack_tally(stack)->nr_maps);
	EXPECT_EQ(0, mp_stack_tally(UINT32_MAX)->nr_maps);
}

TEST_HARNESS_MAIN
