// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the parts that need no probe: the sampler, the tables, the sums. They are
 * a part of the module on kernels with KUnit, and run when it is loaded. The results
 * are in the kernel's log and under /sys/kernel/debug/kunit.
 */
#include <kunit/test.h>
#include <linux/percpu.h>
#include "live.h"
#include "pending.h"
#include "process.h"
#include "sample.h"
#include "site.h"
#include "table.h"
#include "tally.h"

static void weight_is_inverse_of_probability(struct kunit *test)
{
	/* 65536 / (1 - exp(-size / 524288)), computed in floating point */
	static const struct {
		u64 size, weight;
	} cases[] = {
		{ 1, 34359771136ULL }, { 64, 536903680 }, { 4096, 8421419 },
		{ 65536, 557739 }, { 524288, 103676 }, { 4194304, 65558 },
		{ 16777216, 65536 },
	};
	struct memprof_sampler s = { .rate = 524288 };
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		s64 off = memprof_sample_weight(&s, cases[i].size) -
			  cases[i].weight;

		KUNIT_EXPECT_LE(test, abs(off), (s64)cases[i].weight / 10000 + 1);
	}
}

static void rate_1_samples_every_call_once(struct kunit *test)
{
	struct memprof_sampler s = { .rate = 1 };

	KUNIT_EXPECT_TRUE(test, memprof_sample(&s, 0));
	KUNIT_EXPECT_TRUE(test, memprof_sample(&s, 1));
	KUNIT_EXPECT_EQ(test, memprof_sample_weight(&s, 1), MEMPROF_ONE);
}

static void samples_stand_for_all_calls(struct kunit *test)
{
	struct memprof_sampler s = {};
	u64 i, estimate = 0;

	KUNIT_ASSERT_EQ(test, 0, memprof_sampler_alloc(&s, 4096));
	for (i = 0; i < 1000000; i++)
		if (memprof_sample(&s, 64))
			estimate += memprof_sample_weight(&s, 64);
	memprof_sampler_free(&s);
	/* 15504 samples: six standard deviations are 4.8 % */
	KUNIT_EXPECT_GT(test, estimate >> 16, 952000ULL);
	KUNIT_EXPECT_LT(test, estimate >> 16, 1048000ULL);
}

struct test_row {
	struct memprof_entry entry;
	int value;
	bool over;
};

static bool is_test_row_over(const void *row)
{
	return ((const struct test_row *)row)->over;
}

static int folded;

static void fold_test_row(struct memprof_table *t, void *row)
{
	struct test_row *r = row;

	folded += r->value;
	r->over = false;
}

static void table_uses_rows_again(struct kunit *test)
{
	static const struct memprof_recycler recycler = {
		.is_over = is_test_row_over, .fold = fold_test_row,
	};
	struct memprof_table t = {};
	struct test_row *row[3], *r;
	unsigned long flags;
	int i, found = 0;

	folded = 0;
	KUNIT_ASSERT_EQ(test, 0, memprof_table_alloc(&t, 3, sizeof(*r)));
	raw_spin_lock_irqsave(&t.lock, flags);
	for (i = 0; i < 3; i++) {
		row[i] = memprof_table_pop(&t);
		row[i]->value = 1 << i;
		memprof_table_show(&t, &row[i]->entry, 1);
	}
	KUNIT_EXPECT_FALSE(test, t.full);
	KUNIT_EXPECT_NULL(test, memprof_table_pop(&t));
	KUNIT_EXPECT_TRUE(test, t.full);
	raw_spin_unlock_irqrestore(&t.lock, flags);
	row[1]->over = true;
	memprof_table_recycle(&t, &recycler);
	KUNIT_EXPECT_EQ(test, folded, 2);
	KUNIT_EXPECT_FALSE(test, t.full);
	KUNIT_EXPECT_EQ(test, t.used, 2U);
	rcu_read_lock();
	memprof_table_for_each(r, &t, 1)
		found += r->value;
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, found, 5);
	raw_spin_lock_irqsave(&t.lock, flags);
	KUNIT_EXPECT_PTR_EQ(test, memprof_table_pop(&t), (void *)row[1]);
	raw_spin_unlock_irqrestore(&t.lock, flags);
	memprof_table_free(&t);
}

