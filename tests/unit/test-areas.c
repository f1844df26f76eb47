// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of areas, compared with a model that stores every page, and of what system calls
 * change in them.
 */
#include "random.h"
#include "syscalls.h"

#include <string.h>
#include <sys/mman.h>

#include "kselftest_harness.h"

#define PAGE		4096UL
#define NR_PAGES	400
#define NR_PROCESSES	3
#define RW		(PROT_READ | PROT_WRITE)
#define PID		7
#define AT		0x10000000UL

FIXTURE(areas)
{
	struct mp_syscalls calls;
	bool pages[NR_PROCESSES][NR_PAGES];
};

FIXTURE_SETUP(areas)
{
	self->calls = (struct mp_syscalls){ .has_areas = true };
	memset(self->pages, 0, sizeof(self->pages));
}

FIXTURE_TEARDOWN(areas)
{
	mp_syscalls_free(&self->calls);
}

/* Sets pages of the model. Returns the number of bytes that changed. */
static uint64_t set_pages(bool *pages, uint32_t from, uint32_t to, bool on)
{
	uint64_t nr = 0;

	for (; from < to; from++) {
		nr += pages[from] != on;
		pages[from] = on;
	}
	return nr * PAGE;
}

/* Whether a tree is sorted, has no neighbours to join, and its ranks descend. */
static bool is_tree(const struct mp_areas *areas, uint32_t root, uint64_t *last,
		    uint64_t *sum)
{
	const struct mp_area *node = &areas->nodes[root];

	if (!root)
		return true;
	if (!is_tree(areas, node->left, last, sum) || node->start >= node->end ||
	    (*sum && node->start <= *last) ||
	    (node->left && areas->nodes[node->left].rank > node->rank) ||
	    (node->right && areas->nodes[node->right].rank > node->rank))
		return false;
	*last = node->end;
	*sum += node->end - node->start;
	return is_tree(areas, node->right, last, sum);
}

static bool equals_model(const struct mp_areas *areas, uint32_t process,
			 const bool *pages)
{
	uint64_t last = 0, sum = 0, wanted = 0;
	size_t i;

	for (i = 0; i < NR_PAGES; i++)
		wanted += pages[i] ? PAGE : 0;
	return is_tree(areas, process < areas->nr_spaces ?
		       areas->spaces[process].root : 0, &last, &sum) && sum == wanted;
}

TEST_F(areas, random_changes_equal_the_model)
{
	struct mp_areas *areas = &self->calls.areas;
	uint32_t seed = 1, n, p, from, to, other;
	uint64_t wanted, got;
	bool on;

	for (n = 1; n < 30000; n++) {
		p = random_below(&seed, NR_PROCESSES);
		from = random_below(&seed, NR_PAGES);
		to = from + random_below(&seed, n % 7 ? 12 : NR_PAGES);
		to = to < NR_PAGES ? to : NR_PAGES;
		on = random_below(&seed, 2);
		wanted = set_pages(self->pages[p], from, to, on);
		got = on ? mp_areas_add(areas, p, from * PAGE, to * PAGE, false) :
			   mp_areas_take(areas, p, from * PAGE, to * PAGE);
		ASSERT_EQ(wanted, got) {
			TH_LOG("change %u", n);
		}
		if (n % 500 == 0) {
			other = (p + 1) % NR_PROCESSES;
			mp_areas_copy(areas, p, other);
			memcpy(self->pages[other], self->pages[p], NR_PAGES);
		}
		if (n % 900 == 0) {
			mp_areas_clear(areas, p);
			memset(self->pages[p], 0, NR_PAGES);
		}
		for (p = 0; p < NR_PROCESSES; p++)
			ASSERT_TRUE(equals_model(areas, p, self->pages[p])) {
				TH_LOG("process %u after %u", p, n);
			}
	}
	EXPECT_EQ(0, areas->nr_dropped);
	/* the nodes of what was removed were used again */
	EXPECT_GT(NR_PROCESSES * NR_PAGES, areas->nr);
}

