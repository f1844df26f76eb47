// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libmemprof-sections without the module: its own engine, threads, signals.
 */
/* a call costs about two microseconds, of which about a tenth is charged */
#define SECTION_SHARE	4
#include "../section-library.h"

#include <sys/resource.h>

static size_t mapped(void)
{
	size_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%zu", &pages) != 1)
		abort();
	fclose(file);
	return pages * 4096;
}

static void *one_section(void *arg)
{
	(void)arg;
	library_start("thread", 6, 0, 1);
	return NULL;
}

TEST(a_thread_takes_its_sections_with_it)
{
	pthread_t thread;
	size_t before = 0;
	int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, pthread_create(&thread, NULL, one_section, NULL));
		pthread_join(thread, NULL);
		if (i == 9)
			before = mapped();
	}
	/* each has 32 MiB of addresses */
	EXPECT_LT(mapped(), before + (64UL << 20));
}

TEST(a_thread_without_addresses_is_told_so)
{
	struct rlimit limit = { 256UL << 20, 256UL << 20 };

	limit.rlim_cur = limit.rlim_max = mapped() + (1UL << 20);
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	EXPECT_EQ(-ENOMEM, library_start("a", 1, 0, 1));
	EXPECT_EQ(-ENOENT, library_end("a", 1, 0, 1));
	EXPECT_EQ(0, memprof_section_flush(-1));
}

TEST_HARNESS_MAIN
