// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the heap: invariants that must be true after any event, also if tables are
 * full.
 */
#include "heap-events.h"
#include "random.h"

#include "kselftest_harness.h"

struct sums {
	uint64_t blocks, processes, sites, stacks, cgroups, allocs, faults;
	int64_t growth;
	bool peaks, objects;
};

static void add_up(const struct mp_tally *tally, uint64_t *space,
		   struct sums *sums)
{
	*space += tally->inuse_space;
	sums->peaks &= tally->peak.most[0] >= tally->peak.exact &&
		       tally->peak.half[0] >= tally->peak.settled[0] &&
		       tally->peak.half[1] >= tally->peak.settled[1] &&
		       tally->inuse_space >= mp_tally_settled(tally) &&
		       tally->alloc_space >= mp_tally_highest(tally) &&
		       tally->growth_peak >= tally->growth;
	sums->objects &= tally->alloc_objects >= tally->free_objects &&
			 tally->alloc_objects - tally->free_objects >=
			 tally->inuse_objects &&
			 tally->free_objects >= tally->temporary &&
			 tally->inherited_objects >= tally->inherited_frees;
}

static struct sums sum_up(const struct mp_heap *heap)
{
	struct sums sums = { .peaks = true, .objects = true };
	uint64_t dead = 0, total = 0;
	size_t i;

	add_up(&heap->total, &total, &sums);
	for (i = 0; i < heap->blocks.nr_slots; i++)
		if (heap->blocks.list[i].ptr)
			sums.blocks += heap->blocks.list[i].space;
	for (i = 0; i < heap->nr_processes; i++) {
		add_up(&heap->processes[i].tally, heap->processes[i].exit_ns ?
		       &dead : &sums.processes, &sums);
		sums.allocs += heap->processes[i].tally.alloc_objects;
		sums.faults += heap->processes[i].tally.minor_faults;
	}
	/* a dead one that holds something shows up as a difference */
	sums.processes += dead;
	sums.objects &= !dead;
	for (i = 0; i < heap->nr_sites; i++)
		add_up(&heap->sites[i].tally, heap->sites[i].callsite == i ?
		       &sums.sites : &sums.stacks, &sums);
	/* processes keep their growth when they end, cgroups do not */
	for (i = 0; i < heap->nr_cgroups; i++) {
		add_up(&heap->cgroups[i].tally, &sums.cgroups, &sums);
		sums.growth += heap->cgroups[i].tally.growth;
	}
	return sums;
}

#define NR_PIDS		5
#define NR_THREADS	4
#define NR_ADDRS	60

static struct mp_who random_who(uint32_t *seed, uint64_t time_ns)
{
	uint32_t pid = 1 + random_below(seed, NR_PIDS);

	return (struct mp_who){
		.pid = pid,
		.tid = pid * NR_THREADS + random_below(seed, NR_THREADS),
		.cgroup = random_below(seed, 4),
		.time_ns = time_ns,
	};
}

static uint64_t random_ptr(uint32_t *seed)
{
	return random_below(seed, 8) ? A + 8192 * random_below(seed, NR_ADDRS) :
	       0;
}

static struct mp_call random_call(uint32_t *seed)
{
	bool realloc = random_below(seed, 2);
	uint32_t stack = random_below(seed, 20);

	return (struct mp_call){
		.func = realloc ? MEMPROF_FUNC_REALLOC : MEMPROF_FUNC_MALLOC,
		.stack = stack, .callsite = stack / 4,
		.size = random_below(seed, random_below(seed, 2) ? 200 : 8192),
		.old = realloc ? random_ptr(seed) : 0,
		.sp = random_below(seed, 3) ? SP(random_below(seed, 30)) : 0,
	};
}

