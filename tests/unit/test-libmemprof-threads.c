// SPDX-License-Identifier: GPL-2.0-only
/* The table of threads' states: who gets which, and what a later thread takes over. */
#include "drop-counter.h"
#include "fork-watch.h"
#include "memprof_internal.h"
#include "region-file.h"
#include "sampled.h"
#include "sampler.h"
#include "stack-bounds.h"
#include "thread-table.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"

#define NR_THREADS	200
#define NR_PLACES	(1 << MP_THREAD_BITS)

static MemProfThreadState *states[NR_THREADS];
static pthread_barrier_t barrier;

static void *find_own(void *arg)
{
	long i = (long)arg;

	states[i] = mp_thread_find();
	states[i]->total_allocs = i + 1;
	pthread_barrier_wait(&barrier);
	/* found again, also in a place that is not the first */
	if (mp_thread_find() != states[i] || states[i]->total_allocs != (uint64_t)i + 1)
		states[i] = NULL;
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[NR_THREADS];
	pthread_attr_t attr;
	long i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], &attr, find_own, (void *)i))
			abort();
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

TEST(threads_at_the_same_time_have_different_states)
{
	int i, k;

	run_threads();
	for (i = 0; i < NR_THREADS; i++) {
		ASSERT_NE(NULL, states[i]);
		for (k = 0; k < i; k++)
			ASSERT_NE(states[k], states[i]);
	}
}

/* Takes the first places of the calling thread. */
static void take_places(int nr)
{
	const size_t first = mp_thread_first() - mp_threads;
	int i;

	memset(mp_threads, 0, sizeof(mp_threads));
	for (i = 0; i < nr; i++)
		mp_threads[(first + i) % NR_PLACES].pointer = 1;
}

TEST(a_thread_whose_first_place_is_taken_is_sampled)
{
	MemProfThreadState *t;

	take_places(3);
	t = mp_thread_find();
	EXPECT_EQ(&mp_threads[(mp_thread_first() - mp_threads + 3) % NR_PLACES].state, t);
	t->byte_counter = 100;
	EXPECT_EQ(true, mp_sampler_counts_down(30));
	EXPECT_EQ(false, mp_sampler_ended(30));
	EXPECT_EQ(70, t->byte_counter);
	EXPECT_EQ(true, mp_sampler_counts_down(70));
	EXPECT_EQ(true, mp_sampler_ended(70));
	EXPECT_EQ(0, t->byte_counter);
}

TEST(a_thread_at_its_first_place_counts_once)
{
	MemProfThreadState *t;

	take_places(0);
	t = mp_thread_find();
	EXPECT_EQ(&mp_thread_first()->state, t);
	t->byte_counter = 100;
	EXPECT_EQ(false, mp_sampler_counts_down(30));
	EXPECT_EQ(70, t->byte_counter);
	EXPECT_EQ(true, mp_sampler_counts_down(70));
	EXPECT_EQ(true, mp_sampler_ended(70));
}

TEST(a_thread_without_a_place_is_counted)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();

	ASSERT_EQ(0, memprof_init(1));
	ASSERT_EQ(0, memprof_start());
	take_places(NR_PLACES);
	EXPECT_EQ(NULL, mp_thread_find());
	EXPECT_EQ(true, mp_sampler_counts_down(30));
	EXPECT_EQ(false, mp_sampler_ended(30));
	EXPECT_EQ(1, mp_drop_counter_value(MP_COUNT_thread_table_full_drops));
	/* and nothing fails that needs a state */
	mp_sample_alloc((void *)0x1000, 30, MEMPROF_REGION_HEAP, regs);
	EXPECT_EQ(0, g_memprof.total_samples);
	mp_sample_free((void *)0x1000);
	EXPECT_LT(0, next_sample_threshold(100));
}

static int dead_tid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static __attribute__((noinline)) void sample(void)
{
	struct mp_registers regs = MP_CALLERS_REGISTERS();

	mp_thread_find()->byte_counter = 0;
	mp_thread_find()->rate = 1;
	mp_sample_alloc((void *)0x1000, 30, MEMPROF_REGION_HEAP, regs);
}

/* A thread was cancelled in a sample; the next one has its state. */
TEST(a_dead_threads_sample_does_not_stop_the_next_thread)
{
	ASSERT_EQ(0, memprof_init(1));
	ASSERT_EQ(0, memprof_start());
	mp_thread_find()->inside_profiler = 1;
	mp_thread_find()->tid = gettid();
	sample();
	EXPECT_EQ(0, g_memprof.total_samples);
	EXPECT_EQ(1, mp_drop_counter_value(MP_COUNT_samples_skipped_reentrant));
	mp_thread_find()->tid = dead_tid();
	sample();
	EXPECT_EQ(1, g_memprof.total_samples);
	EXPECT_EQ(0, mp_thread_find()->inside_profiler);
}

/* A thread with a longer stack had the state before: what is above may be gone. */
TEST(a_later_threads_stack_is_found_anew)
{
	MemProfThreadState *t = mp_thread_find();
	char *stack = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t sp = (uintptr_t)stack + 100;

	t->tid = gettid();
	EXPECT_EQ((uintptr_t)stack + 4096, mp_stack_end(t, sp));
	EXPECT_EQ((uintptr_t)stack + 2 * 4096, mp_stack_reach(t, sp + 4096));
	EXPECT_EQ((uintptr_t)stack + 2 * 4096, mp_stack_end(t, sp));
	munmap(stack + 4096, 2 * 4096);
	t->tid = dead_tid();
	EXPECT_EQ((uintptr_t)stack + 4096, mp_stack_end(t, sp));
	EXPECT_EQ((uintptr_t)stack + 4096, mp_stack_reach(t, sp + 4096));
	EXPECT_EQ(gettid(), t->tid);
}

static size_t resident_places(void)
{
	static unsigned char pages[sizeof(mp_threads) / 4096];
	size_t i, nr = 0;

	mincore(mp_threads, sizeof(mp_threads), pages);
	for (i = 0; i < sizeof(pages); i++)
		nr += pages[i] & 1;
	return nr;
}

TEST(unused_places_take_no_memory)
{
	mp_threads_begin();
	EXPECT_EQ(0, resident_places());
	ASSERT_NE(NULL, mp_thread_find());
	EXPECT_EQ(1, resident_places());
	EXPECT_EQ(0, mp_thread_find()->rate);
}

TEST_HARNESS_MAIN