struct live_test {
	struct memprof_live live;
	struct memprof_spares spares;
	struct memprof_counts __percpu *counts;
	struct memprof_row row;
};

static struct live_test *open_live(struct kunit *test, u32 max)
{
	struct live_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	t->counts = alloc_percpu(struct memprof_counts);
	KUNIT_ASSERT_NOT_NULL(test, t->counts);
	KUNIT_ASSERT_EQ(test, 0, memprof_live_alloc(&t->live, max, t->counts));
	raw_spin_lock_init(&t->row.large_lock);
	t->row.large = RB_ROOT;
	t->row.number = 7;
	return t;
}

static void close_live(struct live_test *t)
{
	memprof_live_free(&t->live);
	free_percpu(t->counts);
}

static bool add(struct live_test *t, u64 ptr, u64 size, struct memprof_found *old)
{
	struct memprof_found b = { .ptr = ptr, .size = size };

	return memprof_live_add(&t->live, &t->spares, &t->row, &b, old);
}

static void block_is_found_by_any_address_in_it(struct kunit *test)
{
	static const u64 sizes[] = { 1, 127, 128, 4000, 4096, 1 << 20 };
	struct live_test *t = open_live(test, 64);
	struct memprof_found f, old;
	u64 ptr = 0x7000;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++, ptr += 2 << 20) {
		KUNIT_EXPECT_TRUE(test, add(t, ptr, sizes[i], &old));
		KUNIT_EXPECT_TRUE(test, memprof_live_at(&t->live, &t->row, ptr, &f));
		KUNIT_EXPECT_TRUE(test, memprof_live_at(&t->live, &t->row,
							ptr + sizes[i] - 1, &f));
		KUNIT_EXPECT_EQ(test, f.ptr, ptr);
		KUNIT_EXPECT_FALSE(test, memprof_live_at(&t->live, &t->row,
							 ptr + sizes[i], &f));
		KUNIT_EXPECT_FALSE(test, memprof_live_at(&t->live, &t->row,
							 ptr - 1, &f));
		KUNIT_EXPECT_TRUE(test, memprof_live_take(&t->live, &t->spares,
							  &t->row, ptr, &f));
		KUNIT_EXPECT_FALSE(test, memprof_live_at(&t->live, &t->row, ptr, &f));
	}
	close_live(t);
}

static void block_at_the_same_address_replaces(struct kunit *test)
{
	struct live_test *t = open_live(test, 64);
	struct memprof_found f, old;

	KUNIT_EXPECT_TRUE(test, add(t, 0x1000, 10, &old));
	KUNIT_EXPECT_EQ(test, old.ptr, 0ULL);
	KUNIT_EXPECT_TRUE(test, add(t, 0x1000, 8192, &old));
	KUNIT_EXPECT_EQ(test, old.size, 10ULL);
	KUNIT_EXPECT_TRUE(test, memprof_live_take(&t->live, NULL, &t->row, 0x1000, &f));
	KUNIT_EXPECT_EQ(test, f.size, 8192ULL);
	KUNIT_EXPECT_FALSE(test, memprof_live_take(&t->live, NULL, &t->row, 0x1000, &f));
	close_live(t);
}

static void full_live_table_says_so(struct kunit *test)
{
	struct live_test *t = open_live(test, 3);
	struct memprof_found f, old;
	u64 i;

	for (i = 1; i <= 3; i++)
		KUNIT_EXPECT_TRUE(test, add(t, i << 12, 10, &old));
	KUNIT_EXPECT_FALSE(test, add(t, 4 << 12, 10, &old));
	KUNIT_EXPECT_EQ(test, t->live.used, 3U);
	KUNIT_EXPECT_TRUE(test, memprof_live_take(&t->live, &t->spares, &t->row,
						  1 << 12, &f));
	KUNIT_EXPECT_TRUE(test, add(t, 4 << 12, 10, &old));
	close_live(t);
}