/* Passes a random event to the heap, which may be impossible in reality. */
static int random_event(struct mp_heap *heap, uint32_t *seed, uint64_t time_ns)
{
	struct mp_who who = random_who(seed, time_ns);
	struct mp_call call = random_call(seed);
	uint64_t ptr = random_ptr(seed);
	uint32_t rare = random_below(seed, 400);

	if (rare == 0)
		return mp_heap_exit(heap, &who, true);
	if (rare == 1)
		return mp_heap_exec(heap, &who);
	if (rare == 2)
		return mp_heap_fork(heap, &who, 1 + random_below(seed, NR_PIDS));
	if (rare < 8)
		return mp_heap_exit(heap, &who, false);
	switch (rare % 8) {
	case 0:
		return mp_heap_alloc(heap, &who, &call, ptr,
				     MP_HEAP_ONE + random_below(seed, 99999),
				     call.size + random_below(seed, 300));
	case 1:
		return mp_heap_realloc(heap, &who, &call, ptr);
	case 2:
		return mp_heap_dealloc(heap, &who, ptr, call.sp, 0);
	case 3:
	case 4:
		return mp_heap_enter(heap, &who, &call);
	case 5:
		return mp_heap_leave(heap, &who, call.func,
				     random_below(seed, 2) ? &call : NULL,
				     ptr, call.sp);
	case 6:
		return mp_heap_fault(heap, &who,
				     random_below(seed, 2) ? &call : NULL,
				     ptr + call.size / 2, 1 + random_below(seed, 9), false);
	default:
		return mp_heap_grow(heap, &who,
				    random_below(seed, 2) ? &call : NULL,
				    random_below(seed, 2),
				    (int64_t)random_below(seed, 10000) - 4000);
	}
}

TEST_F(heap, full_tables_lose_rows_and_no_sums)
{
	uint32_t pid;

	self->heap.limit_processes = 3;
	self->heap.limit_sites = 6;
	for (pid = 1; pid <= 10; pid++) {
		self->who.pid = pid;
		alloc(self, pid, pid, A, 100);
	}
	EXPECT_EQ(4, self->heap.nr_processes);
	EXPECT_EQ(7, self->heap.counts.full_processes);
	EXPECT_EQ(10 * 100, self->heap.total.alloc_space);
	/* whose address is whose is not known there */
	EXPECT_EQ(3 * 100, self->heap.total.inuse_space);
	EXPECT_EQ(7 * 100,
		  self->heap.processes[self->heap.overflow].tally.alloc_space);
	EXPECT_EQ(7 * 100,
		  self->heap.sites[self->heap.dropped].tally.alloc_space);
	for (pid = 1; pid <= 10; pid++) {
		self->who.pid = pid;
		mp_heap_exit(&self->heap, by(self, pid), true);
	}
	EXPECT_EQ(0, self->heap.total.inuse_space);
	EXPECT_EQ(0, self->heap.by_pid.nr);
}

TEST_F(heap, faults_of_many_stacks_leave_half_of_the_sites_to_allocators)
{
	struct mp_call call = { .own = true };
	uint32_t stack;

	self->heap.limit_sites = 40;
	for (stack = 1; stack <= 100; stack++) {
		call.stack = stack;
		call.callsite = stack;
		ASSERT_EQ(0, mp_heap_fault(&self->heap, by(self, 1), &call,
					   stack << 12, 1, false));
		ASSERT_EQ(0, mp_heap_grow(&self->heap, by(self, 1), &call,
					  false, 4096));
	}
	EXPECT_EQ(100, self->heap.total.minor_faults);
	EXPECT_EQ(90, self->heap.sites[self->heap.dropped].tally.other_faults);
	for (stack = 1001; stack <= 1009; stack++)
		alloc(self, 1, stack, stack, 100);
	EXPECT_EQ(0, self->heap.sites[self->heap.dropped].tally.alloc_space);
	EXPECT_EQ(900, self->heap.total.inuse_space);
}

TEST_F(heap, sums_agree_after_whatever_happens)
{
	struct mp_heap *heap = &self->heap;
	struct sums sums;
	uint32_t seed = 5, n;
	uint64_t live;

	for (n = 1; n <= 100000; n++) {
		ASSERT_EQ(0, random_event(heap, &seed, n));
		if (n > 2000 && n % 50)
			continue;
		sums = sum_up(heap);
		live = heap->total.inuse_space;
		ASSERT_EQ(live, sums.blocks) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.processes) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.sites) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.stacks) TH_LOG("after %u", n);
		ASSERT_EQ(live, sums.cgroups) TH_LOG("after %u", n);
		ASSERT_EQ(heap->total.alloc_objects, sums.allocs);
		ASSERT_EQ(heap->total.minor_faults, sums.faults);
		ASSERT_EQ(heap->total.growth, sums.growth);
		ASSERT_TRUE(sums.peaks) TH_LOG("after %u", n);
		ASSERT_TRUE(sums.objects) TH_LOG("after %u", n);
	}
	/* all of it was reached */
	EXPECT_LT(0, heap->counts.nested);
	EXPECT_LT(0, heap->counts.abandoned);
	EXPECT_LT(0, heap->counts.unmatched_exits);
	EXPECT_LT(0, heap->counts.failed_allocs);
	EXPECT_LT(0, heap->counts.failed_reallocs);
	EXPECT_LT(0, heap->counts.unknown_frees);
	EXPECT_LT(0, heap->total.temporary);
	EXPECT_LT(0, heap->counts.too_deep);
	EXPECT_LT(0, live);
	/* the bound is on threads that live */
	EXPECT_GE(NR_PIDS * NR_THREADS, heap->nr_threads);
}

