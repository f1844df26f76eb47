// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of page-idle: with a file in the place of the kernel's bitmap, which few kernels
 * have, and pages of our own process.
 */
#include "page-idle.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_PAGES	64UL
#define HUGE		(2UL << 20)

FIXTURE(idle)
{
	char path[64];
	struct mp_page_idle idle;
	struct mp_pages pages;
	struct mp_cold cold;
	size_t page;
	char *memory;
};

FIXTURE_SETUP(idle)
{
	struct mp_diag diag = { 0 };
	int fd;

	if (geteuid())
		SKIP(return, "frame numbers are root's");
	*self->path = '\0';
	self->pages = (struct mp_pages){ .page_size = (uint64_t)sysconf(_SC_PAGESIZE) };
	self->cold = (struct mp_cold){ .least_ns = 5 };
	self->page = self->pages.page_size;
	snprintf(self->path, sizeof(self->path), "/tmp/test-page-idle.XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_GE(fd, 0);
	/* frames of 1 TiB */
	ASSERT_EQ(ftruncate(fd, (1L << 40) / 4096 / 8), 0);
	close(fd);
	self->memory = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->memory, MAP_FAILED);
	ASSERT_EQ(mp_page_idle_open(&self->idle, self->path, &diag), 0);
}

FIXTURE_TEARDOWN(idle)
{
	if (!*self->path)
		return;
	mp_page_idle_close(&self->idle);
	mp_pages_free(&self->pages);
	mp_cold_free(&self->cold);
	munmap(self->memory, 2 * HUGE);
	unlink(self->path);
}

/* Adds present pages, which are touched. */
static void add_pages(FIXTURE_DATA(idle) *self, char *start, size_t size)
{
	const struct mp_page_area area = { .start = (uintptr_t)start,
					   .end = (uintptr_t)start + size };
	const struct mp_page_run run = { area.start, area.end, MP_PAGE_PRESENT };

	memset(start, 1, size);
	if (mp_pages_add_area(&self->pages, &area) || mp_pages_add_run(&self->pages, &run))
		abort();
}

static uint64_t frame_of(const char *address)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)address / 4096 * 8)) != 8)
		entry = 0;
	close(fd);
	return entry & ((1ULL << 55) - 1);
}

/* What the kernel does when a page is referenced */
static void reference(const FIXTURE_DATA(idle) *self, const char *address)
{
	const uint64_t frame = frame_of(address);
	unsigned char byte = 0;

	if (pread(self->idle.bitmap, &byte, 1, (off_t)(frame / 8)) != 1)
		abort();
	byte &= (unsigned char)~(1U << frame % 8);
	if (pwrite(self->idle.bitmap, &byte, 1, (off_t)(frame / 8)) != 1)
		abort();
}

static uint64_t cold_bytes(const struct mp_cold *cold)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < cold->nr; i++)
		if (cold->list[i].age_ns >= cold->least_ns)
			sum += cold->list[i].end - cold->list[i].start;
	return sum;
}

static uint64_t all_bytes(const struct mp_cold *cold)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < cold->nr; i++)
		sum += cold->list[i].end - cold->list[i].start;
	return sum;
}

TEST_F(idle, pages_that_were_not_referenced_are_cold)
{
	size_t i;

	madvise(self->memory, 2 * HUGE, MADV_NOHUGEPAGE);
	add_pages(self, self->memory, NR_PAGES * self->page);
	for (i = 0; i < NR_PAGES; i += 4)
		if (!frame_of(self->memory + i * self->page))
			SKIP(return, "frame numbers are hidden");
	/* a file keeps the last bits that are written to a word, the kernel adds them */
	ASSERT_EQ(mp_page_idle_mark(&self->idle, getpid(), &self->pages), 0);
	ASSERT_EQ(mp_page_idle_read(&self->idle, getpid(), &self->pages, 9, &self->cold), 0);
	EXPECT_GT(cold_bytes(&self->cold), 0);
	EXPECT_EQ(all_bytes(&self->cold), NR_PAGES * self->page);
	mp_cold_free(&self->cold);
	self->cold.least_ns = 5;
	for (i = 0; i < NR_PAGES; i++)
		reference(self, self->memory + i * self->page);
	ASSERT_EQ(mp_page_idle_read(&self->idle, getpid(), &self->pages, 9, &self->cold), 0);
	EXPECT_EQ(cold_bytes(&self->cold), 0);
	EXPECT_EQ(all_bytes(&self->cold), NR_PAGES * self->page);
}

TEST_F(idle, a_huge_page_has_one_bit)
{
	char *huge = (char *)(((uintptr_t)self->memory + HUGE - 1) & ~(HUGE - 1));

	madvise(self->memory, 2 * HUGE, MADV_HUGEPAGE);
	add_pages(self, huge, HUGE);
	if (!frame_of(huge) || frame_of(huge) % (HUGE / 4096) ||
	    frame_of(huge + HUGE - 4096) != frame_of(huge) + HUGE / 4096 - 1)
		SKIP(return, "no huge page was free");
	ASSERT_EQ(mp_page_idle_mark(&self->idle, getpid(), &self->pages), 0);
	ASSERT_EQ(mp_page_idle_read(&self->idle, getpid(), &self->pages, 9, &self->cold), 0);
	EXPECT_EQ(cold_bytes(&self->cold), HUGE);
	EXPECT_EQ(self->cold.nr, 1);
	mp_cold_free(&self->cold);
	self->cold.least_ns = 5;
	reference(self, huge);
	ASSERT_EQ(mp_page_idle_read(&self->idle, getpid(), &self->pages, 9, &self->cold), 0);
	EXPECT_EQ(cold_bytes(&self->cold), 0);
}

TEST_HARNESS_MAIN
