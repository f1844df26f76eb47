// SPDX-License-Identifier: GPL-2.0-only
/* Tests of blame: who keeps which resident pages, compared with a count byte by byte. */
#include "blame.h"

#include "kselftest_harness.h"

#define PAGE		64UL	/* small, so that all bytes can be counted */
#define NR_PAGES	48
#define BASE		(16 * PAGE)
#define NR_OWNERS	5
#define NONE		(-1)

enum { GONE, PRESENT, SWAPPED };

static unsigned long seed = 1;

static unsigned long draw(unsigned long below)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (seed >> 33) % below;
}

/* A process of two mappings with random pages and blocks. */
struct process {
	int state[NR_PAGES];
	struct mp_pages pages;
	struct mp_blame_blocks blocks;
	struct mp_blame_sum owners[NR_OWNERS];
	struct mp_blame blame;
};

static void add_area(struct process *process, unsigned long first, unsigned long end,
		     bool is_break)
{
	const struct mp_page_area area = {
		.start = BASE + first * PAGE, .end = BASE + end * PAGE,
		.class = is_break ? MP_MAPPING_HEAP : MP_MAPPING_ANON,
		.is_break = is_break,
	};

	if (mp_pages_add_area(&process->pages, &area))
		abort();
}

static void add_runs(struct process *process)
{
	unsigned long i;

	for (i = 0; i < NR_PAGES; i++) {
		const struct mp_page_run run = {
			.start = BASE + i * PAGE, .end = BASE + (i + 1) * PAGE,
			.state = process->state[i] == PRESENT ? MP_PAGE_PRESENT : 0,
		};

		if (process->state[i] != GONE && mp_pages_add_run(&process->pages, &run))
			abort();
	}
}

static void add_block(struct process *process, uint64_t start, uint64_t size,
		      uint32_t owner)
{
	const struct mp_blame_block block = {
		.start = BASE + start, .size = size, .space = size, .owner = owner,
	};

	if (mp_blame_add(&process->blocks, &block))
		abort();
}

static void begin(struct process *process, unsigned long split)
{
	*process = (struct process){ .pages.page_size = PAGE };
	process->blame.owners = process->owners;
	process->blame.nr_owners = NR_OWNERS;
	add_area(process, 0, split, true);
	add_area(process, split, NR_PAGES, false);
}

static void find(struct process *process)
{
	mp_blame_sort(&process->blocks);
	mp_blame_find(&process->blame, &process->blocks, &process->pages);
}

static void end(struct process *process)
{
	mp_pages_free(&process->pages);
	mp_blame_free_blocks(&process->blocks);
}

/* Who has each byte, and the sums of all bytes. */
static void expect_counted(struct __test_metadata *_metadata, struct process *process,
			   unsigned long split, const int *owner_of)
{
	uint64_t resident[NR_OWNERS] = { 0 }, swapped[NR_OWNERS] = { 0 };
	double blame[NR_OWNERS] = { 0 };
	uint64_t held = 0, all = 0, charged = 0, on[NR_OWNERS], sum, i, j, top = 0;
	uint64_t held_top = 0, fill[2] = { 0 };
	bool has[2] = { false };

	for (i = 0; i < NR_PAGES * PAGE; i++)
		if (owner_of[i] != NONE) {
			has[i >= split * PAGE] = true;
			top = i < split * PAGE ? i / PAGE + 1 : top;
		}
	for (i = 0; i < NR_PAGES; i++) {
		memset(on, 0, sizeof(on));
		for (sum = 0, j = i * PAGE; j < (i + 1) * PAGE; j++)
			if (owner_of[j] != NONE) {
				on[owner_of[j]]++;
				sum++;
			}
		for (j = 0; j < NR_OWNERS; j++) {
			resident[j] += process->state[i] == PRESENT ? on[j] : 0;
			swapped[j] += process->state[i] == SWAPPED ? on[j] : 0;
			if (process->state[i] == PRESENT && sum)
				blame[j] += (double)PAGE * (double)on[j] / (double)sum;
		}
		if (process->state[i] != PRESENT)
			continue;
		all += PAGE;
		held += sum ? 0 : PAGE;
		held_top += !sum && has[0] && i < split && i >= top ? PAGE : 0;
		fill[0] += sum && sum * 100 <= 25 * PAGE ? PAGE : 0;
		fill[1] += sum * 100 > 75 * PAGE ? PAGE : 0;
	}
	for (j = 0; j < NR_OWNERS; j++) {
		const struct mp_blame_sum *got = &process->owners[j];

		EXPECT_EQ(got->resident, resident[j]);
		EXPECT_EQ(got->swapped, swapped[j]);
		EXPECT_GE((double)got->blame, blame[j] - NR_PAGES);
		EXPECT_LE((double)got->blame, blame[j] + NR_PAGES);
		charged += got->blame;
	}
	EXPECT_EQ(charged, process->blame.total.blame);
	EXPECT_EQ(charged + held, all);
	EXPECT_EQ(held, process->blame.held_top + process->blame.held_arena +
			process->blame.held_empty);
	EXPECT_EQ(held_top, process->blame.held_top);
	EXPECT_EQ(fill[0], process->blame.total.fill[0] + process->blame.total.fill[1] +
			   process->blame.total.fill[2]);
	EXPECT_EQ(fill[1], process->blame.total.fill[5]);
}