static void spare_blocks_are_not_lost(struct kunit *test)
{
	struct live_test *t = open_live(test, 1 << 20);
	struct memprof_found f, old;
	u64 i;

	for (i = 1; i <= 100; i++)
		KUNIT_EXPECT_TRUE(test, add(t, i << 12, 10, &old));
	KUNIT_EXPECT_EQ(test, t->live.used - t->spares.nr, 100U);
	for (i = 1; i <= 100; i++)
		KUNIT_EXPECT_TRUE(test, memprof_live_take(&t->live, &t->spares,
							  &t->row, i << 12, &f));
	KUNIT_EXPECT_EQ(test, t->live.used, t->spares.nr);
	memprof_live_give_back(&t->live, &t->spares);
	KUNIT_EXPECT_EQ(test, t->live.used, 0U);
	close_live(t);
}

struct pending_test {
	struct memprof_pending pending;
	struct memprof_row row;
	struct memprof_site_row site;
	struct memprof_live_alloc cgroup;
	struct memprof_found block;
};

static struct pending_test *open_pending(struct kunit *test, u64 size)
{
	struct pending_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	raw_spin_lock_init(&t->pending.lock);
	t->block = (struct memprof_found){
		.ptr = 0x1000, .size = size, .cgroup = &t->cgroup,
		.site = &t->site.alloc,
		.weighted = { .space = size, .objects = MEMPROF_ONE },
	};
	return t;
}

static void pending_sums_are_complete_after_settling(struct kunit *test)
{
	struct pending_test *t = open_pending(test, 100);
	struct memprof_alloc a;
	int i;

	for (i = 0; i < 10; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	for (i = 0; i < 4; i++)
		memprof_pending_free(&t->pending, &t->row, &t->block, -1, 5, i == 0);
	KUNIT_EXPECT_TRUE(test, memprof_alloc_is_held(&t->row.alloc));
	KUNIT_EXPECT_TRUE(test, memprof_alloc_is_held(&t->cgroup));
	memprof_pending_settle(&t->pending);
	KUNIT_EXPECT_FALSE(test, memprof_alloc_is_held(&t->row.alloc));
	KUNIT_EXPECT_FALSE(test, memprof_alloc_is_held(&t->cgroup));
	KUNIT_EXPECT_EQ(test, atomic_read(&t->row.blocks), 6);
	memprof_alloc_read(&t->row.alloc, &a, false);
	KUNIT_EXPECT_EQ(test, a.alloc_objects, 10ULL);
	KUNIT_EXPECT_EQ(test, a.free_objects, 4ULL);
	KUNIT_EXPECT_EQ(test, a.temporary_objects, 1ULL);
	KUNIT_EXPECT_EQ(test, a.inuse_space, 600ULL);
	KUNIT_EXPECT_EQ(test, a.peak_space, 1000ULL);
	memprof_alloc_read(&t->cgroup, &a, false);
	KUNIT_EXPECT_EQ(test, a.inuse_space, 600ULL);
	memprof_alloc_read(&t->site.alloc, &a, false);
	KUNIT_EXPECT_EQ(test, a.inuse_objects, 6ULL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->site.sizes[7]), 10LL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->site.lifetimes[3]), 4LL);
}

