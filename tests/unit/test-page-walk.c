// SPDX-License-Identifier: GPL-2.0-only
/* Tests of page-walk: pages of our own process, by ranges and by entries. */
#include "page-walk.h"
#include "clock.h"
#include "mappings.h"

#include "kselftest_harness.h"

#include <sys/mman.h>
#include <unistd.h>

#define NR_PAGES	64UL

static bool is_present(const struct mp_pages *pages, uint64_t address)
{
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		if (address >= pages->runs[i].start && address < pages->runs[i].end)
			return pages->runs[i].state & MP_PAGE_PRESENT;
	return false;
}

/* Looks at one range of our own, with an RSS of @rss bytes. */
static int look_at(const struct mp_page_walk *walk, const void *start, size_t size,
		   size_t rss, struct mp_pages *pages)
{
	struct mp_mapping mapping = {
		.start = (uintptr_t)start, .end = (uintptr_t)start + size,
		.rss = rss, .class = MP_MAPPING_ANON,
	};
	const struct mp_mappings mappings = { .list = &mapping, .nr = 1 };

	*pages = (struct mp_pages){ 0 };
	return mp_page_walk(walk, getpid(), &mappings, pages);
}

static int look(const struct mp_page_walk *walk, const void *start, size_t size,
		struct mp_pages *pages)
{
	return look_at(walk, start, size, size, pages);
}

static char *map(size_t size)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	madvise(memory, size, MADV_NOHUGEPAGE);
	return memory;
}

static void expect_touched(struct __test_metadata *_metadata,
			   const struct mp_page_walk *walk)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = map(NR_PAGES * page);
	struct mp_pages pages;
	size_t i;

	for (i = 0; i < NR_PAGES; i += 3)
		memory[i * page] = 1;
	madvise(memory + 6 * page, page, MADV_DONTNEED);
	ASSERT_EQ(look(walk, memory, NR_PAGES * page, &pages), 0);
	for (i = 0; i < NR_PAGES; i++)
		EXPECT_EQ(is_present(&pages, (uintptr_t)memory + i * page),
			  i % 3 == 0 && i != 6);
	EXPECT_EQ(pages.unseen, 0);
	EXPECT_EQ(pages.nr_areas, 1);
	mp_pages_free(&pages);
	memset(memory, 1, NR_PAGES * page);
	ASSERT_EQ(look(walk, memory, NR_PAGES * page, &pages), 0);
	EXPECT_EQ(pages.nr_runs, 1);
	mp_pages_free(&pages);
	munmap(memory, NR_PAGES * page);
}

TEST(ranges_are_the_pages_that_were_touched)
{
	expect_touched(_metadata, &(struct mp_page_walk){ 0 });
}

TEST(entries_are_the_pages_that_were_touched)
{
	expect_touched(_metadata, &(struct mp_page_walk){ .entries_only = true });
}

static uint64_t rss_of(const void *start)
{
	struct mp_mappings mappings = { 0 };
	const struct mp_mapping *mapping;
	uint64_t rss;

	if (mp_mappings_read(getpid(), &mappings))
		abort();
	mapping = mp_mappings_at(&mappings, (uintptr_t)start);
	rss = mapping ? mapping->rss : 0;
	mp_mappings_free(&mappings);
	return rss;
}

static uint64_t present(const struct mp_pages *pages)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		sum += pages->runs[i].end - pages->runs[i].start;
	return sum;
}

/*
 * A page that was only read is the page of zeros, which is in nobody's RSS; or, in some
 * kernels, a page as others.
 */
TEST(pages_of_zeros_are_present_if_they_are_in_rss)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = map(4 * page);
	struct mp_pages pages;
	char sum = 0;
	int i;

	/* the neighbours of this mapping must not be added to its RSS */
	if (mprotect((void *)(memory + 3 * page), page, PROT_NONE))
		abort();
	for (i = 0; i < 3; i++)
		sum |= memory[(size_t)i * page];
	memory[page] = (char)(sum + 1);
	mprotect((void *)memory, 3 * page, PROT_READ);
	ASSERT_EQ(look(&(struct mp_page_walk){ 0 }, (void *)memory, 3 * page, &pages), 0);
	EXPECT_EQ(is_present(&pages, (uintptr_t)memory + page), true);
	EXPECT_EQ(present(&pages), rss_of((void *)memory));
	mp_pages_free(&pages);
	if (geteuid())
		SKIP(return, "frame numbers are hidden");
	ASSERT_EQ(look(&(struct mp_page_walk){ .entries_only = true }, (void *)memory,
		       3 * page, &pages), 0);
	EXPECT_EQ(present(&pages), rss_of((void *)memory));
	mp_pages_free(&pages);
}

static uint64_t present_bytes(const struct mp_pages *pages)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		if (pages->runs[i].state & MP_PAGE_PRESENT)
			bytes += pages->runs[i].end - pages->runs[i].start;
	return bytes;
}

