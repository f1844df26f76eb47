// SPDX-License-Identifier: GPL-2.0-only
/* Tests with several threads on the same tables; `make tsan` adds ThreadSanitizer. */
#include "bloom.h"
#include "drop-counter.h"
#include "heap-map.h"
#include "memprof_internal.h"
#include "region-file.h"
#include "sampled.h"
#include "stack-table.h"
#include "thread-table.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "kselftest_harness.h"

#define THREADS	4
#ifdef __SANITIZE_THREAD__
#define ROUNDS	10000
#else
#define ROUNDS	100000
#endif

static int wrong;
static int stop;
static pthread_barrier_t barrier;

static void go_wrong(bool really)
{
	if (really)
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void run(void *(*f)(void *))
{
	pthread_t threads[THREADS];
	long i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, f, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void set_up(void)
{
	bloom_init();
	heap_map_init();
	stack_table_init();
}

static void *insert_and_remove(void *arg)
{
	uintptr_t base = ((long)arg + 1) << 32, p;
	struct mp_exact exact = { .weight_bytes = 1 }, out;
	int i, slot;

	for (i = 0; i < ROUNDS; i++) {
		p = base + i % 97 * 16 + 16;
		exact.size = i;
		slot = heap_map_reserve(p);
		go_wrong(slot < 0);
		go_wrong(!mp_heap_map_finalize(slot, p, &exact));
		bloom_add(p);
		go_wrong(!bloom_might_contain(p));
		go_wrong(!mp_heap_map_remove(p, mp_heap_map_seq(), &out));
		go_wrong(out.size != exact.size);
		mp_bloom_remove(p, out.birth_seq);
		if (i % 1000 == 999)
			bloom_rebuild_from_heap();
	}
	return NULL;
}

TEST(distinct_pointers_leave_nothing)
{
	HeapMapEntry *list;
	size_t nr;

	ASSERT_EQ(0, memprof_init(1024));
	run(insert_and_remove);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, mp_heap_map_live());
	ASSERT_EQ(0, memprof_get_snapshot(&list, &nr));
	EXPECT_EQ(0, nr);
	EXPECT_EQ(g_memprof.heap_map_insertions, g_memprof.heap_map_deletions);
}

#define MANY	6000
#define EDGE	512	/* blocks: with more of them a larger window is the first */

static void fill(uintptr_t base, int from, int to)
{
	struct mp_exact exact = { .size = 1 };
	int i;

	for (i = from; i < to; i++) {
		uintptr_t p = base + i * 16;

		go_wrong(!mp_heap_map_finalize(heap_map_reserve(p), p, &exact));
	}
}

static void drain(uintptr_t base, int from, int to)
{
	struct mp_exact out;
	int i;

	for (i = from; i < to; i++)
		go_wrong(!mp_heap_map_remove(base + i * 16, UINT64_MAX, &out));
}

/* One thread changes the number of blocks around the limit where first_window() changes. */
static void *allocate_at_the_edge(void *arg)
{
	uintptr_t base = ((long)arg + 2) << 32;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		int nr = arg ? 1 : 8;

		fill(base, i % 97, i % 97 + nr);
		drain(base, i % 97, i % 97 + nr);
	}
	return NULL;
}

TEST(no_window_is_left_out_while_others_allocate)
{
	uintptr_t base = 1L << 32;

	set_up();
	fill(base, 0, MANY);
	drain(base, EDGE - 4, MANY);
	run(allocate_at_the_edge);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(EDGE - 4, mp_heap_map_live());
}

static int frees;

