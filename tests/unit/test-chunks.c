// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of chunks: what is free inside malloc of a child, beside what its malloc says.
 */
#include "chunks.h"
#include "clock.h"
#include "mappings.h"
#include "page-walk.h"
#include "smaps.h"

#include "kselftest_harness.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define NR_BLOCKS	100000
#define BLOCK		200
#define SMALL_BLOCK	100

/* One of so many blocks lives. */
#define DENSE		4
#define SPARSE		200

/* Pages at the borders, a thread's cache, and what a child has anyway */
#define ERROR		(512 << 10)

static void *blocks[NR_BLOCKS];

/* What a child says: its malloc's own numbers, and RSS before and after malloc_trim() */
struct told {
	struct mallinfo2 info;
	uint64_t before, after;
};

static void allocate(size_t size)
{
	int i;

	/* blocks must not get mappings of their own, and free() must not trim */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	for (i = 0; i < NR_BLOCKS; i++) {
		blocks[i] = malloc(size);
		memset(blocks[i], 1, size);
	}
}

static void free_but(int step)
{
	int i;

	for (i = 0; i < NR_BLOCKS; i++)
		if (i % step)
			free(blocks[i]);
}

static void *run_dense(void *unused)
{
	allocate(BLOCK);
	free_but(DENSE);
	return unused;
}

static void *run_sparse(void *unused)
{
	allocate(BLOCK);
	free_but(SPARSE);
	return unused;
}

/* Small blocks wait in fast bins: they are marked as in use. */
static void *run_small(void *unused)
{
	allocate(SMALL_BLOCK);
	free_but(SPARSE);
	return unused;
}

/* The heap of a thread's arena stays while another block of it lives. */
static void *run_in_thread(void *unused)
{
	allocate(BLOCK);
	free_but(DENSE);
	raise(SIGSTOP);
	return unused;
}

static uint64_t resident(void)
{
	struct mp_row row = { 0 };

	mp_smaps_sums(getpid(), &row);
	return row.value[MP_RESIDENT];
}

/* Stops twice: when all is freed, and when it has told what malloc says. */
static void be_child(void *(*run)(void *), bool in_thread, struct told *told)
{
	pthread_t thread;

	if (in_thread)
		pthread_create(&thread, NULL, run, NULL);
	else
		run(NULL);
	if (in_thread)
		pthread_join(thread, NULL);
	else
		raise(SIGSTOP);
	told->info = mallinfo2();
	told->before = resident();
	malloc_trim(0);
	told->after = resident();
	raise(SIGSTOP);
	_exit(0);
}

FIXTURE(chunks)
{
	struct mp_process_memory memory;
	struct told *told;
	pid_t child;
};

FIXTURE_SETUP(chunks)
{
	self->told = mmap(NULL, sizeof(*self->told), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->told);
}

FIXTURE_TEARDOWN(chunks)
{
	mp_process_memory_close(&self->memory);
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
}

#define START(run, in_thread)						\
	do {								\
		self->child = fork();					\
		if (!self->child)					\
			be_child(run, in_thread, self->told);		\
		waitpid(self->child, NULL, WUNTRACED);			\
	} while (0)

static void walk_child(struct mp_process_memory *memory, pid_t child, uint64_t end_ns,
		       struct mp_chunks *chunks)
{
	const struct mp_page_walk walk = { 0 };
	struct mp_mappings mappings = { 0 };
	struct mp_pages pages = { 0 };
	const struct mp_chunks_walk chunks_walk = {
		.memory = memory, .pid = child, .pages = &pages, .end_ns = end_ns,
	};

	if (!mp_mappings_read(child, &mappings) &&
	    !mp_page_walk(&walk, child, &mappings, &pages))
		mp_chunks_walk(&chunks_walk, chunks);
	mp_pages_free(&pages);
	mp_mappings_free(&mappings);
}

static uint64_t soon(void)
{
	return mp_clock_ns() + 5000000000ULL;
}

static void go_on(pid_t child)
{
	kill(child, SIGCONT);
	waitpid(child, NULL, WUNTRACED);
}

#define EXPECT_NEAR(expected, found)					\
	do {								\
		EXPECT_LT((expected), (found) + ERROR);			\
		EXPECT_LT((found), (expected) + ERROR);			\
	} while (0)

static uint64_t given_back(const struct told *told)
{
	return told->before > told->after ? told->before - told->after : 0;
}

TEST_F(chunks, what_is_free_between_living_blocks)
{
	struct mp_chunks chunks;

	START(run_dense, false);
	walk_child(&self->memory, self->child, soon(), &chunks);
	go_on(self->child);
	EXPECT_NEAR(self->told->info.fordblks, chunks.free);
	EXPECT_NEAR(self->told->info.uordblks, chunks.used);
	EXPECT_NEAR(given_back(self->told), chunks.trim);
	/* each page has a living block */
	EXPECT_LT(chunks.trim, ERROR);
	EXPECT_LT(NR_BLOCKS * BLOCK / 2, chunks.free);
	EXPECT_EQ(0, chunks.unknown);
}

