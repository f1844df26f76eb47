// SPDX-License-Identifier: GPL-2.0-only
/* Tests of cold: which pages ranges of addresses mark, and what a hostile file can do. */
#include "cold.h"

#include "kselftest_harness.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096UL

static void add(struct mp_cold *cold, uint64_t pid, uint64_t start, uint64_t end,
		uint64_t age_ns)
{
	const struct mp_cold_range range = { start * PAGE, end * PAGE, age_ns, pid };

	if (mp_cold_add(cold, &range))
		abort();
}

/* Pages 0 to 9 are present, 10 to 19 in swap, 20 to 29 present. */
static void make_pages(struct mp_pages *pages)
{
	const struct mp_page_area area = { .end = 30 * PAGE, .class = MP_MAPPING_HEAP };
	uint64_t i;

	*pages = (struct mp_pages){ .page_size = PAGE };
	if (mp_pages_add_area(pages, &area))
		abort();
	for (i = 0; i < 30; i += 10) {
		const struct mp_page_run run = {
			.start = i * PAGE, .end = (i + 10) * PAGE,
			.state = i == 10 ? 0 : MP_PAGE_PRESENT,
		};

		if (mp_pages_add_run(pages, &run))
			abort();
	}
}

static uint64_t bytes_of(const struct mp_pages *pages, uint32_t state)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		if (pages->runs[i].state == state)
			sum += pages->runs[i].end - pages->runs[i].start;
	return sum;
}

TEST(present_pages_in_old_ranges_are_cold)
{
	struct mp_cold cold = { .least_ns = 5 };
	struct mp_pages pages;

	make_pages(&pages);
	add(&cold, 7, 25, 28, 9);
	add(&cold, 7, 2, 4, 5);
	add(&cold, 7, 4, 6, 4);
	add(&cold, 7, 8, 22, 100);
	add(&cold, 6, 0, 30, 100);
	add(&cold, 8, 0, 30, 100);
	mp_cold_sort(&cold);
	ASSERT_EQ(mp_cold_mark(&cold, 7, &pages), 0);
	EXPECT_EQ(bytes_of(&pages, MP_PAGE_PRESENT | MP_PAGE_COLD), (2 + 2 + 2 + 3) * PAGE);
	EXPECT_EQ(bytes_of(&pages, MP_PAGE_PRESENT), (20 - 9) * PAGE);
	EXPECT_EQ(bytes_of(&pages, 0), 10 * PAGE);
	mp_pages_free(&pages);
	make_pages(&pages);
	ASSERT_EQ(mp_cold_mark(&cold, 5, &pages), 0);
	EXPECT_EQ(pages.nr_runs, 3);
	mp_pages_free(&pages);
	mp_cold_free(&cold);
}

TEST(overlapping_ranges_are_cut)
{
	struct mp_cold cold = { 0 };

	add(&cold, 1, 0, 10, 1);
	add(&cold, 1, 5, 8, 1);
	add(&cold, 1, 9, 12, 1);
	mp_cold_sort(&cold);
	ASSERT_EQ(cold.nr, 2);
	EXPECT_EQ(cold.list[1].start, 10 * PAGE);
	EXPECT_EQ(cold.list[1].end, 12 * PAGE);
	mp_cold_free(&cold);
}

TEST(the_coldest_tenth_has_an_age)
{
	struct mp_cold cold = { 0 };

	EXPECT_EQ(mp_cold_tenth(&cold), 0);
	add(&cold, 1, 0, 90, 0);
	add(&cold, 1, 90, 95, 7);
	add(&cold, 2, 0, 5, 9);
	EXPECT_EQ(mp_cold_tenth(&cold), 7);
	mp_cold_free(&cold);
}

TEST(files_are_checked)
{
	struct mp_cold cold = { .least_ns = 3 }, got = { 0 };
	const uint64_t wrong[4] = { 9, 3, 0, 1 };
	int fd = memfd_create("cold", 0), ends[2];

	add(&cold, 2, 4, 8, 1);
	add(&cold, 1, 0, 2, 1);
	ASSERT_EQ(mp_cold_write(&cold, fd), 0);
	ASSERT_EQ(mp_cold_read(&got, fd), 0);
	EXPECT_EQ(got.nr, 2);
	EXPECT_EQ(got.least_ns, 3);
	EXPECT_EQ(got.list[0].pid, 1);
	mp_cold_free(&got);
	/* the end is below the start, and a range is not complete */
	ASSERT_EQ(pwrite(fd, wrong, sizeof(wrong), 8), sizeof(wrong));
	ASSERT_EQ(ftruncate(fd, 8 + 32 + 31), 0);
	ASSERT_EQ(mp_cold_read(&got, fd), 0);
	EXPECT_EQ(got.nr, 0);
	ASSERT_EQ(ftruncate(fd, 7), 0);
	EXPECT_EQ(mp_cold_read(&got, fd), -EBADMSG);
	ASSERT_EQ(ftruncate(fd, 1L << 40), 0);
	EXPECT_EQ(mp_cold_read(&got, fd), -EBADMSG);
	ASSERT_EQ(pipe(ends), 0);
	EXPECT_EQ(mp_cold_read(&got, ends[0]), -EBADMSG);
	close(ends[0]);
	close(ends[1]);
	close(fd);
	mp_cold_free(&cold);
}

TEST_HARNESS_MAIN
