// SPDX-License-Identifier: GPL-2.0-only
/* What a region's header claims, and what is in its file. */
#include "region-functions.h"
#include "region-pages.h"
#include "region-window.h"

#include "kselftest_harness.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

TEST(elements_behind_the_end_of_the_file_are_not_counted)
{
	struct mp_region region = {
		.fd = memfd_create("region", 0),
		.header = {
			.file_size = 8192,
			.sections[MEMPROF_REGION_ENTRIES] = {
				.offset = 4096, .stride = 64,
				.capacity = 1 << 20, .used = 1 << 20,
			},
		},
	};
	struct mp_region_window window;

	ASSERT_EQ(0, ftruncate(region.fd, 8192));
	ASSERT_EQ(0, mp_region_window_open(&window, &region, MEMPROF_REGION_ENTRIES));
	EXPECT_EQ(64, window.nr);
	EXPECT_NE(NULL, mp_region_window_at(&window, 63));
	EXPECT_EQ(NULL, mp_region_window_at(&window, 64));
	mp_region_window_close(&window);
	/* the last one ends with the file, though its stride does not */
	region.header.file_size = 4096 + 64 + sizeof(struct memprof_region_entry);
	ASSERT_EQ(0, mp_region_window_open(&window, &region, MEMPROF_REGION_ENTRIES));
	EXPECT_EQ(2, window.nr);
	mp_region_window_close(&window);
	region.header.file_size = 4096;
	ASSERT_EQ(0, mp_region_window_open(&window, &region, MEMPROF_REGION_ENTRIES));
	EXPECT_EQ(0, window.nr);
	mp_region_window_close(&window);
	close(region.fd);
}

TEST(functions_are_binaries_of_the_profile)
{
	struct memprof_region_function functions[] = {
		{ .address = 0x1001, .line = 7, .text = "py::f:/a.py" },
		{ .address = 0, .line = 8, .text = "py::not_complete:/a.py" },
		{ .address = 0x1401, .line = 9, .text = "py::f:/a.py" },
		{ .address = 0x1601, .line = 1, .text = "/lib/no_function" },
		{ .address = 0x1801, .line = UINT32_MAX },
	};
	struct mp_region region = {
		.fd = memfd_create("region", 0),
		.header = {
			.file_size = 4096 + sizeof(functions),
			.sections[MEMPROF_REGION_FUNCTIONS] = {
				.offset = 4096, .stride = sizeof(*functions),
				.capacity = 1 << 14, .used = 5,
			},
		},
	};
	struct mp_region_functions known;
	struct mp_profile profile = { 0 };

	/* a name without an end */
	memset(functions[4].text, 'x', sizeof(functions[4].text));
	memcpy(functions[4].text, "py::", 4);
	ASSERT_EQ((ssize_t)sizeof(functions),
		  pwrite(region.fd, functions, sizeof(functions), 4096));
	ASSERT_EQ(0, mp_region_functions_read(&known, &region, &profile));
	EXPECT_EQ(2, profile.nr_binaries);
	EXPECT_STREQ("py::f:/a.py", profile.binaries[0].path);
	EXPECT_EQ(sizeof(functions[4].text), strlen(profile.binaries[1].path));
	ASSERT_NE(NULL, mp_region_functions_find(&known, 0x1001));
	EXPECT_EQ(7, mp_region_functions_find(&known, 0x1001)->line);
	EXPECT_EQ(1, mp_region_functions_find(&known, 0x1001)->binary);
	EXPECT_EQ(9, mp_region_functions_find(&known, 0x1401)->line);
	EXPECT_EQ(1, mp_region_functions_find(&known, 0x1401)->binary);
	EXPECT_EQ(2, mp_region_functions_find(&known, 0x1801)->binary);
	EXPECT_EQ(NULL, mp_region_functions_find(&known, 0x1201));
	EXPECT_EQ(NULL, mp_region_functions_find(&known, 0x1601));
	mp_region_functions_free(&known);
	mp_profile_free(&profile);
	close(region.fd);
}

#define PAGE		((uint64_t)sysconf(_SC_PAGESIZE))
#define PRESENT		MEMPROF_REGION_PAGE_PRESENT

