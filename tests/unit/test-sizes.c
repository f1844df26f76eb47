// SPDX-License-Identifier: GPL-2.0-only
/* Tests of recorded sizes: they are added to the rows of their processes only. */
#include "residence.h"
#include "size-record.h"

#include "kselftest_harness.h"

FIXTURE(sizes) {
	struct mp_sizes sizes;
	struct mp_row row;
};

FIXTURE_SETUP(sizes)
{
	struct mp_size_record record;
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .pid = 7, .cgroup = 3,
		.flags = MP_ROW_MAPPED,
		.value[MP_RESIDENT] = 1000, .value[MP_HEAP_RESIDENT] = 600,
		.value[MP_STACKS] = 100, .value[MP_PEAK_RESIDENT] = 2000,
	};

	mp_size_make(&record, &row, 50);
	ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, 250, NULL));
	self->row = (struct mp_row){
		.kind = MP_ROW_PROCESS, .pid = 7, .start_ns = 10,
		.exit_ns = 60, .flags = MP_ROW_EXITED,
	};
}

FIXTURE_TEARDOWN(sizes)
{
	mp_sizes_free(&self->sizes);
}

TEST_F(sizes, the_dead_get_what_they_had)
{
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(1000, self->row.value[MP_RESIDENT]);
	EXPECT_EQ(250, self->row.value[MP_LIVE_RESIDENT]);
	EXPECT_EQ(350, self->row.value[MP_HELD]);
	EXPECT_EQ(300, self->row.value[MP_UNATTRIBUTED]);
	EXPECT_EQ(2000, self->row.value[MP_PEAK_RESIDENT]);
	EXPECT_TRUE(self->row.flags & MP_ROW_BOUND);
}

TEST_F(sizes, others_with_that_number_get_nothing)
{
	self->row.start_ns = 51;
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(0, self->row.value[MP_RESIDENT]);
	self->row.start_ns = 10;
	self->row.exit_ns = 49;
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(0, self->row.value[MP_RESIDENT]);
	self->row.pid = 8;
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(0, self->row.value[MP_RESIDENT]);
}

TEST_F(sizes, an_rss_of_its_own_stays)
{
	self->row.value[MP_RESIDENT] = 900;
	mp_sizes_join(&self->sizes, false, MP_SOURCE_KMOD, &self->row);
	EXPECT_EQ(900, self->row.value[MP_RESIDENT]);
	EXPECT_EQ(200, self->row.value[MP_UNATTRIBUTED]);
	EXPECT_FALSE(self->row.flags & MP_ROW_SPLIT);
	/* parts of an earlier time that were more */
	self->row.value[MP_RESIDENT] = 500;
	self->row.value[MP_HEAP_RESIDENT] = 0;
	self->row.flags = MP_ROW_EXITED;
	mp_sizes_join(&self->sizes, true, MP_SOURCE_KMOD, &self->row);
	EXPECT_EQ(500, self->row.value[MP_RESIDENT]);
	EXPECT_EQ(0, self->row.value[MP_HEAP_RESIDENT]);
}

TEST_F(sizes, a_command_that_ended_may_have_a_peak_only)
{
	struct mp_row peak = {
		.kind = MP_ROW_PROCESS, .pid = 7,
		.value[MP_PEAK_RESIDENT] = 5000,
	};
	struct mp_size_record record;

	mp_size_make(&record, &peak, 0);
	ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, 0, NULL));
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(0, self->row.value[MP_RESIDENT]);
	EXPECT_EQ(5000, self->row.value[MP_PEAK_RESIDENT]);
}

TEST_F(sizes, only_what_is_new_is_told)
{
	struct mp_size_record record = self->sizes.list[0];
	bool changed;

	record.time_ns++;
	ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, 0, &changed));
	EXPECT_FALSE(changed);
	record.value[0]++;
	ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, 0, &changed));
	EXPECT_TRUE(changed);
	EXPECT_EQ(1, self->sizes.nr);
}

TEST_F(sizes, there_are_not_too_many)
{
	struct mp_size_record record = { .time_ns = 1 };
	uint32_t i;

	for (i = 1; i <= MP_MAX_SIZES + 10; i++) {
		record.pid = 100 + i;
		ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, 0, NULL));
	}
	EXPECT_EQ(MP_MAX_SIZES, self->sizes.nr);
	EXPECT_EQ(11, self->sizes.nr_full);
}

