// SPDX-License-Identifier: GPL-2.0-only
/* Tests of page-nodes: runs keep their bytes, whatever the kernel says. */
#include "page-nodes.h"
#include "clock.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NR_PAGES	3000UL

static uint64_t bytes_with(const struct mp_pages *pages, uint32_t bits)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < pages->nr_runs; i++)
		if ((pages->runs[i].state & bits) == bits)
			sum += pages->runs[i].end - pages->runs[i].start;
	return sum;
}

static bool has_one_node(void)
{
	char line[64] = "";
	int fd = open("/sys/devices/system/node/has_memory", O_RDONLY);

	if (fd >= 0 && read(fd, line, sizeof(line) - 1) < 0)
		line[0] = '\0';
	close(fd);
	return !strpbrk(line, ",-");
}

static void make_pages(struct mp_pages *pages, const char *memory, uint64_t page)
{
	const uint64_t start = (uintptr_t)memory;
	const struct mp_page_area area = { .start = start, .end = start + NR_PAGES * page };
	const struct mp_page_run runs[] = {
		{ start, start + 2000 * page, MP_PAGE_PRESENT },
		{ start + 2000 * page, start + 2500 * page, 0 },
		{ start + 2500 * page, area.end, MP_PAGE_PRESENT | MP_PAGE_HUGE },
	};
	size_t i;

	*pages = (struct mp_pages){ .page_size = page };
	if (mp_pages_add_area(pages, &area))
		abort();
	for (i = 0; i < 3; i++)
		if (mp_pages_add_run(pages, &runs[i]))
			abort();
}

TEST(runs_keep_their_bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mp_pages pages;
	int late;

	ASSERT_NE(memory, MAP_FAILED);
	memset(memory, 1, NR_PAGES * page);
	for (late = 0; late < 2; late++) {
		make_pages(&pages, memory, page);
		ASSERT_EQ(mp_page_nodes(getpid(), late, &pages), 0);
		EXPECT_EQ(bytes_with(&pages, 0), NR_PAGES * page);
		EXPECT_EQ(bytes_with(&pages, MP_PAGE_PRESENT), 2500 * page);
		EXPECT_EQ(bytes_with(&pages, MP_PAGE_HUGE), 500 * page);
		EXPECT_EQ(pages.unplaced, late && !has_one_node() ? 2500 * page : 0);
		mp_pages_free(&pages);
	}
	munmap(memory, NR_PAGES * page);
}

TEST_HARNESS_MAIN
