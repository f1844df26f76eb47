// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the filter in front of the table of living blocks, and of frees that it let pass. */
#include "bloom.h"
#include "heap-map.h"
#include "in-vain.h"

#include "kselftest_harness.h"

static void set_up(void)
{
	bloom_init();
	heap_map_init();
}

/*
 * 50,000 live blocks, one in each page of 200 MB, so several pages have one word: the filter
 * has all of the blocks, and passes few other addresses.
 */
TEST(bloom_rates_at_every_alignment)
{
	static const unsigned int alignments[] = { 1, 16, 64, 4096 };
	uintptr_t base = 0x7f1234560000, i, p;
	unsigned int a, wrong, first;

	for (a = 0; a < 4; a++) {
		unsigned int step = alignments[a];

		bloom_init();
		for (i = 0; i < 50000; i++)
			bloom_add(base + i * 4096 + i * step % 4096);
		for (i = wrong = 0; i < 50000; i++) {
			p = base + i * 4096 + i * step % 4096;
			wrong += !bloom_might_contain(p) || !mp_bloom_first_bit(p);
		}
		EXPECT_EQ(0, wrong);
		for (i = wrong = first = 0; i < 200000; i++) {
			/* in the same pages, and in the rest of memory */
			p = base + i % 50000 * 4096 + (i + i / 50000 + 1) * step % 4096;
			if (i >= 100000 || step == 4096)
				p = base + (1UL << 30) + i * step;
			wrong += bloom_might_contain(p);
			first += mp_bloom_first_bit(p);
		}
		TH_LOG("alignment %u: %.2f %%, first bit %.1f %%", step,
		       wrong / 2000.0, first / 2000.0);
		EXPECT_GT(4000, wrong);
	}
}

/* Blocks are allocated and freed at a few addresses. Then the filter must be empty. */
TEST(the_filter_forgets_blocks_that_are_gone)
{
	uint64_t ones;
	uintptr_t i;

	set_up();
	for (i = 1; i <= 3000; i++)
		bloom_add(i * 512);
	ones = g_memprof.bloom_ones_count;
	EXPECT_LT(8000, ones);
	for (i = 1; i <= 3000; i++)
		mp_bloom_remove(i * 512, i);
	for (i = 1; i <= 3000; i++)
		ASSERT_EQ(0, bloom_might_contain(i * 512));
	EXPECT_EQ(0, g_memprof.bloom_ones_count);
	/* counts that ran over are never trusted again */
	for (i = 0; i < 40; i++)
		bloom_add(64);
	for (i = 0; i < 40; i++)
		mp_bloom_remove(64, 1);
	EXPECT_EQ(1, bloom_might_contain(64));
}

/* Until another block is sampled. An entry that two threads wrote, each a half of it, is none. */
TEST(a_free_in_vain_is_not_looked_up_again)
{
	const uintptr_t ptr = 0x7f1234560040;

	set_up();
	EXPECT_FALSE(mp_in_vain_is(ptr, 0));
	mp_in_vain_note(ptr, 5);
	EXPECT_TRUE(mp_in_vain_is(ptr, 5));
	EXPECT_FALSE(mp_in_vain_is(ptr, 6));
	EXPECT_FALSE(mp_in_vain_is(ptr + 16, 5));
	mp_in_vain_entry(ptr)->seq = 6;
	EXPECT_FALSE(mp_in_vain_is(ptr, 6));
	mp_in_vain_note(ptr, 7);
	bloom_init();
	EXPECT_FALSE(mp_in_vain_is(ptr, 7));
}

TEST(a_rebuild_keeps_what_lives_and_drops_the_rest)
{
	uint64_t born[200];
	uintptr_t i, left = 0;
	int n;

	set_up();
	for (i = 1; i <= 20000; i++)
		bloom_add(i * 32);
	for (i = 0; i < 200; i++) {
		n = heap_map_reserve((i + 1) * 4096);
		born[i] = g_memprof.heap_map[n].birth_seq;
		if (i % 2)
			heap_map_finalize(n, (i + 1) * 4096, 1);
		bloom_add((i + 1) * 4096);
	}
	for (n = 1; n <= 3; n++) {
		ASSERT_EQ(0, bloom_rebuild_from_heap());
		EXPECT_EQ(n, g_memprof.bloom_rebuilds);
		for (i = 0; i < 200; i++)
			ASSERT_EQ(1, bloom_might_contain((i + 1) * 4096));
		for (i = 1; i <= 20000; i++)
			left += i % 128 && bloom_might_contain(i * 32);
		EXPECT_GT(1000, left);
	}
	/* one that is older than the filter: its word is kept */
	mp_bloom_remove(4096, born[0]);
	EXPECT_EQ(1, bloom_might_contain(4096));
	g_memprof.bloom_rebuild_in_progress = 1;
	EXPECT_EQ(-1, bloom_rebuild_from_heap());
}

TEST_HARNESS_MAIN
