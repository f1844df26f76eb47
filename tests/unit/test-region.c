// SPDX-License-Identifier: GPL-2.0-only
/* What a region's header claims, and what is in its file. */
#include "region-functions.h"
#include "region-window.h"

#include "kselftest_harness.h"

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

TEST_HARNESS_MAIN