/* One thread inserts a block, and all threads free it: exactly one free succeeds. */
static void *free_twice(void *arg)
{
	struct mp_exact exact;
	int i, slot;

	for (i = 0; i < ROUNDS / 4; i++) {
		if (!arg) {
			slot = heap_map_reserve(0x1000);
			heap_map_finalize(slot, 0x1000, 1);
		}
		pthread_barrier_wait(&barrier);
		if (mp_heap_map_remove(0x1000, UINT64_MAX, &exact))
			__atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

TEST(a_double_free_succeeds_once)
{
	set_up();
	run(free_twice);
	EXPECT_EQ(ROUNDS / 4, frees);
	EXPECT_EQ(0, mp_heap_map_live());
}

static int slot_of_race;

/* A block is freed while it is finalized. The free must find it in both states. */
static void *free_races_finalize(void *arg)
{
	struct mp_exact exact = { .size = 5 };
	int i;

	for (i = 0; i < ROUNDS / 4; i++) {
		if (!arg)
			slot_of_race = heap_map_reserve(0x1000);
		pthread_barrier_wait(&barrier);
		if (!arg)
			mp_heap_map_finalize(slot_of_race, 0x1000, &exact);
		else if ((long)arg == 1 &&
			 mp_heap_map_remove(0x1000, UINT64_MAX, &exact))
			__atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

TEST(a_free_that_races_finalize_is_never_lost)
{
	set_up();
	run(free_races_finalize);
	EXPECT_EQ(ROUNDS / 4, frees);
	EXPECT_EQ(0, mp_heap_map_live());
}

/* Stacks that are read must be complete: each frame has the number of its stack. */
static void *intern_and_read(void *arg)
{
	uintptr_t frames[20];
	const StackEntry *e;
	uint32_t id, r = (long)arg;
	int i, f;

	for (i = 0; i < ROUNDS / 3; i++) {
		r = r * 1103515245 + 12345;
		for (f = 0; f < 20; f++)
			frames[f] = (r >> 18) + f;
		id = stack_table_intern(frames, 20, mp_stack_hash(frames, 20));
		/* nobody waits for one who makes room */
		go_wrong(id == UINT32_MAX &&
			 !mp_drop_counter_value(MP_COUNT_stack_table_busy_drops));
		id = (r >> 8) % (g_memprof.stack_count + 1);
		e = stack_table_get(id);
		if (!e)
			continue;
		go_wrong(e->depth != 20);
		for (f = 0; f < 20; f++)
			go_wrong(e->frames[f] != e->frames[0] + f);
	}
	return NULL;
}

TEST(half_written_stacks_are_never_seen)
{
	set_up();
	run(intern_and_read);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, g_memprof.stack_table_full_drops);
	EXPECT_LT(1000, g_memprof.stack_count);
}

/* While threads rebuild the filter, it must contain all live blocks at any time. */
static void *rebuild_or_ask(void *arg)
{
	uintptr_t base = ((long)arg + 1) << 32, p;
	struct mp_exact exact = { 0 };
	int i, slot;

	for (i = 0; i < ROUNDS / 4; i++) {
		if (!arg) {
			bloom_rebuild_from_heap();
			if (__atomic_load_n(&stop, __ATOMIC_RELAXED) == 3)
				break;
			i = 0;
			continue;
		}
		p = base + i * 64 + 64;
		slot = heap_map_reserve(p);
		mp_heap_map_finalize(slot, p, &exact);
		bloom_add(p);
		go_wrong(!bloom_might_contain(p) || !mp_bloom_first_bit(p));
		if (i < 100)
			continue;
		p -= 100 * 64;
		go_wrong(!bloom_might_contain(p) || !mp_bloom_first_bit(p));
		go_wrong(!mp_heap_map_remove(p, UINT64_MAX, &exact));
		mp_bloom_remove(p, exact.birth_seq);
	}
	__atomic_fetch_add(&stop, 1, __ATOMIC_RELAXED);
	return NULL;
}

TEST(the_filter_misses_nothing_while_it_is_rebuilt)
{
	set_up();
	run(rebuild_or_ask);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(1, g_memprof.bloom_rebuilds);
}

static __attribute__((noinline)) void sample(uintptr_t p, size_t size)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();

	mp_thread_find()->byte_counter = 0;
	mp_thread_find()->rate = g_memprof.sampling_rate;
	mp_sample_alloc((void *)p, size, MEMPROF_REGION_HEAP, regs);
}

/* All parts of the sampler at once, while one thread takes snapshots. */
static void *sample_all(void *arg)
{
	uintptr_t base = ((long)arg + 1) << 32;
	HeapMapEntry *list;
	MemProfStats stats;
	size_t nr;
	int i;

	for (i = 0; i < ROUNDS / 4; i++) {
		sample(base + i * 16 + 16, 100);
		if (i >= 50)
			mp_sample_free((void *)(base + (i - 50) * 16 + 16));
		if (arg || i % 100)
			continue;
		go_wrong(memprof_get_snapshot(&list, &nr));
		/* not of one moment, but each of them whole */
		while (nr--)
			go_wrong(METADATA_SIZE(list[nr].metadata) != 100 ||
				 !list[nr].ptr || list[nr].ptr % 16);
		memprof_free_snapshot(list);
		memprof_get_stats(&stats);
	}
	return NULL;
}

#define STARTS	(ROUNDS / 2)

static int turn, stopped;

/* Where CPUs take turns, the other one runs when this one sleeps. */
static void wait_for_turn(int wanted)
{
	int i;

	for (i = 1; __atomic_load_n(&turn, __ATOMIC_ACQUIRE) != wanted; i++)
		if (i % 1000 == 0)
			usleep(1);
}

static void *stop_often(void *arg)
{
	int i;

	for (i = 1; i <= STARTS; i++) {
		wait_for_turn(i);
		stopped = memprof_stop();
		__atomic_store_n(&turn, -i, __ATOMIC_RELEASE);
	}
	return arg;
}

TEST(who_stops_what_is_being_started_has_stopped_it)
{
	pthread_t thread;
	int i, started;

	ASSERT_EQ(0, memprof_init(1024));
	pthread_create(&thread, NULL, stop_often, NULL);
	for (i = 1; i <= STARTS; i++) {
		__atomic_store_n(&turn, i, __ATOMIC_RELEASE);
		started = memprof_start();
		wait_for_turn(-i);
		go_wrong(started);
		go_wrong(mp_active_alloc() != (stopped != 0));
		go_wrong(g_memprof.active_alloc != (stopped != 0));
		memprof_stop();
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(0, wrong);
}

TEST(samples_from_all_threads_add_up)
{
	ASSERT_EQ(0, memprof_init(1024));
	ASSERT_EQ(0, memprof_start());
	run(sample_all);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(THREADS * (ROUNDS / 4), g_memprof.total_samples);
	EXPECT_EQ(THREADS * 50, mp_heap_map_live());
	EXPECT_EQ(THREADS * 50, mp_region->total.allocs - mp_region->total.frees);
	EXPECT_EQ(0, mp_region->dropped.allocs);
}

TEST_HARNESS_MAIN