/* What was only read is in no RSS, also where the kernel has huge pages of zeros. */
TEST(huge_pages_of_zeros_are_no_more_than_rss)
{
	const size_t huge = 2UL << 20, size = 32 * huge;
	char *all = mmap(NULL, size + huge, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((uintptr_t)all + huge - 1) & ~(huge - 1));
	struct mp_page_walk walk = { 0 };
	volatile char sum = 0;
	struct mp_pages pages;
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)all);
	madvise(memory, size, MADV_HUGEPAGE);
	for (i = 0; i < size; i += 4096)
		sum += memory[i];
	memset(memory + size / 2, 1, huge);
	for (i = 0; i < 2; i++) {
		walk.entries_only = i;
		ASSERT_EQ(look_at(&walk, memory, size, huge, &pages), 0);
		EXPECT_LE(present_bytes(&pages), 2 * huge);
		EXPECT_LE(huge, present_bytes(&pages));
		mp_pages_free(&pages);
	}
	/* the rest is counted, if all of it looks as if it were there */
	memset(memory, 1, size);
	ASSERT_EQ(look_at(&walk, memory, size, huge, &pages), 0);
	EXPECT_EQ(huge, present_bytes(&pages));
	EXPECT_EQ(size - huge, pages.guessed);
	mp_pages_free(&pages);
	munmap(all, size + huge);
}

static uint64_t huge_bytes(const struct mp_pages *pages)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		if (pages->runs[i].state & MP_PAGE_HUGE)
			bytes += pages->runs[i].end - pages->runs[i].start;
	return bytes;
}

/* By entries, as before Linux 6.7, only root knows them. They begin anywhere in a read. */
TEST(huge_pages_are_known_by_ranges_and_by_entries)
{
	const size_t huge = 2UL << 20, size = 24 * huge, page = 4096;
	char *all = mmap(NULL, size + 2 * huge, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *memory = (char *)(((uintptr_t)all + huge - 1) & ~(huge - 1));
	struct mp_page_walk walk = { 0 };
	uint64_t bytes[2], present[2];
	struct mp_pages pages;
	size_t i;

	ASSERT_NE(MAP_FAILED, (void *)all);
	madvise(memory, size, MADV_HUGEPAGE);
	madvise(memory + 20 * huge, 4 * huge, MADV_NOHUGEPAGE);
	for (i = 0; i < 24; i += 2)
		memset(memory + i * huge, 1, huge);
	/* one of them is not whole any more */
	madvise(memory + 2 * huge, page, MADV_DONTNEED);
	for (i = 0; i < 2; i++) {
		walk.entries_only = i;
		ASSERT_EQ(look_at(&walk, memory + 3 * page, size - 3 * page, size, &pages), 0);
		bytes[i] = huge_bytes(&pages);
		present[i] = present_bytes(&pages);
		mp_pages_free(&pages);
	}
	TH_LOG("%lu and %lu bytes in huge pages", bytes[0], bytes[1]);
	EXPECT_EQ(present[0], present[1]);
	if (geteuid())
		bytes[0] = 0;
	/* the first one is cut by where the look begins; by entries it is not told then */
	EXPECT_LE(bytes[1], bytes[0]);
	EXPECT_LE(bytes[0], bytes[1] + huge);
	munmap(all, size + 2 * huge);
}

TEST(what_was_not_looked_at_is_counted)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = map(NR_PAGES * page);
	struct mp_pages pages;

	memset(memory, 1, NR_PAGES * page);
	ASSERT_EQ(look(&(struct mp_page_walk){ .end_ns = mp_clock_ns() - 1 }, memory,
		       NR_PAGES * page, &pages), 0);
	EXPECT_EQ(pages.unseen, NR_PAGES * page);
	EXPECT_EQ(pages.nr_runs, 0);
	mp_pages_free(&pages);
	munmap(memory, NR_PAGES * page);
}

/*
 * 100 GB of which one page was touched: ranges are found at once; entries are read until
 * the time is over, and what is left is counted.
 */
TEST(sparse_mappings_take_no_longer_than_they_may)
{
	const size_t size = 100UL << 30;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const uint64_t start = mp_clock_ns();
	const struct mp_page_walk walk = { .end_ns = start + 1000000000ULL };
	struct mp_pages pages;

	if (memory == MAP_FAILED)
		SKIP(return, "100 GB cannot be mapped");
	memory[size / 2] = 1;
	ASSERT_EQ(look(&walk, memory, size, &pages), 0);
	EXPECT_EQ(is_present(&pages, (uintptr_t)memory + size / 2) || pages.unseen, true);
	/* the rest is for a busy machine */
	EXPECT_LT(mp_clock_ns() - start, 8000000000ULL);
	mp_pages_free(&pages);
	munmap(memory, size);
}

TEST(processes_that_ended_are_an_error)
{
	struct mp_mapping mapping = { .end = 4096, .rss = 4096, .class = MP_MAPPING_ANON };
	const struct mp_mappings mappings = { .list = &mapping, .nr = 1 };
	struct mp_pages pages = { 0 };

	EXPECT_LT(mp_page_walk(&(struct mp_page_walk){ 0 }, 0x3fffffff, &mappings,
			       &pages), 0);
	mp_pages_free(&pages);
}

TEST_HARNESS_MAIN