TEST(pages_that_are_not_in_order_are_left_out)
{
	const struct memprof_region_pages runs[] = {
		{ 16 * PAGE, 18 * PAGE, PRESENT | MEMPROF_REGION_PAGE_HUGE },
		{ 17 * PAGE, 19 * PAGE, PRESENT },
		{ 20 * PAGE, 20 * PAGE, PRESENT },
		{ 21 * PAGE + 1, 22 * PAGE, PRESENT },
		{ 23 * PAGE, 24 * PAGE, MEMPROF_REGION_PAGE_SWAPPED },
		{ 24 * PAGE, 25 * PAGE, PRESENT | MEMPROF_REGION_PAGE_ZERO },
		{ 25 * PAGE, 26 * PAGE, 0 },
		{ 26 * PAGE, UINT64_MAX & ~(PAGE - 1), PRESENT },
	};
	struct memprof_region_text text = { "00010000-00020000 rw-p 00000000 00:00 0\n" };
	struct mp_region region = {
		.fd = memfd_create("region", 0),
		.header = {
			.file_size = 8192 + sizeof(runs),
			.sections[MEMPROF_REGION_SMAPS] = {
				.offset = 4096, .stride = sizeof(text),
				.capacity = 4, .used = 4,
			},
			.sections[MEMPROF_REGION_PAGES] = {
				.offset = 8192, .stride = sizeof(*runs),
				.capacity = 64, .used = 64,
			},
		},
	};
	struct mp_region_pages pages = { 0 };

	ASSERT_EQ((ssize_t)sizeof(runs), pwrite(region.fd, runs, sizeof(runs), 8192));
	/* no text: the process kept nothing */
	EXPECT_EQ(-ENODATA, mp_region_pages_read(&pages, &region));
	mp_region_pages_free(&pages);
	ASSERT_EQ((ssize_t)sizeof(text), pwrite(region.fd, &text, sizeof(text), 4096));
	ASSERT_EQ(0, mp_region_pages_read(&pages, &region));
	ASSERT_EQ(2, pages.kept.runs.nr);
	EXPECT_EQ(16 * PAGE, pages.kept.runs.list[0].start);
	EXPECT_EQ(MP_PAGE_PRESENT | MP_PAGE_HUGE, pages.kept.runs.list[0].state);
	EXPECT_EQ(23 * PAGE, pages.kept.runs.list[1].start);
	EXPECT_EQ(0, pages.kept.runs.list[1].state);
	mp_region_pages_free(&pages);
	close(region.fd);
}

/* What a hostile process claims cannot be more than its mappings. */
TEST(sizes_that_were_kept_are_bounded)
{
	char text[] = "00010000-00020000 rw-p 00000000 00:00 0\n"
		      "Rss:            17000000000000 kB\n"
		      "Swap:           17000000000000 kB\n";
	const struct mp_page_run run = { 0x8000, 0x40000, MP_PAGE_PRESENT };
	struct mp_resident_kept kept = {
		.smaps = fmemopen(text, sizeof(text) - 1, "r"), .runs = { &run, 1 },
	};
	struct mp_blame_block block = { 0x10000, 0x4000, 0x4000, 0 };
	struct mp_blame_blocks blocks = { 0 };
	struct mp_blame_sum sum = { 0 };
	struct mp_resident resident = { .blame = { .owners = &sum, .nr_owners = 1 } };
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	ASSERT_EQ(0, mp_blame_add(&blocks, &block));
	ASSERT_TRUE(mp_resident_read_kept(&resident, &kept, &blocks, &row));
	EXPECT_EQ(0x10000, row.value[MP_RESIDENT]);
	EXPECT_EQ(0x10000, row.value[MP_SWAPPED]);
	EXPECT_EQ(0x4000, sum.resident);
	EXPECT_EQ(0x4000, sum.blame);
	EXPECT_EQ(0xc000, row.value[MP_HELD_PAGES]);
	mp_blame_free_blocks(&blocks);
	fclose(kept.smaps);
}

TEST_HARNESS_MAIN
