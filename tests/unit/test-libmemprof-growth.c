// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the growth of the tables of stacks and live blocks, with their internals. */
#include "heap-map.c"
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

/* A thread may be stopped while it opens a window; other threads must not wait. */
TEST(who_opens_a_window_holds_up_nobody)
{
	uintptr_t i;
	int slot;

	ASSERT_EQ(0, heap_map_init());
	for (i = 1; i <= 40000; i++) {
		nr_opened_ahead = nr_windows + 1;
		slot = heap_map_reserve(i * 48);
		ASSERT_LE(0, slot);
		ASSERT_EQ(1, heap_map_finalize(slot, i * 48, i));
	}
	EXPECT_EQ(0, g_memprof.heap_map_full_drops);
	for (i = 1; i <= 40000; i++)
		ASSERT_EQ(1, heap_map_remove(i * 48, UINT64_MAX, 0, NULL, NULL,
					     NULL, NULL));
}

TEST(who_makes_room_for_stacks_holds_up_nobody)
{
	uintptr_t frame;

	ASSERT_EQ(0, stack_table_init());
	for (frame = 0; frame < 10000; frame++) {
		made_ahead = 2 * capacity;
		ASSERT_EQ(frame, stack_table_intern(&frame, 1, frame * 3 + 1));
	}
	EXPECT_EQ(0, mp_drop_counter_value(MP_COUNT_stack_table_busy_drops));
}

/* Windows are opened before they are needed, so no thread probes many slots. */
TEST(windows_are_opened_ahead)
{
	uintptr_t i;
	uint32_t n;
	int slot;

	ASSERT_EQ(0, heap_map_init());
	for (i = 1; i <= 40000; i++) {
		slot = heap_map_reserve(i * 48);
		ASSERT_EQ(1, heap_map_finalize(slot, i * 48, i));
		ASSERT_GE(mp_heap_map_slots(), 2 * mp_heap_map_live());
	}
	for (n = 0; n < nr_windows; n++)
		EXPECT_GE(CROWDED, farthest[n]);
}

TEST_HARNESS_MAIN