TEST(random_blocks_are_charged_as_if_each_byte_was_counted)
{
	static int owner_of[NR_PAGES * PAGE];
	struct process process;
	unsigned long i, at, size, split, round;
	uint64_t live[NR_OWNERS];
	int owner;

	for (round = 0; round < 400; round++) {
		split = 1 + draw(NR_PAGES - 1);
		begin(&process, split);
		memset(live, 0, sizeof(live));
		for (i = 0; i < NR_PAGES; i++)
			process.state[i] = (int)draw(3);
		add_runs(&process);
		for (i = 0; i < NR_PAGES * PAGE; i++)
			owner_of[i] = NONE;
		for (at = draw(2 * PAGE); at < NR_PAGES * PAGE; at += size + draw(3 * PAGE)) {
			size = 1 + draw(draw(4) ? PAGE / 2 : 6 * PAGE);
			if (at + size > NR_PAGES * PAGE)
				break;
			owner = (int)draw(NR_OWNERS);
			add_block(&process, at, size, (uint32_t)owner);
			live[owner] += size;
			for (i = at; i < at + size; i++)
				owner_of[i] = owner;
		}
		find(&process);
		expect_counted(_metadata, &process, split, owner_of);
		for (i = 0; i < NR_OWNERS; i++)
			EXPECT_EQ(live[i], process.owners[i].resident +
				  process.owners[i].swapped + process.owners[i].untouched);
		end(&process);
	}
}

TEST(shares_of_a_page_add_up_to_the_page)
{
	struct process process;

	begin(&process, 1);
	process.state[0] = PRESENT;
	add_runs(&process);
	add_block(&process, 0, 7, 0);
	add_block(&process, 10, 7, 1);
	add_block(&process, 20, 7, 2);
	find(&process);
	EXPECT_EQ(process.owners[0].blame, 21);
	EXPECT_EQ(process.owners[0].blame + process.owners[1].blame +
		  process.owners[2].blame, PAGE);
	EXPECT_EQ(process.blame.total.fill[3], PAGE);
	end(&process);
}

TEST(empty_blocks_pin_pages)
{
	struct process process;

	begin(&process, 1);
	process.state[0] = PRESENT;
	add_runs(&process);
	add_block(&process, 0, 0, 0);
	find(&process);
	EXPECT_EQ(process.owners[0].blame, PAGE);
	EXPECT_EQ(process.owners[0].resident, 0);
	end(&process);
}

/* An arena that is itself a block: what its user made of it has the bytes. */
TEST(inner_blocks_have_the_bytes)
{
	struct process process;
	int i;

	begin(&process, 1);
	for (i = 0; i < 8; i++)
		process.state[i] = PRESENT;
	add_runs(&process);
	add_block(&process, 0, 8 * PAGE, 0);
	add_block(&process, 2 * PAGE, 2 * PAGE, 1);
	find(&process);
	EXPECT_EQ(process.owners[0].resident, 8 * PAGE);
	EXPECT_EQ(process.owners[0].blame, 2 * PAGE);
	EXPECT_EQ(process.owners[1].blame, 2 * PAGE);
	EXPECT_EQ(process.blame.held_arena + process.blame.held_top +
		  process.blame.held_empty, 4 * PAGE);
	end(&process);
}

/* A million such blocks would take hours without a limit. */
TEST(blocks_that_all_overlap_end)
{
	struct process process;
	unsigned long i;

	begin(&process, NR_PAGES);
	for (i = 0; i < NR_PAGES; i++)
		process.state[i] = i % 2 ? PRESENT : GONE;
	add_runs(&process);
	for (i = 0; i < 100000; i++)
		add_block(&process, 0, UINT64_MAX, 0);
	find(&process);
	EXPECT_EQ(process.owners[0].blame, NR_PAGES / 2 * PAGE);
	end(&process);
}

TEST(samples_are_scaled)
{
	struct process process;
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	begin(&process, NR_PAGES);
	process.state[0] = PRESENT;
	add_runs(&process);
	process.blame.is_sampled = true;
	add_block(&process, PAGE / 2, PAGE, 1);
	process.blocks.list[0].space = 1000;
	find(&process);
	EXPECT_EQ(process.owners[1].resident, 500);
	EXPECT_EQ(process.owners[1].untouched, 500);
	EXPECT_EQ(process.owners[1].blame, 500);
	row.value[MP_HEAP_RESIDENT] = 800;
	EXPECT_EQ(mp_blame_process(&row, &process.blame), 0);
	EXPECT_EQ(row.value[MP_BLAME], 500);
	EXPECT_EQ(row.value[MP_HELD_PAGES], 300);
	EXPECT_EQ(row.value[MP_PINNED], 0);
	end(&process);
}

