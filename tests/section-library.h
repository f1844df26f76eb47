/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets the tests of sections.h call the library, through a struct section_ops. */
#ifndef TEST_SECTION_LIBRARY_H
#define TEST_SECTION_LIBRARY_H

#include "sections.h"

#include <memprof/section.h>
#include <sys/mman.h>

static int told(int result)
{
	return result < 0 ? -errno : result;
}

static int library_start(const char *id, size_t len, uint64_t heap, uint64_t cu)
{
	return told(memprof_section_start_cu(id, len, heap, cu));
}

static int library_end(const char *id, size_t len, uint64_t heap, uint64_t cu)
{
	return told(memprof_section_end_cu(id, len, heap, cu));
}

static int library_start_time(const char *id)
{
	return told(memprof_section_start(id, strlen(id), 0));
}

static int library_end_time(const char *id)
{
	return told(memprof_section_end(id, strlen(id), 0));
}

/* Starts a section of instructions. The choice of the unit stays for the thread. */
static int library_start_instructions(const char *id)
{
	memprof_section_measure(MEMPROF_MEASURE_INSTRUCTIONS);
	return library_start_time(id);
}

static int library_flush(FILE *to)
{
	return told(memprof_section_flush(fileno(to)));
}

static int library_invoke(void)
{
	return told(memprof_section_invoke());
}

static int library_leave(void)
{
	return told(memprof_section_return());
}

static const struct section_ops library;

/* A choice of the unit measures the module's cost; a change of the meter the library's. */
static void library_gauge_time(void)
{
	memprof_section_measure(MEMPROF_MEASURE_INSTRUCTIONS);
	memprof_section_measure(MEMPROF_MEASURE_TIME);
	if (!library_start("other meter", 11, 0, 1) && !library_end("other meter", 11, 0, 2))
		flushed(&library);
}

static const struct section_ops library = {
	library_start, library_end, library_start_time, library_end_time,
	library_start_instructions, library_end_time,
	library_flush, library_invoke, library_leave, library_gauge_time,
};

FIXTURE_VARIANT_ADD(sections, library)
{
	.ops = &library,
};

/* Tests of functions that only the library has. */

static int leaves_early(int how)
{
	MEMPROF_SECTION("scope");
	int i;

	if (how == 0)
		return 1;
	for (i = 0; i < 2; i++) {
		MEMPROF_SECTION("loop");
		if (how == 1)
			continue;
		return 2;
	}
	return 3;
}

TEST(a_guard_ends_however_its_block_is_left)
{
	int how;

	for (how = 0; how < 3; how++)
		EXPECT_EQ(how == 0 ? 1 : how == 1 ? 3 : 2, leaves_early(how));
	flushed(&library);
	/* order of the ends: scope (how 0); loop, loop, scope (1); loop, scope (2) */
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  1 scope consumed"));
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  3 loop consumed"));
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  4 scope consumed"));
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  5 loop consumed"));
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  6 scope consumed"));
	EXPECT_EQ(NULL, strstr(flushed_text, "CU log:  7"));
	EXPECT_EQ(-ENOENT, library_end_time("scope"));
}

TEST(a_guard_that_could_not_start_ends_nothing)
{
	int i;

	for (i = 0; i < 128; i++)
		ASSERT_EQ(0, library_start_time("scope"));
	EXPECT_EQ(1, leaves_early(0));
	for (i = 0; i < 128; i++)
		ASSERT_EQ(0, library_end_time("scope"));
	EXPECT_EQ(-ENOENT, library_end_time("scope"));
}

/* Opens two guards in one source line, and changes the unit while they are open. */
static void measures_otherwise(void)
{
	MEMPROF_SECTION("outer"); MEMPROF_SECTION("inner");

	memprof_section_measure(MEMPROF_MEASURE_INSTRUCTIONS);
}

TEST(a_guard_ends_by_what_it_was_started_with)
{
	measures_otherwise();
	flushed(&library);
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  2 outer consumed"));
	EXPECT_EQ(-ENOENT, library_end_time("outer"));
	memprof_section_measure(MEMPROF_MEASURE_TIME);
}

TEST(ids_that_are_not_there_are_refused)
{
	char *end = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_EQ(0, munmap(end + 4096, 4096));
	errno = 0;
	EXPECT_EQ(-EFAULT, library_start(NULL, 3, 0, 1));
	EXPECT_EQ(-EFAULT, library_start((void *)8, 3, 0, 1));
	EXPECT_EQ(-EFAULT, library_start((void *)-4096L, 3, 0, 1));
	EXPECT_EQ(-EFAULT, library_start(end + 4090, 7, 0, 1));
	EXPECT_EQ(0, library_start(end + 4090, 6, 0, 1));
	EXPECT_EQ(-EFAULT, library_end(end + 4090, 7, 0, 1));
	errno = 0;
	EXPECT_EQ(0, library_end(end + 4090, 6, 0, 1));
	EXPECT_EQ(0, library_start(NULL, 0, 0, 1));
	EXPECT_EQ(0, library_end((void *)-1L, 0, 0, 1));
	EXPECT_EQ(0, errno);
	flushed(&library);
	EXPECT_NE(NULL, strstr(flushed_text, "CU log:  2  consumed"));
}

TEST(a_reader_that_is_gone_is_an_error_and_no_more)
{
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	close(ends[0]);
	library_start("a", 1, 0, 2);
	library_end("a", 1, 0, 1);
	EXPECT_EQ(-1, memprof_section_flush(ends[1]));
	EXPECT_EQ(EPIPE, errno);
	library_start("b", 1, 0, 2);
	library_end("b", 1, 0, 1);
	EXPECT_EQ(1, memprof_section_flush(-1));
	EXPECT_EQ(0, memprof_section_flush(-1));
}

TEST(there_are_two_things_to_measure)
{
	EXPECT_EQ(-EINVAL, told(memprof_section_measure(0)));
	EXPECT_EQ(0, memprof_section_measure(MEMPROF_MEASURE_INSTRUCTIONS));
	EXPECT_EQ(0, memprof_section_measure(MEMPROF_MEASURE_TIME));
	EXPECT_EQ(-EINVAL, told(memprof_section_measure(3)));
}

#endif
