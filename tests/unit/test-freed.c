// SPDX-License-Identifier: GPL-2.0-only
/* Tests of freed: whose freed blocks are resident. A count of each byte has the same sums. */
#include "freed.h"

#include "kselftest_harness.h"

#define PAGE		64UL	/* small, so that all bytes can be counted */
#define NR_PAGES	40
#define BYTES		(NR_PAGES * PAGE)
#define BASE		(16 * PAGE)
#define NR_OWNERS	5
#define NONE		(-1)

static unsigned long seed = 1;

static unsigned long draw(unsigned long below)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (seed >> 33) % below;
}

struct process {
	bool present[NR_PAGES];
	struct mp_pages pages;
	struct mp_blame_blocks blocks;
	struct mp_freed freed;
	struct mp_blame_sum owners[NR_OWNERS];
	struct mp_blame blame;
	int living[BYTES], gone[BYTES];		/* owner of each byte */
};

static void begin(struct process *process)
{
	const struct mp_page_area area = {
		.start = BASE, .end = BASE + BYTES, .class = MP_MAPPING_ANON,
	};
	unsigned long i;

	*process = (struct process){ .pages.page_size = PAGE };
	process->blame.owners = process->owners;
	process->blame.nr_owners = NR_OWNERS;
	for (i = 0; i < BYTES; i++)
		process->living[i] = process->gone[i] = NONE;
	if (mp_pages_add_area(&process->pages, &area))
		abort();
}

static void add_page(struct process *process, unsigned long page)
{
	const struct mp_page_run run = {
		.start = BASE + page * PAGE, .end = BASE + (page + 1) * PAGE,
		.state = MP_PAGE_PRESENT,
	};

	process->present[page] = true;
	if (mp_pages_add_run(&process->pages, &run))
		abort();
}

static void add_living(struct process *process, uint64_t start, uint64_t size, uint32_t owner)
{
	const struct mp_blame_block block = {
		.start = BASE + start, .size = size, .space = size, .owner = owner,
	};
	uint64_t i;

	if (mp_blame_add(&process->blocks, &block))
		abort();
	for (i = start; i < start + size; i++)
		process->living[i] = (int)owner;
}

/* Blocks must be added in the order of time. */
static void add_freed(struct process *process, uint64_t start, uint64_t size, uint32_t owner)
{
	const struct mp_freed_block block = {
		.start = BASE + start, .size = size, .time_ns = process->freed.nr + 1,
		.owner = owner,
	};
	uint64_t i;

	if (mp_freed_add(&process->freed, &block))
		abort();
	for (i = start; i < start + size; i++)
		process->gone[i] = (int)owner;
}

static void find(struct __test_metadata *_metadata, struct process *process)
{
	mp_blame_sort(&process->blocks);
	mp_blame_find(&process->blame, &process->blocks, &process->pages);
	EXPECT_EQ(mp_freed_find(&process->blame, &process->freed, &process->blocks,
				&process->pages), 0);
}

static void end(struct process *process)
{
	mp_pages_free(&process->pages);
	mp_blame_free_blocks(&process->blocks);
	mp_freed_free(&process->freed);
}

static void expect_counted(struct __test_metadata *_metadata, struct process *process)
{
	uint64_t freed[NR_OWNERS] = { 0 }, pinned[NR_OWNERS] = { 0 }, all[2] = { 0 };
	unsigned long i, j;
	bool lives;

	for (i = 0; i < NR_PAGES; i++) {
		for (lives = false, j = i * PAGE; j < (i + 1) * PAGE; j++)
			lives |= process->living[j] != NONE;
		for (j = i * PAGE; process->present[i] && j < (i + 1) * PAGE; j++) {
			if (process->living[j] != NONE || process->gone[j] == NONE)
				continue;
			freed[process->gone[j]]++;
			pinned[process->gone[j]] += lives;
		}
	}
	for (i = 0; i < NR_OWNERS; i++) {
		EXPECT_EQ(process->owners[i].freed, freed[i]);
		EXPECT_EQ(process->owners[i].freed_pinned, pinned[i]);
		EXPECT_LE(process->owners[i].kept, pinned[i]);
		EXPECT_EQ(process->owners[i].kept > 0, pinned[i] > 0);
		all[0] += freed[i];
		all[1] += pinned[i];
	}
	EXPECT_EQ(process->blame.total.freed, all[0]);
	EXPECT_EQ(process->blame.total.freed_pinned, all[1]);
}

TEST(random_blocks_are_as_if_each_byte_was_counted)
{
	static struct process process;
	unsigned long i, at, size, round;

	for (round = 0; round < 1000; round++) {
		begin(&process);
		for (i = 0; i < NR_PAGES; i++)
			if (draw(3))
				add_page(&process, i);
		for (at = draw(4 * PAGE); at < BYTES; at += size + draw(6 * PAGE)) {
			size = 1 + draw(draw(4) ? PAGE / 2 : 3 * PAGE);
			if (at + size <= BYTES)
				add_living(&process, at, size, (uint32_t)draw(NR_OWNERS));
		}
		for (i = draw(60); i; i--) {
			size = 1 + draw(draw(3) ? PAGE : 10 * PAGE);
			add_freed(&process, draw(BYTES - size), size,
				  (uint32_t)draw(NR_OWNERS));
		}
		find(_metadata, &process);
		expect_counted(_metadata, &process);
		end(&process);
	}
}

/* Owner 1 has most of the first page, owner 2 of the second one. */
TEST(the_keeper_has_most_of_a_page)
{
	static struct process process;

	begin(&process);
	add_page(&process, 0);
	add_page(&process, 1);
	add_living(&process, 0, 4, 2);
	add_living(&process, 10, 8, 1);
	add_living(&process, PAGE + 30, 10, 2);
	add_freed(&process, 20, 40, 0);
	add_freed(&process, PAGE, 20, 0);
	find(_metadata, &process);
	EXPECT_EQ(process.owners[0].freed, 60);
	EXPECT_EQ(process.owners[0].freed_pinned, 60);
	EXPECT_EQ(process.owners[0].kept, 40);
	EXPECT_EQ(process.owners[0].keeper, 1);
	end(&process);
}

/* A hostile process may claim that it freed blocks of any size, at one place. */
TEST(blocks_that_all_overlap_end)
{
	static struct process process;
	unsigned long i;

	begin(&process);
	for (i = 0; i < NR_PAGES; i++)
		add_page(&process, i);
	add_living(&process, 0, PAGE, 3);
	for (i = 0; i < 200000; i++) {
		const struct mp_freed_block block = {
			.start = BASE + i % BYTES, .size = UINT64_MAX,
			.time_ns = draw(1000), .owner = (uint32_t)draw(2 * NR_OWNERS),
		};

		ASSERT_EQ(mp_freed_add(&process.freed, &block), 0);
	}
	find(_metadata, &process);
	EXPECT_EQ(process.blame.total.freed, BYTES - PAGE);
	EXPECT_EQ(process.blame.total.freed_pinned, 0);
	end(&process);
}

TEST_HARNESS_MAIN