TEST_F(areas, a_path_is_short_whatever_the_order)
{
	struct mp_areas *areas = &self->calls.areas;
	uint32_t i, at, depth = 0;

	/* new ones in rising order, and then the pieces of a large one */
	for (i = 0; i < 50000; i++)
		mp_areas_add(areas, 0, 2 * i * PAGE, (2 * i + 1) * PAGE, false);
	mp_areas_add(areas, 0, 100000 * PAGE, 200000 * PAGE, false);
	for (i = 50000; i < 100000; i++)
		mp_areas_take(areas, 0, (2 * i + 1) * PAGE, (2 * i + 2) * PAGE);
	for (at = areas->spaces[0].root; at; at = areas->nodes[at].right)
		depth++;
	/* the last is at the mean depth of ln n, 12, with a deviation of 3.4 */
	EXPECT_GT(50, depth);
	EXPECT_EQ(100000 * PAGE, mp_areas_take(areas, 0, 0, UINT64_MAX));
	EXPECT_EQ(0, areas->spaces[0].root);
}

TEST_F(areas, areas_beyond_the_limit_are_counted)
{
	struct mp_areas *areas = &self->calls.areas;
	uint64_t i;

	for (i = 0; i < MP_AREAS_MAX_ALL + 10; i++)
		mp_areas_add(areas, 0, 2 * i * PAGE, (2 * i + 1) * PAGE, false);
	EXPECT_EQ(11, areas->nr_dropped);
	EXPECT_GE(MP_AREAS_MAX_ALL, areas->nr);
	/* what has no room is as if it were not there */
	EXPECT_EQ((MP_AREAS_MAX_ALL - 1) * PAGE, mp_areas_take(areas, 0, 0, UINT64_MAX));
}

/* Makes a call, and returns the change; another thread @between may run meanwhile. */
static int64_t begin(struct mp_syscalls *calls, uint32_t tid, uint32_t call, uint64_t a,
		     uint64_t b, uint64_t c, uint32_t flags)
{
	const struct mp_event event = {
		.pid = PID, .tid = tid,
		.syscall = { .args = { a, b, c }, .flags = flags,
			     .call = (uint16_t)call },
	};

	return mp_syscalls_enter(calls, 0, &event, 1);
}

static int64_t end(struct mp_syscalls *calls, uint32_t tid, uint32_t call,
		   uint64_t result)
{
	const struct mp_event event = {
		.pid = PID, .tid = tid,
		.sysret = { .result = result, .call = (uint16_t)call },
	};
	struct mp_syscall_change change = { 0 };

	mp_syscalls_leave(calls, 0, &event, &change);
	return change.delta;
}

static int64_t map(struct mp_syscalls *calls, uint64_t at, uint64_t size, int prot)
{
	begin(calls, PID, MP_SYSCALL_MMAP, at, size, (uint64_t)prot, 0);
	return end(calls, PID, MP_SYSCALL_MMAP, at);
}

static int64_t protect(struct mp_syscalls *calls, uint64_t at, uint64_t size, int prot)
{
	begin(calls, PID, MP_SYSCALL_MPROTECT, at, size, (uint64_t)prot, 0);
	return end(calls, PID, MP_SYSCALL_MPROTECT, 0);
}

static int64_t unmap(struct mp_syscalls *calls, uint64_t at, uint64_t size)
{
	begin(calls, PID, MP_SYSCALL_MUNMAP, at, size, 0, 0);
	return end(calls, PID, MP_SYSCALL_MUNMAP, 0);
}

static int64_t area(struct mp_syscalls *calls, uint32_t tid, uint64_t at, uint64_t size,
		    bool by_kernel, bool stack)
{
	const struct mp_event event = {
		.pid = PID, .tid = tid,
		.area = { .start = at, .size = size, .access = true, .stack = stack,
			  .by_kernel = by_kernel },
	};

	return mp_syscalls_area(calls, 0, &event);
}

TEST_F(areas, reserved_memory_grows_when_it_can_be_accessed)
{
	struct mp_syscalls *calls = &self->calls;

	EXPECT_EQ(0, map(calls, AT, 64 * PAGE, PROT_NONE));
	EXPECT_EQ(33 * PAGE, protect(calls, AT, 33 * PAGE, RW));
	/* again, and less of it */
	EXPECT_EQ(0, protect(calls, AT, 33 * PAGE, PROT_READ));
	EXPECT_EQ(PAGE, protect(calls, AT + 30 * PAGE, 4 * PAGE, RW));
	EXPECT_EQ(-4 * (int64_t)PAGE, protect(calls, AT, 4 * PAGE, PROT_NONE));
	/* mmap() over a part of it, with and without access */
	EXPECT_EQ(2 * PAGE, map(calls, AT + 2 * PAGE, 4 * PAGE, RW));
	EXPECT_EQ(-2 * (int64_t)PAGE, map(calls, AT + 2 * PAGE, 2 * PAGE, PROT_NONE));
	EXPECT_EQ(-30 * (int64_t)PAGE, unmap(calls, AT, 64 * PAGE));
	EXPECT_EQ(0, unmap(calls, AT, 64 * PAGE));
}