/* The peak of one thread is exact, wherever its sums are added to the tally. */
static void peak_of_one_thread_is_exact(struct kunit *test)
{
	struct pending_test *t = open_pending(test, 1000);
	struct memprof_alloc a;
	int i;

	for (i = 0; i < 200; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	for (i = 0; i < 150; i++)
		memprof_pending_free(&t->pending, &t->row, &t->block, -1, 5, false);
	for (i = 0; i < 120; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	memprof_pending_settle(&t->pending);
	memprof_alloc_read(&t->row.alloc, &a, true);
	KUNIT_EXPECT_EQ(test, a.peak_space, 200000ULL);
	KUNIT_EXPECT_EQ(test, a.inuse_space, 170000ULL);
	/* a reset keeps what is in use */
	memprof_alloc_read(&t->row.alloc, &a, false);
	KUNIT_EXPECT_EQ(test, a.alloc_objects, 0ULL);
	KUNIT_EXPECT_EQ(test, a.peak_space, 170000ULL);
}

static s64 at_peak(struct pending_test *t, struct memprof_site_row *site)
{
	return memprof_alloc_at_peak(&site->alloc, &t->row.alloc, false);
}

/* A large free ends a peak: what it frees was in use at the peak. */
static void callsites_have_what_they_had_at_the_peak(struct kunit *test)
{
	struct pending_test *t = open_pending(test, 10000);
	struct memprof_site_row *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct memprof_found b = t->block;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, other);
	b.site = &other->alloc;
	b.weighted.space = 1000000;
	memprof_pending_alloc(&t->pending, &t->row, &b, 1);
	for (i = 0; i < 3; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	memprof_pending_free(&t->pending, &t->row, &b, -1, 5, false);
	for (i = 0; i < 20; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	memprof_pending_settle(&t->pending);
	KUNIT_EXPECT_EQ(test, at_peak(t, other), 1000000LL);
	KUNIT_EXPECT_EQ(test, at_peak(t, &t->site), 30000LL);
	/* a higher peak, of one callsite only */
	for (i = 0; i < 100; i++)
		memprof_pending_alloc(&t->pending, &t->row, &t->block, 1);
	memprof_pending_settle(&t->pending);
	KUNIT_EXPECT_EQ(test, at_peak(t, other), 0LL);
	KUNIT_EXPECT_EQ(test, at_peak(t, &t->site), 1230000LL);
	/* a block that the process's end frees */
	memprof_alloc_keep(&t->site.alloc, &t->row.alloc);
	memprof_alloc_end(&t->site.alloc, &t->block.weighted);
	KUNIT_EXPECT_EQ(test, at_peak(t, &t->site), 1230000LL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&t->site.alloc.ended), 10000LL);
}

static void tally_adds_and_folds(struct kunit *test)
{
	struct memprof_live_tally a = {}, b = {};
	struct memprof_grown grown;
	struct memprof_tally out;

	memprof_tally_growth(&a, MEMPROF_GROWTH_BRK, 5000);
	memprof_tally_growth(&a, MEMPROF_GROWTH_MMAP, 3000);
	memprof_tally_growth(&a, MEMPROF_GROWTH_MUNMAP, -1000);
	memprof_tally_growth(&a, MEMPROF_GROWTH_MADVISE, -700);
	memprof_tally_fault(&a, MEMPROF_FAULT_MINOR, 10);
	memprof_tally_grown(&a, &grown);
	KUNIT_EXPECT_EQ(test, grown.brk, 5000LL);
	KUNIT_EXPECT_EQ(test, grown.mmap, 2000LL);
	memprof_tally_growth(&b, MEMPROF_GROWTH_MMAP, 100);
	memprof_tally_fold(&b, &a);
	memprof_tally_read(&b, &out, false);
	KUNIT_EXPECT_EQ(test, out.brk_up_bytes, 5000ULL);
	KUNIT_EXPECT_EQ(test, out.mmap_up_bytes, 3100ULL);
	KUNIT_EXPECT_EQ(test, out.mmap_down_bytes, 1000ULL);
	KUNIT_EXPECT_EQ(test, out.minor_faults, 10ULL);
	KUNIT_EXPECT_EQ(test, out.nr_growth, 4ULL);
	KUNIT_EXPECT_EQ(test, out.growth_peak_bytes, 8000ULL);
	KUNIT_EXPECT_EQ(test, atomic64_read(&b.advised), 700LL);
	memprof_tally_read(&a, &out, false);
	KUNIT_EXPECT_EQ(test, out.nr_growth, 0ULL);
}

static struct kunit_case memprof_cases[] = {
	KUNIT_CASE(weight_is_inverse_of_probability),
	KUNIT_CASE(rate_1_samples_every_call_once),
	KUNIT_CASE(samples_stand_for_all_calls),
	KUNIT_CASE(table_uses_rows_again),
	KUNIT_CASE(block_is_found_by_any_address_in_it),
	KUNIT_CASE(block_at_the_same_address_replaces),
	KUNIT_CASE(full_live_table_says_so),
	KUNIT_CASE(spare_blocks_are_not_lost),
	KUNIT_CASE(pending_sums_are_complete_after_settling),
	KUNIT_CASE(peak_of_one_thread_is_exact),
	KUNIT_CASE(callsites_have_what_they_had_at_the_peak),
	KUNIT_CASE(tally_adds_and_folds),
	{}
};

static struct kunit_suite memprof_suite = {
	.name = "memprof",
	.test_cases = memprof_cases,
};
kunit_test_suite(memprof_suite);
