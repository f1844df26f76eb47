// SPDX-License-Identifier: GPL-2.0-only
/* Tests of full tables. The tables are compiled with small capacities. */
#include "heap-map.h"
#include "memprof_internal.h"
#include "stack-table.h"

#include <stdint.h>

#include "kselftest_harness.h"

TEST(the_capacities_are_those_of_the_compiler)
{
	EXPECT_EQ(16, MEMPROF_HEAP_MAP_CAPACITY);
	EXPECT_EQ(16, MEMPROF_STACK_TABLE_MAX_DEFAULT);
}

TEST(a_full_live_table_drops_and_recovers)
{
	uintptr_t i;
	int slot;

	ASSERT_EQ(0, heap_map_init());
	for (i = 1; i <= 16; i++) {
		slot = heap_map_reserve(i * 4096);
		ASSERT_LE(0, slot);
		ASSERT_GT(16, slot);
		ASSERT_EQ(1, heap_map_finalize(slot, i * 4096, i));
	}
	EXPECT_EQ(100, heap_map_load_percent());
	EXPECT_EQ(-1, heap_map_reserve(0x9999000));
	EXPECT_EQ(-1, heap_map_reserve(0x9999000));
	EXPECT_EQ(2, g_memprof.heap_map_full_drops);
	EXPECT_EQ(1, heap_map_remove(4096, UINT64_MAX, 0, NULL, NULL, NULL,
				     NULL));
	slot = heap_map_reserve(0x9999000);
	EXPECT_LE(0, slot);
	EXPECT_EQ(1, g_memprof.tombstones_recycled);
	for (i = 2; i <= 16; i++)
		ASSERT_EQ(1, heap_map_remove(i * 4096, UINT64_MAX, 0, NULL,
					     NULL, NULL, NULL));
}

/* 100,000 blocks are inserted and removed in 16 slots. */
TEST(tombstones_are_recycled_for_ever)
{
	uintptr_t i;
	int slot;

	ASSERT_EQ(0, heap_map_init());
	for (i = 1; i <= 100000; i++) {
		slot = heap_map_reserve(i * 16);
		ASSERT_LE(0, slot);
		ASSERT_EQ(1, heap_map_finalize(slot, i * 16, i));
		if (i > 10)
			ASSERT_EQ(1, heap_map_remove((i - 10) * 16, UINT64_MAX, 0,
						     NULL, NULL, NULL, NULL));
	}
	EXPECT_EQ(10, mp_heap_map_live());
	EXPECT_EQ(0, g_memprof.heap_map_full_drops);
}

TEST(a_full_stack_table_says_so)
{
	uintptr_t frame;

	ASSERT_EQ(0, stack_table_init());
	for (frame = 0; frame < 16; frame++)
		ASSERT_EQ(frame, stack_table_intern(&frame, 1, frame * 3));
	EXPECT_EQ(UINT32_MAX, stack_table_intern(&frame, 1, 1));
	for (frame = 0; frame < 16; frame++)
		ASSERT_EQ(frame, stack_table_intern(&frame, 1, frame * 3));
	EXPECT_EQ(NULL, stack_table_get(16));
}


TEST_HARNESS_MAIN