TEST_F(sizes, delta_counts_from_the_begin)
{
	struct mp_base_record base = { .pid = 7, .start_ns = 30, .resident = 400 };
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .pid = 7, .value[MP_RESIDENT] = 1000,
	};

	/* nobody listed the processes of the begin */
	mp_sizes_join(&self->sizes, false, MP_SOURCE_PERF, &row);
	EXPECT_EQ(0, row.value[MP_RESIDENT_DELTA]);
	ASSERT_EQ(0, mp_size_base_add(&self->sizes.base, &base));
	mp_sizes_join(&self->sizes, false, MP_SOURCE_PERF, &row);
	EXPECT_EQ(600, row.value[MP_RESIDENT_DELTA]);
	/* another process that got the same id later */
	row.start_ns = 49;
	mp_sizes_join(&self->sizes, false, MP_SOURCE_PERF, &row);
	EXPECT_EQ(1000, row.value[MP_RESIDENT_DELTA]);
	/* the module knows each start time */
	mp_sizes_join(&self->sizes, false, MP_SOURCE_KMOD, &row);
	EXPECT_EQ(600, row.value[MP_RESIDENT_DELTA]);
	row.start_ns = 30000000;
	mp_sizes_join(&self->sizes, false, MP_SOURCE_KMOD, &row);
	EXPECT_EQ(1000, row.value[MP_RESIDENT_DELTA]);
	/* RSS can fall */
	base.resident = 1500;
	ASSERT_EQ(0, mp_size_base_add(&self->sizes.base, &base));
	row.start_ns = 0;
	mp_sizes_join(&self->sizes, false, MP_SOURCE_PERF, &row);
	EXPECT_EQ((uint64_t)-500, row.value[MP_RESIDENT_DELTA]);
	EXPECT_EQ(0, row.peak_before);
	EXPECT_EQ(1, self->sizes.base.nr);
	/* it was higher once before */
	mp_size_base_above(&base, 1500 + 3 * 4096 + 5);
	ASSERT_EQ(0, mp_size_base_add(&self->sizes.base, &base));
	mp_size_base_end(&self->sizes.base, 7);
	mp_sizes_join(&self->sizes, false, MP_SOURCE_PERF, &row);
	EXPECT_EQ(1500 + 3 * 4096, row.peak_before);
	mp_size_base_above(&base, UINT64_MAX);
	EXPECT_EQ(MP_BASE_ENDED - 1, base.above);
}

TEST_F(sizes, malloc_has_no_more_than_the_heap)
{
	struct mp_chunk_record record = {
		.pid = 7, .time_ns = 50,
		.chunks = { .used = 100, .free = 300, .trim = 200, .unknown = 50 },
	};
	uint64_t *value = self->row.value;

	ASSERT_EQ(0, mp_chunk_records_put(&self->sizes.chunks, &record));
	/* what has ended has no heap */
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(0, value[MP_MALLOC_FREE]);
	self->row.flags = 0;
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(100, value[MP_MALLOC_USED]);
	EXPECT_EQ(300, value[MP_MALLOC_FREE]);
	EXPECT_EQ(200, value[MP_MALLOC_TRIM]);
	EXPECT_EQ(50, value[MP_MALLOC_UNREAD]);
	/* a file may say anything */
	memset(&record.chunks, 0xff, sizeof(record.chunks));
	ASSERT_EQ(0, mp_chunk_records_put(&self->sizes.chunks, &record));
	EXPECT_EQ(1, self->sizes.chunks.nr);
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_EQ(600, value[MP_MALLOC_FREE]);
	EXPECT_EQ(0, value[MP_MALLOC_USED] + value[MP_MALLOC_UNREAD]);
	EXPECT_EQ(600, value[MP_MALLOC_TRIM]);
}

TEST_F(sizes, any_bits_may_be_in_a_file)
{
	struct mp_size_record record;

	memset(&record, 0xff, sizeof(record));
	record.pid = 7;
	record.time_ns = 50;
	ASSERT_EQ(0, mp_sizes_put(&self->sizes, &record, UINT64_MAX, NULL));
	mp_sizes_join(&self->sizes, true, MP_SOURCE_PERF, &self->row);
	EXPECT_FALSE(self->row.flags & (MP_ROW_FOLDED | MP_ROW_OVERFLOW));
}

TEST_HARNESS_MAIN