/* Sums over all rows of what they had when everything together was at its peak */
static void add_up_at_peak(const struct mp_heap *heap, uint64_t *processes,
			   uint64_t *sites, uint64_t *stacks)
{
	size_t i;

	*processes = *sites = *stacks = 0;
	for (i = 0; i < heap->nr_processes; i++)
		*processes += mp_heap_at_peak(heap, &heap->processes[i].tally);
	for (i = 0; i < heap->nr_sites; i++)
		*(heap->sites[i].callsite == i ? sites : stacks) +=
			mp_heap_at_peak(heap, &heap->sites[i].tally);
}

/* What a row has of half @i, just after that half's peak has changed */
static uint64_t part_at_peak(const struct mp_heap *heap, const struct mp_tally *tally, int i)
{
	const struct mp_tally_peak *row = &tally->peak;

	/* an exit settles blocks and drops them: only the engine saw the peak */
	if (row->peak[i] == heap->peak[i])
		return row->at_peak[i];
	return i ? row->half[0] : row->exact + row->half[1];
}

/* Against a model that copies all cgroups at each new peak; processes get folded. */
TEST_F(heap, the_peak_is_kept_for_each_row)
{
	struct mp_heap *heap = &self->heap;
	uint64_t processes, sites, stacks, highest, model[2][8] = { { 0 } }, seen[2] = { 0 };
	uint32_t seed = 7, n;
	size_t i;
	int half;

	heap->limit_exited = 3;
	for (n = 1; n <= 50000; n++) {
		ASSERT_EQ(0, random_event(heap, &seed, n));
		if (n == 30000) {
			mp_heap_reset(heap);
			seen[0] = seen[1] = UINT64_MAX;
		}
		for (half = 0; half < 2; half++) {
			if (seen[half] == heap->peak[half])
				continue;
			seen[half] = heap->peak[half];
			for (i = 0; i < heap->nr_cgroups; i++)
				model[half][i] = part_at_peak(heap, &heap->cgroups[i].tally, half);
		}
		if (n % 20)
			continue;
		for (i = 0; i < heap->nr_cgroups && !mp_heap_is_peak(heap); i++)
			ASSERT_EQ(model[0][i] + model[1][i],
				  mp_heap_at_peak(heap, &heap->cgroups[i].tally))
				TH_LOG("after %u", n);
		add_up_at_peak(heap, &processes, &sites, &stacks);
		/* blocks that do not count yet may make more of it */
		highest = mp_heap_is_peak(heap) ? heap->total.inuse_space :
						  mp_tally_highest(&heap->total);
		ASSERT_EQ(highest, mp_heap_at_peak(heap, &heap->total));
		ASSERT_EQ(highest, processes) TH_LOG("after %u", n);
		ASSERT_EQ(highest, sites) TH_LOG("after %u", n);
		ASSERT_EQ(highest, stacks) TH_LOG("after %u", n);
	}
	EXPECT_LT(0, heap->by_sum.nr);
	EXPECT_LT(heap->total.inuse_space, mp_tally_highest(&heap->total));
	EXPECT_LT(0, heap->total.at_exit);
}

/* A sample of a small block that stands for many bytes */
static void sample(FIXTURE_DATA(heap) *self, uint32_t stack, uint64_t ptr, uint64_t space)
{
	const struct mp_call call = { .stack = stack, .callsite = stack, .size = 100 };

	mp_heap_alloc(&self->heap, by(self, 10), &call, ptr, MP_HEAP_ONE, space);
}

/* Blocks of @keeps live; each of @churns stands for much, and is freed at once. */
TEST_F(heap, what_is_freed_at_once_is_not_the_peak)
{
	const uint32_t keeps = 1, churns = 2;
	struct mp_heap *heap = &self->heap;
	uint64_t n, beside = 0;

	for (n = 1; n <= 200; n++) {
		sample(self, keeps, n << 20, 10000);
		sample(self, churns, A, 4000000);
		/* another sample may be taken meanwhile, of any weight */
		if (n % 10 == 0)
			sample(self, churns + 1, B, 4000000);
		beside += heap->total.inuse_space > 4000000;
		dealloc(self, 10, A);
		dealloc(self, 10, B);
	}
	EXPECT_LT(100, beside);
	EXPECT_EQ(200 * 10000, heap->total.inuse_space);
	EXPECT_EQ(200 * 10000, mp_heap_at_peak(heap, &heap->total));
	EXPECT_GE(200 * 10000, mp_tally_highest(&heap->total));
	EXPECT_LE(195 * 10000, mp_tally_highest(&heap->total));
	/* it is counted as allocated */
	EXPECT_EQ(220 * 4000000UL + 200 * 10000, heap->total.alloc_space);
}