TEST_F(areas, the_same_again_is_no_growth)
{
	int64_t sum = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		EXPECT_EQ(PAGE, map(&self->calls, AT, PAGE - 1, RW));
		sum += PAGE + unmap(&self->calls, AT, 1);
	}
	EXPECT_EQ(0, sum);
}

TEST_F(areas, a_mapping_that_moves_takes_its_bytes_along)
{
	struct mp_syscalls *calls = &self->calls;

	map(calls, AT, 4 * PAGE, RW);
	begin(calls, PID, MP_SYSCALL_MREMAP, AT, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	EXPECT_EQ(2 * PAGE, end(calls, PID, MP_SYSCALL_MREMAP, 2 * AT));
	EXPECT_EQ(0, unmap(calls, AT, 4 * PAGE));
	/* one that fails stays where it is */
	begin(calls, PID, MP_SYSCALL_MREMAP, 2 * AT, 6 * PAGE, 7 * PAGE, 0);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_MREMAP, (uint64_t)-12));
	EXPECT_EQ(-6 * (int64_t)PAGE, unmap(calls, 2 * AT, 6 * PAGE));
	map(calls, AT, 4 * PAGE, PROT_NONE);
	begin(calls, PID, MP_SYSCALL_MREMAP, AT, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_MREMAP, 2 * AT));
}

/* Returns the bytes that a call of madvise() gave back. */
static uint64_t advise(struct mp_syscalls *calls, uint64_t bytes, uint64_t advice,
		       uint64_t result)
{
	const struct mp_event event = {
		.pid = PID, .tid = PID,
		.sysret = { .result = result, .call = MP_SYSCALL_MADVISE },
	};
	struct mp_syscall_change change = { 0 };

	begin(calls, PID, MP_SYSCALL_MADVISE, AT, bytes, advice, 0);
	return mp_syscalls_leave(calls, 0, &event, &change) && !change.delta ?
	       change.advised : 0;
}

TEST_F(areas, advice_gives_pages_back_and_the_range_stays)
{
	struct mp_syscalls *calls = &self->calls;

	map(calls, AT, 4 * PAGE, RW);
	EXPECT_EQ(4 * PAGE, advise(calls, 4 * PAGE, MADV_DONTNEED, 0));
	EXPECT_EQ(PAGE, advise(calls, 1, MADV_FREE, 0));
	EXPECT_EQ(0, advise(calls, 4 * PAGE, MADV_WILLNEED, 0));
	EXPECT_EQ(0, advise(calls, 4 * PAGE, MADV_DONTNEED, (uint64_t)-22));
	EXPECT_EQ(-4 * (int64_t)PAGE, unmap(calls, AT, 4 * PAGE));
}

TEST_F(areas, another_thread_may_get_the_addresses_before_munmap_returns)
{
	struct mp_syscalls *calls = &self->calls;

	map(calls, AT, 4 * PAGE, RW);
	begin(calls, PID, MP_SYSCALL_MUNMAP, AT, 4 * PAGE, 0, 0);
	begin(calls, PID + 1, MP_SYSCALL_MMAP, 0, 4 * PAGE, RW, 0);
	EXPECT_EQ(4 * PAGE, end(calls, PID + 1, MP_SYSCALL_MMAP, AT));
	EXPECT_EQ(-4 * (int64_t)PAGE, end(calls, PID, MP_SYSCALL_MUNMAP, 0));
	EXPECT_EQ(-4 * (int64_t)PAGE, unmap(calls, AT, 4 * PAGE));
}