/* RSS is read before the pages: both add up, also if the process grew in between. */
/* Of 4 pages one is cold, and one on each of two nodes; a hostile file names node 15. */
TEST(cold_pages_and_nodes_are_divided_as_resident_ones)
{
	static const uint32_t states[] = {
		MP_PAGE_PRESENT | MP_PAGE_COLD | 1 << MP_PAGE_NODE_SHIFT,
		MP_PAGE_PRESENT | MP_PAGE_MAX_NODES << MP_PAGE_NODE_SHIFT,
		MP_PAGE_PRESENT | MP_PAGE_NODES,
		MP_PAGE_COLD | 1 << MP_PAGE_NODE_SHIFT,
	};
	struct mp_blame_block block = {
		.start = BASE + PAGE / 2, .size = 3 * PAGE, .space = 6 * PAGE,
	};
	const struct mp_blame_blocks blocks = { .list = &block, .nr = 1 };
	struct process process = { .pages.page_size = PAGE };
	struct mp_blame *blame = &process.blame;
	struct mp_row row = { 0 };
	uint64_t i;

	blame->is_sampled = true;
	add_area(&process, 0, 4, false);
	for (i = 0; i < 4; i++) {
		const struct mp_page_run run = {
			BASE + i * PAGE, BASE + (i + 1) * PAGE, states[i],
		};

		ASSERT_EQ(mp_pages_add_run(&process.pages, &run), 0);
	}
	mp_blame_find(blame, &blocks, &process.pages);
	mp_blame_put(&row, &blame->total);
	EXPECT_EQ(row.value[MP_BLOCK_RESIDENT], 5 * PAGE);
	EXPECT_EQ(row.value[MP_COLD], PAGE);
	EXPECT_EQ(row.value[MP_NODE_0], PAGE);
	EXPECT_EQ(row.value[MP_NODE_7], 2 * PAGE);
	EXPECT_EQ(row.value[MP_NODE_1], 0);
	mp_pages_free(&process.pages);
}

TEST(processes_that_change_add_up)
{
	struct process process;
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	begin(&process, NR_PAGES);
	process.state[0] = PRESENT;
	process.state[2] = PRESENT;
	add_runs(&process);
	add_block(&process, 0, 10, 1);
	find(&process);
	row.value[MP_HEAP_RESIDENT] = PAGE;
	row.value[MP_RESIDENT] = row.value[MP_RESIDENT_ANON] = 3 * PAGE;
	EXPECT_EQ(mp_blame_process(&row, &process.blame), PAGE);
	EXPECT_EQ(row.value[MP_HEAP_RESIDENT], 2 * PAGE);
	EXPECT_EQ(row.value[MP_RESIDENT], 4 * PAGE);
	EXPECT_EQ(row.value[MP_BLAME], PAGE);
	EXPECT_EQ(row.value[MP_PINNED], PAGE - 10);
	EXPECT_EQ(row.value[MP_HELD_TOP], PAGE);
	EXPECT_EQ(row.value[MP_HELD_PAGES], PAGE);
	row = (struct mp_row){ .kind = MP_ROW_PROCESS };
	row.value[MP_HEAP_RESIDENT] = 3 * PAGE;
	EXPECT_EQ(mp_blame_process(&row, &process.blame), PAGE);
	EXPECT_EQ(row.value[MP_HELD_PAGES], 2 * PAGE);
	EXPECT_EQ(row.value[MP_HELD_PAGES], row.value[MP_HELD_TOP] +
		  row.value[MP_HELD_ARENA] + row.value[MP_HELD_EMPTY]);
	end(&process);
}

/* Stacks and .bss become heap if an allocator uses them; files do not. */
TEST(mappings_with_blocks_are_heap)
{
	struct mp_mapping list[] = {
		{ .start = BASE, .end = BASE + PAGE, .class = MP_MAPPING_BSS },
		{ .start = BASE + PAGE, .end = BASE + 2 * PAGE, .class = MP_MAPPING_FILE },
		{ .start = BASE + 2 * PAGE, .end = BASE + 3 * PAGE, .class = MP_MAPPING_STACK },
	};
	struct mp_mappings mappings = { .list = list, .nr = 3 };
	struct mp_blame_block block = { .start = BASE + PAGE - 1, .size = 2 };
	struct mp_blame_blocks blocks = { .list = &block, .nr = 1 };

	mp_blame_mark(&blocks, &mappings);
	EXPECT_EQ(list[0].class, MP_MAPPING_HEAP);
	EXPECT_EQ(list[1].class, MP_MAPPING_FILE);
	EXPECT_EQ(list[2].class, MP_MAPPING_STACK);
}

TEST_HARNESS_MAIN