TEST_F(chunks, what_malloc_trim_would_give_back)
{
	struct mp_chunks chunks;

	START(run_sparse, false);
	walk_child(&self->memory, self->child, soon(), &chunks);
	go_on(self->child);
	EXPECT_NEAR(self->told->info.fordblks, chunks.free);
	EXPECT_NEAR(given_back(self->told), chunks.trim);
	EXPECT_LT(NR_BLOCKS * BLOCK / 2, chunks.trim);
	/* these pages are not counted any more */
	walk_child(&self->memory, self->child, soon(), &chunks);
	EXPECT_LT(chunks.trim, ERROR);
	EXPECT_LT(chunks.free, NR_BLOCKS * BLOCK / 2);
}

TEST_F(chunks, small_blocks_that_were_freed)
{
	struct mp_chunks chunks;

	START(run_small, false);
	walk_child(&self->memory, self->child, soon(), &chunks);
	go_on(self->child);
	EXPECT_LT(ERROR, self->told->info.fsmblks);
	EXPECT_NEAR(self->told->info.fordblks, chunks.free);
	EXPECT_NEAR(given_back(self->told), chunks.trim);
	EXPECT_LT(NR_BLOCKS * SMALL_BLOCK / 2, chunks.trim);
}

TEST_F(chunks, heaps_of_threads)
{
	struct mp_chunks chunks;

	START(run_in_thread, true);
	walk_child(&self->memory, self->child, soon(), &chunks);
	go_on(self->child);
	EXPECT_NEAR(self->told->info.fordblks, chunks.free);
	EXPECT_NEAR(self->told->info.uordblks, chunks.used);
	EXPECT_EQ(0, chunks.unknown);
}

TEST_F(chunks, a_heap_that_no_time_was_for_is_not_known)
{
	struct mp_chunks chunks;

	START(run_dense, false);
	walk_child(&self->memory, self->child, mp_clock_ns() - 1, &chunks);
	EXPECT_EQ(0, chunks.free + chunks.used);
	EXPECT_LT(NR_BLOCKS * BLOCK, chunks.unknown);
}

/* Caches of threads: malloc_trim() leaves them alone. */
#define NR_CACHED	7
#define NR_SIZES	40

static void *run_nothing(void *unused)
{
	return unused;
}

static void *run_cached(void *unused)
{
	static void *cached[NR_SIZES][NR_CACHED];
	int i, j;

	for (i = 0; i < NR_SIZES; i++)
		for (j = 0; j < NR_CACHED; j++)
			cached[i][j] = memset(malloc((size_t)200 + 16 * i), 1, 200);
	for (i = 0; i < NR_SIZES; i++)
		for (j = 0; j < NR_CACHED; j++)
			free(cached[i][j]);
	return unused;
}

TEST_F(chunks, blocks_in_a_cache_are_free_and_stay)
{
	struct mp_chunks chunks, none;

	START(run_nothing, false);
	walk_child(&self->memory, self->child, soon(), &none);
	kill(self->child, SIGKILL);
	waitpid(self->child, NULL, 0);
	START(run_cached, false);
	walk_child(&self->memory, self->child, soon(), &chunks);
	EXPECT_LT(none.free + NR_CACHED * NR_SIZES * 200, chunks.free);
	EXPECT_LT(chunks.trim, none.trim + NR_CACHED * NR_SIZES * 200);
}

/* Memory that looks like the begin of a heap, and is none */
static void *run_hostile(void *unused)
{
	const size_t heap = 64 << 20;
	const uintptr_t at = (uintptr_t)mmap(NULL, 2 * heap, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *words = (uint64_t *)((at + heap - 1) & ~(heap - 1)), *end = words + 8192, *word;

	words[0] = (uintptr_t)words + 8;
	words[2] = words[3] = 65536;
	for (word = words + 4; word < end; word++)
		*word = (uint64_t)random() << 32 | (uint64_t)random();
	/* the break, too: sizes that lead nowhere */
	word = sbrk(4096);
	*word = 0;
	free(malloc(100));
	return unused;
}

TEST_F(chunks, headers_that_are_none)
{
	struct mp_chunks chunks;

	START(run_hostile, false);
	walk_child(&self->memory, self->child, soon(), &chunks);
	/* of the heap that is beside them, something is found */
	EXPECT_LT(0, chunks.used);
	EXPECT_LT(chunks.free, ERROR);
	EXPECT_LT(chunks.used, ERROR);
}

TEST_HARNESS_MAIN