TEST_F(areas, segments_have_the_size_that_the_kernel_reports)
{
	struct mp_syscalls *calls = &self->calls;
	int i;

	/* two neighbours are not one */
	for (i = 0; i < 2; i++) {
		begin(calls, PID, MP_SYSCALL_SHMAT, 1, 0, 0, 0);
		area(calls, PID, AT + i * 5 * PAGE, 5 * PAGE, true, false);
		EXPECT_EQ(5 * PAGE, end(calls, PID, MP_SYSCALL_SHMAT, AT + i * 5 * PAGE));
	}
	begin(calls, PID, MP_SYSCALL_SHMDT, AT, 0, 0, 0);
	EXPECT_EQ(-5 * (int64_t)PAGE, end(calls, PID, MP_SYSCALL_SHMDT, 0));
	begin(calls, PID, MP_SYSCALL_SHMDT, AT, 0, 0, 0);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_SHMDT, (uint64_t)-22));
}

TEST_F(areas, what_a_process_had_is_no_growth)
{
	struct mp_syscalls *calls = &self->calls;

	/* while /proc is read, a report may have more than what is new */
	begin(calls, PID, MP_SYSCALL_MMAP, 0, PAGE, RW, 0);
	area(calls, PID, AT, 10 * PAGE, true, false);
	EXPECT_EQ(PAGE, end(calls, PID, MP_SYSCALL_MMAP, AT + 9 * PAGE));
	area(calls, PID, AT, 10 * PAGE, false, false);
	area(calls, PID, 2 * AT, 4 * PAGE, false, true);
	EXPECT_EQ(0, protect(calls, AT, 10 * PAGE, PROT_READ));
	EXPECT_EQ(-10 * (int64_t)PAGE, unmap(calls, AT, 10 * PAGE));
	/* later the stack grows */
	EXPECT_EQ(2 * PAGE, area(calls, PID, 2 * AT - 2 * PAGE, 6 * PAGE, true, true));
}

TEST_F(areas, exec_makes_mappings_that_are_no_growth)
{
	struct mp_syscalls *calls = &self->calls;

	mp_syscalls_exec(calls, 0, PID);
	EXPECT_EQ(0, area(calls, PID, AT, 10 * PAGE, true, false));
	EXPECT_EQ(0, area(calls, PID, 2 * AT, 10 * PAGE, true, true));
	begin(calls, PID, MP_SYSCALL_BRK, 0, 0, 0, 0);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_BRK, 3 * AT));
	EXPECT_EQ(PAGE, area(calls, PID, 2 * AT - PAGE, 11 * PAGE, true, true));
	begin(calls, PID, MP_SYSCALL_BRK, 3 * AT + PAGE, 0, 0, 0);
	EXPECT_EQ(PAGE, end(calls, PID, MP_SYSCALL_BRK, 3 * AT + PAGE));
	EXPECT_EQ(-PAGE, unmap(calls, AT, PAGE));
}

TEST_F(areas, the_next_report_makes_up_for_lost_events)
{
	struct mp_syscalls *calls = &self->calls;

	mp_syscalls_exec(calls, 0, PID);
	map(calls, AT, 64 * PAGE, PROT_NONE);
	EXPECT_EQ(PAGE, protect(calls, AT, PAGE, RW));
	/* two calls were lost; the area has four pages now */
	begin(calls, PID, MP_SYSCALL_MPROTECT, AT + 3 * PAGE, PAGE, RW, 0);
	EXPECT_EQ(0, area(calls, PID, AT, 4 * PAGE, true, false));
	EXPECT_EQ(3 * PAGE, end(calls, PID, MP_SYSCALL_MPROTECT, 0));
	/* only the report of this one arrived */
	EXPECT_EQ(PAGE, area(calls, PID, AT, 5 * PAGE, true, false));
}

TEST_F(areas, lengths_that_no_kernel_accepts_do_no_harm)
{
	struct mp_syscalls *calls = &self->calls;

	EXPECT_EQ(0, map(calls, AT, UINT64_MAX, RW));
	EXPECT_EQ(0, map(calls, (uint64_t)-8192, 8192, RW));
	EXPECT_EQ(0, unmap(calls, AT, UINT64_MAX - AT));
	EXPECT_EQ(0, protect(calls, UINT64_MAX, UINT64_MAX, RW));
	begin(calls, PID, MP_SYSCALL_MREMAP, 0, UINT64_MAX, UINT64_MAX, 0);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_MREMAP, AT));
	begin(calls, PID, MP_SYSCALL_MMAP, 0, PAGE, RW, 0);
	EXPECT_EQ(0, end(calls, PID, MP_SYSCALL_MUNMAP, 0));
}

TEST_HARNESS_MAIN
