// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of spaces: compares the mappings with a model that stores every page.
 */
#include "random.h"
#include "spaces.h"

#include "kselftest_harness.h"

#define NR_PAGES	300
#define PAGE		4096UL
#define NR_PROCESSES	3

/* A page of the model: number of its file (0: not mapped), and offset in the file. */
struct page {
	uint32_t file;
	uint64_t offset;
};

FIXTURE(spaces)
{
	struct mp_spaces spaces;
	struct page pages[NR_PROCESSES][NR_PAGES];
};

FIXTURE_SETUP(spaces)
{
	self->spaces = (struct mp_spaces){ 0 };
	memset(self->pages, 0, sizeof(self->pages));
}

FIXTURE_TEARDOWN(spaces)
{
	mp_spaces_free(&self->spaces);
}

static int map(FIXTURE_DATA(spaces) *self, uint32_t process, uint32_t from,
	       uint32_t to, uint64_t offset, uint32_t file)
{
	struct mp_range range = {
		.start = from * PAGE, .end = to * PAGE, .offset = offset,
		.file = file,
	};
	uint32_t i;

	for (i = from; i < to; i++)
		self->pages[process][i] = (struct page){
			file, offset + (i - from) * PAGE,
		};
	return mp_spaces_map(&self->spaces, process, &range);
}

/* Returns the first page that differs from the model, or NR_PAGES. */
static uint32_t differs(FIXTURE_DATA(spaces) *self, uint32_t process)
{
	const struct mp_range *at;
	struct page *page;
	uint64_t addr;
	uint32_t i;

	for (i = 0; i < NR_PAGES * 2; i++) {
		/* the first and the last byte of each */
		addr = i / 2 * PAGE + i % 2 * (PAGE - 1);
		page = &self->pages[process][i / 2];
		at = mp_spaces_find(&self->spaces, process, addr);
		if (!at && !page->file)
			continue;
		if (!at || at->file != page->file ||
		    addr - at->start + at->offset !=
		    page->offset + i % 2 * (PAGE - 1))
			break;
	}
	return i / 2;
}

static bool in_order(const struct mp_space *space)
{
	size_t i;

	for (i = 0; i < space->nr; i++)
		if (space->list[i].start >= space->list[i].end ||
		    (i && space->list[i - 1].end > space->list[i].start))
			return false;
	return true;
}

TEST_F(spaces, mappings_do_what_pages_do)
{
	uint32_t seed = 4, n, from, to, p, other;

	for (n = 1; n < 6000; n++) {
		p = random_below(&seed, NR_PROCESSES);
		from = random_below(&seed, NR_PAGES);
		to = from + random_below(&seed, n % 7 ? 12 : 150);
		to = to < NR_PAGES ? to : NR_PAGES;
		ASSERT_EQ(0, map(self, p, from, to, n * 16 * PAGE, n));
		if (n % 500 == 0) {
			other = (p + 1) % NR_PROCESSES;
			ASSERT_EQ(0, mp_spaces_copy(&self->spaces, p, other));
			memcpy(self->pages[other], self->pages[p],
			       sizeof(self->pages[p]));
		}
		if (n % 900 == 0) {
			mp_spaces_clear(&self->spaces, p);
			memset(self->pages[p], 0, sizeof(self->pages[p]));
		}
		ASSERT_TRUE(in_order(&self->spaces.list[p]));
		for (p = 0; p < NR_PROCESSES; p++)
			ASSERT_EQ(NR_PAGES, differs(self, p)) {
				TH_LOG("process %u after %u", p, n);
			}
	}
	EXPECT_EQ(0, self->spaces.nr_dropped);
}

TEST_F(spaces, a_hole_in_the_middle_leaves_both_ends)
{
	map(self, 0, 10, 20, 0x5000, 1);
	map(self, 0, 13, 15, 0, 2);
	EXPECT_EQ(3, self->spaces.list[0].nr);
	EXPECT_EQ(NR_PAGES, differs(self, 0));
	EXPECT_EQ(0xa000, mp_spaces_find(&self->spaces, 0, 15 * PAGE)->offset);
	/* over all of it, and over nothing at all */
	map(self, 0, 9, 21, 0, 3);
	map(self, 0, 12, 12, 0, 4);
	EXPECT_EQ(1, self->spaces.list[0].nr);
	EXPECT_EQ(NR_PAGES, differs(self, 0));
	EXPECT_EQ(NULL, mp_spaces_find(&self->spaces, 0, 21 * PAGE));
	EXPECT_EQ(NULL, mp_spaces_find(&self->spaces, 9999, 10 * PAGE));
}

TEST_F(spaces, the_ends_of_the_address_space_are_mapped_too)
{
	struct mp_range range = { .start = 0, .end = UINT64_MAX, .file = 1 };

	ASSERT_EQ(0, mp_spaces_map(&self->spaces, 70, &range));
	range = (struct mp_range){ .start = PAGE, .end = -PAGE, .file = 2 };
	ASSERT_EQ(0, mp_spaces_map(&self->spaces, 70, &range));
	EXPECT_EQ(1, mp_spaces_find(&self->spaces, 70, 0)->file);
	EXPECT_EQ(2, mp_spaces_find(&self->spaces, 70, PAGE)->file);
	EXPECT_EQ(2, mp_spaces_find(&self->spaces, 70, -PAGE - 1)->file);
	EXPECT_EQ(1, mp_spaces_find(&self->spaces, 70, -PAGE)->file);
	EXPECT_EQ(-PAGE, mp_spaces_find(&self->spaces, 70, -PAGE)->offset);
}

TEST_F(spaces, mappings_beyond_the_bound_are_counted)
{
	struct mp_range range = { .file = 1 };
	uint32_t i;

	for (i = 0; i < MP_SPACES_MAX + 10; i++) {
		range.start = i * 2 * PAGE;
		range.end = range.start + PAGE;
		ASSERT_EQ(0, mp_spaces_map(&self->spaces, 0, &range));
	}
	EXPECT_EQ(MP_SPACES_MAX, self->spaces.list[0].nr);
	EXPECT_EQ(10, self->spaces.nr_dropped);
}

TEST_HARNESS_MAIN
