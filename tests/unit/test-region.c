// SPDX-License-Identifier: GPL-2.0-only
/* What a region's header claims, and what is in its file. */
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

TEST_HARNESS_MAIN