/*
 * Blocks that replace each other, of which few are samples: what lives is always the same, but
 * its estimate is not, and the highest estimate is much too high.
 */
TEST_F(heap, the_highest_of_many_estimates_is_not_the_peak)
{
	const uint64_t weight = 10000, nr = 50, moments = 20000;
	uint64_t n, slot, highest = 0, truth = nr * weight, peak;
	struct mp_heap *heap = &self->heap;
	uint32_t seed = 3;

	/* each of @nr * 16 blocks is a sample by one chance of 16, and is replaced in turn */
	for (n = 0; n < moments; n++) {
		slot = n % (nr * 16);
		dealloc(self, 10, (slot + 1) << 12);
		if (random_below(&seed, 16) == 0)
			sample(self, 1, (slot + 1) << 12, weight);
		if (heap->total.inuse_space > highest)
			highest = heap->total.inuse_space;
	}
	peak = mp_tally_highest(&heap->total);
	TH_LOG("%llu, of %llu, the highest estimate is %llu", peak, truth, highest);
	EXPECT_LT(truth * 13 / 10, highest);
	EXPECT_LE(truth * 8 / 10, peak);
	EXPECT_GE(truth * 12 / 10, peak);
}

TEST_F(heap, all_that_lives_at_the_end_is_the_peak)
{
	struct mp_heap *heap = &self->heap;

	sample(self, 1, A, 4000000);
	EXPECT_EQ(0, mp_tally_highest(&heap->total));
	EXPECT_EQ(4000000, mp_heap_at_peak(heap, &heap->total));
	mp_heap_exit(heap, by(self, 10), true);
	EXPECT_EQ(4000000, mp_tally_highest(&heap->total));
	EXPECT_EQ(4000000, mp_heap_at_peak(heap, &heap->total));
	EXPECT_EQ(4000000, heap->total.at_exit);
	EXPECT_EQ(0, mp_tally_settled(&heap->total));
}

TEST_F(heap, what_an_exit_frees_was_not_freed)
{
	alloc(self, 10, 1, A, 300);
	alloc(self, 10, 2, B, 50);
	dealloc(self, 10, A);
	EXPECT_EQ(0, self->heap.total.at_exit);
	mp_heap_exit(&self->heap, by(self, 10), true);
	EXPECT_EQ(50, self->heap.total.at_exit);
	EXPECT_EQ(50, self->heap.processes[0].tally.at_exit);
	EXPECT_EQ(350, mp_heap_at_peak(&self->heap, &self->heap.total));
	EXPECT_EQ(0, self->heap.total.inuse_space);
}

/* When a call has ended, its block is not held any more, so all blocks can be freed. */
TEST_F(heap, every_block_can_be_freed_in_the_end)
{
	struct mp_heap *heap = &self->heap;
	uint32_t seed = 6, n, p, t;
	struct mp_who who;
	uint64_t unknown;

	for (n = 1; n <= 20000; n++)
		ASSERT_EQ(0, random_event(heap, &seed, n));
	for (p = 1; p <= NR_PIDS; p++)
		for (t = 0; t < NR_THREADS; t++) {
			who = (struct mp_who){ .pid = p, .time_ns = n,
					       .tid = p * NR_THREADS + t };
			mp_heap_exit(heap, &who, false);
		}
	unknown = heap->counts.unknown_frees;
	for (n = 0; n < heap->blocks.nr_slots; n++) {
		struct mp_block *block = &heap->blocks.list[n];

		if (!block->ptr)
			continue;
		who.pid = heap->processes[block->process].pid;
		mp_heap_dealloc(heap, &who, block->ptr, 0, 0);
	}
	EXPECT_EQ(unknown, heap->counts.unknown_frees);
	EXPECT_EQ(0, heap->blocks.nr);
	EXPECT_EQ(0, heap->total.inuse_space);
	EXPECT_EQ(0, heap->total.inuse_objects);
}

TEST_HARNESS_MAIN
