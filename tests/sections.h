/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests of sections, for the kernel module and for the library.
 *
 * A test program defines SECTION_SHARE before it includes this file: at most
 * 1/SECTION_SHARE of the time that the calls themselves take may be charged to
 * sections. Then it adds variants of the fixture.
 */
#ifndef TEST_SECTIONS_H
#define TEST_SECTIONS_H

#include "kselftest_harness.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * The functions to test. They return 0 or a negative errno. flush writes the text of
 * the completed sections and returns their number.
 */
struct section_ops {
	int (*start)(const char *id, size_t len, uint64_t heap, uint64_t cu);
	int (*end)(const char *id, size_t len, uint64_t heap, uint64_t cu);
	int (*start_time)(const char *id);
	int (*end_time)(const char *id);
	int (*start_instructions)(const char *id);
	int (*end_instructions)(const char *id);
	int (*flush)(FILE *to);
	int (*invoke)(void);
	int (*leave)(void);
	void (*gauge_time)(void);	/* measures the cost of calls again */
};

static char flushed_text[1 << 20];

/* Flushes, and returns the text that the flush wrote. */
static const char *flushed(const struct section_ops *ops)
{
	FILE *file = tmpfile();
	size_t len;

	if (!file || ops->flush(file) < 0)
		return "failed";
	fflush(file);
	rewind(file);
	len = fread(flushed_text, 1, sizeof(flushed_text) - 1, file);
	flushed_text[len] = '\0';
	fclose(file);
	return flushed_text;
}

#define START(id, cu) variant->ops->start(id, strlen(id), 0, cu)
#define END(id, cu) variant->ops->end(id, strlen(id), 0, cu)
#define FLUSHED() flushed(variant->ops)

struct section_thread {
	pthread_t thread;
	const struct section_ops *ops;
	int number;
	int wrong;
};

static void *section_thread(void *arg)
{
	struct section_thread *thread = arg;
	const struct section_ops *ops = thread->ops;
	uint64_t cu = 1000000;
	char id[16];
	int i;

	snprintf(id, sizeof(id), "thread %d", thread->number);
	thread->wrong = 0;
	for (i = 0; i < 1000; i++) {
		thread->wrong |= ops->start(id, strlen(id), 0, cu);
		thread->wrong |= ops->end("mine", 4, 0, cu) != -ENOENT;
		thread->wrong |= ops->end(id, strlen(id), 0, cu - 1);
	}
	/* this section is still open when the thread exits */
	thread->wrong |= ops->start(id, strlen(id), 0, cu);
	return NULL;
}

static const struct section_ops *handler_ops;
static volatile int handler_ran, handler_wrong;

static void section_handler(int number)
{
	int saved = errno;

	(void)number;
	handler_wrong |= handler_ops->start("handler", 7, 0, 4);
	handler_wrong |= handler_ops->end("handler", 7, 0, 3);
	handler_ran++;
	errno = saved;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000UL + now.tv_nsec;
}

/* Opens the test's own counter of this thread's instructions in user mode. */
static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static bool is_counted(void)
{
	int counter = open_counter();

	if (counter >= 0)
		close(counter);
	return counter >= 0;
}

static uint64_t shown(int counter)
{
	uint64_t value = 0;

	return read(counter, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/* Executes two instructions per round. */
static void *run_rounds(void *arg)
{
	unsigned long rounds = (unsigned long)arg;

#ifdef __x86_64__
	asm volatile("1: dec %0; jnz 1b" : "+r"(rounds) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1: subs %0, %0, 1; b.ne 1b" : "+r"(rounds) : : "cc");
#endif
	return (void *)rounds;
}

static void touch_1000_pages(void)
{
	char *p = mmap(NULL, 1000 * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	madvise(p, 1000 * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < 1000; i++)
		((volatile char *)p)[i * 4096] = 1;
	munmap(p, 1000 * 4096);
}

/* Returns how many instructions are charged to a section with @rounds; 0 on errors. */
static uint64_t instructions_of(const struct section_ops *ops, long rounds)
{
	uint64_t total = 0;

	if (ops->start_instructions("rounds"))
		return 0;
	if (rounds)
		run_rounds((void *)rounds);
	if (ops->end_instructions("rounds"))
		return 0;
	sscanf(flushed(ops), "CU log:  1 rounds consumed %lu CU", &total);
	return total;
}

/* Flushes, and returns the total of the section @id; UINT64_MAX if it is missing. */
static uint64_t total_of(const struct section_ops *ops, const char *id)
{
	const char *line = strstr(flushed(ops), id);
	uint64_t total = UINT64_MAX;

	if (line)
		sscanf(line + strlen(id), " consumed %lu CU", &total);
	return total;
}

/* @percent: limit of the share of the calls' own instructions that may be charged */
static void count_instructions(struct __test_metadata *_metadata,
			       const struct section_ops *ops, int percent)
{
	uint64_t none, one, two, spent, total;
	int i, counter = open_counter();
	pthread_t thread;

	none = instructions_of(ops, 0);
	one = instructions_of(ops, 1000000);
	two = instructions_of(ops, 2000000);
	TH_LOG("of 0, 1 and 2 million rounds of 2: %lu, %lu, %lu", none, one,
	       two);
	EXPECT_GE(none, 1);
	EXPECT_GT(1000, none);
	EXPECT_GE(one, 2000000);
	EXPECT_GT(2020000, one);
	EXPECT_GE(two, 4000000);
	EXPECT_GT(4040000, two);

	/* one section with 2000 children: the calls' own instructions are not charged */
	ASSERT_LE(0, counter);
	spent = shown(counter);
	ASSERT_EQ(0, ops->start_instructions("all"));
	for (i = 0; i < 2000; i++) {
		ops->start_instructions("one");
		ops->end_instructions("one");
	}
	ASSERT_EQ(0, ops->end_instructions("all"));
	spent = shown(counter) - spent;
	close(counter);
	total = total_of(ops, " all");
	TH_LOG("4000 calls took %lu, of which %lu charged", spent, total);
	EXPECT_GT(spent * percent / 100, total);

	/* instructions in the kernel are not counted */
	ASSERT_EQ(0, ops->start_instructions("pages"));
	touch_1000_pages();
	ASSERT_EQ(0, ops->end_instructions("pages"));
	total = total_of(ops, " pages");
	TH_LOG("1000 pages: %lu", total);
	EXPECT_GE(total, 1000);
	EXPECT_GT(50000, total);

	/* instructions of other threads are not counted */
	ASSERT_EQ(0, ops->start_instructions("thread"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, run_rounds,
				    (void *)10000000L));
	pthread_join(thread, NULL);
	ASSERT_EQ(0, ops->end_instructions("thread"));
	total = total_of(ops, " thread");
	TH_LOG("a thread's end: %lu", total);
	EXPECT_GT(200000, total);
}

FIXTURE(sections)
{
};

FIXTURE_VARIANT(sections)
{
	const struct section_ops *ops;
};

FIXTURE_SETUP(sections)
{
}

FIXTURE_TEARDOWN(sections)
{
}

TEST_F(sections, the_first_example_of_the_specification)
{
	START("outer", 1000);
	START("inner", 900);
	END("inner", 800);
	END("outer", 700);
	EXPECT_STREQ("CU log:  1 inner consumed    100 CU (net    100 CU)\n"
		     "CU log:  2 outer consumed    300 CU (net    200 CU)\n",
		     FLUSHED());
	EXPECT_STREQ("", FLUSHED());
}

TEST_F(sections, the_heap_example_of_the_specification)
{
	const struct section_ops *ops = variant->ops;

	ops->start("outer", 5, 1000, 5000);
	ops->start("inner", 5, 1200, 4500);
	ops->end("inner", 5, 1400, 4000);
	ops->end("outer", 5, 1600, 3500);
	EXPECT_STREQ("CU log:  1 inner consumed    500 CU (net    500 CU)\n"
		     "HEAP :   200 heap (net   200 heap) remaining  1400\n"
		     "CU log:  2 outer consumed   1500 CU (net   1000 CU)\n"
		     "HEAP :   600 heap (net   400 heap) remaining  1600\n",
		     FLUSHED());
	/* if the heap is known at one end only, no line of heap is written */
	ops->start("half", 4, 1000, 10);
	ops->end("half", 4, 0, 9);
	EXPECT_STREQ("CU log:  1 half consumed      1 CU (net      1 CU)\n",
		     FLUSHED());
}

TEST_F(sections, only_direct_children_are_subtracted)
{
	START("a", 1000);
	START("b", 900);
	START("c", 800);
	END("c", 700);
	END("b", 600);
	END("a", 500);
	EXPECT_STREQ("CU log:  1 c consumed    100 CU (net    100 CU)\n"
		     "CU log:  2 b consumed    300 CU (net    200 CU)\n"
		     "CU log:  3 a consumed    500 CU (net    200 CU)\n",
		     FLUSHED());
}

TEST_F(sections, crossing_ones_subtract_nothing_of_each_other)
{
	START("A", 1000);
	START("B", 900);
	END("A", 700);
	END("B", 500);
	EXPECT_STREQ("CU log:  1 A consumed    300 CU (net    300 CU)\n"
		     "CU log:  2 B consumed    400 CU (net    400 CU)\n",
		     FLUSHED());
}

TEST_F(sections, an_end_is_of_the_last_start_of_that_id)
{
	START("x", 100);
	START("x", 90);
	END("x", 85);
	EXPECT_EQ(-ENOENT, END("y", 80));
	END("x", 70);
	EXPECT_EQ(-ENOENT, END("x", 60));
	EXPECT_STREQ("CU log:  1 x consumed      5 CU (net      5 CU)\n"
		     "CU log:  2 x consumed     30 CU (net     25 CU)\n",
		     FLUSHED());
}

TEST_F(sections, an_open_one_waits_for_the_flush_after_its_end)
{
	START("a", 100);
	START("b", 90);
	END("b", 80);
	EXPECT_STREQ("CU log:  1 b consumed     10 CU (net     10 CU)\n",
		     FLUSHED());
	END("a", 50);
	EXPECT_STREQ("CU log:  1 a consumed     50 CU (net     40 CU)\n",
		     FLUSHED());
}

TEST_F(sections, an_id_is_any_bytes)
{
	const struct section_ops *ops = variant->ops;
	static const char zero[] = "a\0b";

	START("two words", 10);
	END("two words", 9);
	START("h\xc3\xb6he \xe2\x82\xac", 9);
	END("h\xc3\xb6he \xe2\x82\xac", 7);
	ops->start("", 0, 0, 7);
	ops->end("", 0, 0, 4);
	ops->start(zero, 3, 0, 4);
	EXPECT_EQ(-ENOENT, ops->end("a", 1, 0, 4));
	ops->end(zero, 3, 0, 0);
	START("\x1b[1m", 8);
	END("\x1b[1m", 3);
	EXPECT_STREQ("CU log:  1 two words consumed      1 CU (net      1 CU)\n"
		     "CU log:  2 h\xc3\xb6he \xe2\x82\xac consumed      2 CU (net      2 CU)\n"
		     "CU log:  3  consumed      3 CU (net      3 CU)\n"
		     "CU log:  4 a\\x00b consumed      4 CU (net      4 CU)\n"
		     "CU log:  5 \\x1b[1m consumed      5 CU (net      5 CU)\n",
		     FLUSHED());
}

TEST_F(sections, values_reach_to_the_last_bit)
{
	const struct section_ops *ops = variant->ops;

	ops->start("all", 3, 1, UINT64_MAX);
	ops->end("all", 3, UINT64_MAX, 0);
	/* a negative difference is reported as 0 */
	ops->start("back", 4, UINT64_MAX, 0);
	ops->end("back", 4, 1, UINT64_MAX);
	EXPECT_STREQ("CU log:  1 all consumed 18446744073709551615 CU (net 18446744073709551615 CU)\n"
		     "HEAP : 18446744073709551614 heap (net 18446744073709551614 heap) remaining 18446744073709551615\n"
		     "CU log:  2 back consumed      0 CU (net      0 CU)\n"
		     "HEAP :     0 heap (net     0 heap) remaining     1\n",
		     FLUSHED());
}

TEST_F(sections, ten_thousand_in_a_flush)
{
	char line[100], id[16];
	FILE *file = tmpfile();
	int i;

	for (i = 1; i <= 10000; i++) {
		snprintf(id, sizeof(id), "number %d", i);
		ASSERT_EQ(0, START(id, 100000));
		ASSERT_EQ(0, END(id, 100000 - i));
	}
	ASSERT_EQ(10000, variant->ops->flush(file));
	rewind(file);
	for (i = 1; i <= 10000; i++) {
		snprintf(flushed_text, sizeof(flushed_text),
			 "CU log: %2d number %d consumed %6d CU (net %6d CU)\n",
			 i, i, i, i);
		ASSERT_NE(NULL, fgets(line, sizeof(line), file));
		ASSERT_STREQ(flushed_text, line);
	}
	EXPECT_EQ(NULL, fgets(line, sizeof(line), file));
	fclose(file);
	/* the indices of the next flush begin at 1 again */
	START("a", 1);
	END("a", 0);
	EXPECT_STREQ("CU log:  1 a consumed      1 CU (net      1 CU)\n",
		     FLUSHED());
}

TEST_F(sections, each_limit_has_an_error_of_its_own)
{
	const struct section_ops *ops = variant->ops;
	char id[256] = { 'i' };
	int i;

	EXPECT_EQ(0, ops->start(id, 255, 0, 1));
	EXPECT_EQ(-ENAMETOOLONG, ops->start(id, 256, 0, 1));
	EXPECT_EQ(0, ops->end(id, 255, 0, 1));
	for (i = 0; i < 128; i++)
		ASSERT_EQ(0, START("open", 1));
	EXPECT_EQ(-EMFILE, START("open", 1));
	for (i = 0; i < 128; i++)
		ASSERT_EQ(0, END("open", 1));
	for (i = 129; i < 16384; i++) {
		ASSERT_EQ(0, START("done", 1));
		ASSERT_EQ(0, END("done", 1));
	}
	ASSERT_EQ(0, START("done", 1));
	EXPECT_EQ(-ENOSPC, END("done", 1));
	/* the section ended, although it was lost */
	EXPECT_EQ(-ENOENT, END("done", 1));
	for (i = 0; i < 16; i++)
		ASSERT_EQ(0, ops->invoke());
	EXPECT_EQ(-ELOOP, ops->invoke());
	for (i = 0; i < 17; i++)
		EXPECT_EQ(0, ops->leave());
	EXPECT_STREQ("", FLUSHED());
}

TEST_F(sections, an_invocation_is_not_charged_to_its_caller)
{
	const struct section_ops *ops = variant->ops;

	START("caller", 1000);
	EXPECT_EQ(0, ops->invoke());
	EXPECT_EQ(-ENOENT, END("caller", 950));
	START("callee", 900);
	END("callee", 800);
	START("left open", 800);
	EXPECT_STREQ("CU log:  1 callee consumed    100 CU (net    100 CU)\n",
		     FLUSHED());
	EXPECT_EQ(0, ops->leave());
	EXPECT_EQ(-ENOENT, END("left open", 750));
	END("caller", 700);
	EXPECT_STREQ("CU log:  1 caller consumed    300 CU (net    300 CU)\n",
		     FLUSHED());
}

TEST_F(sections, threads_have_sections_of_their_own)
{
	struct section_thread threads[8];
	int i;

	START("mine", 100);
	for (i = 0; i < 8; i++) {
		threads[i].ops = variant->ops;
		threads[i].number = i;
		ASSERT_EQ(0, pthread_create(&threads[i].thread, NULL,
					    section_thread, &threads[i]));
	}
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i].thread, NULL);
		EXPECT_EQ(0, threads[i].wrong);
	}
	END("mine", 90);
	EXPECT_STREQ("CU log:  1 mine consumed     10 CU (net     10 CU)\n",
		     FLUSHED());
}

TEST_F(sections, signal_handlers_have_them_too)
{
	struct itimerspec fast = {
		.it_interval.tv_nsec = 200000, .it_value.tv_nsec = 200000,
	};
	struct sigaction action = { .sa_handler = section_handler };
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1,
	};
	int i, own = 0, its = 0;
	char line[200];
	timer_t timer;
	FILE *file;

	handler_ops = variant->ops;
	handler_wrong = handler_ran = 0;
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, timer_create(CLOCK_MONOTONIC, &event, &timer));
	ASSERT_EQ(0, timer_settime(timer, 0, &fast, NULL));
	for (i = 0; handler_ran < 200 && i < 1000000; i++) {
		/* the signal often interrupts malloc: section calls must not need malloc */
		free(malloc(1000 + i % 5000));
		if (i >= 4000)
			continue;
		ASSERT_EQ(0, START("program", 10));
		ASSERT_EQ(0, END("program", 5));
		own++;
	}
	timer_delete(timer);
	EXPECT_GE(handler_ran, 1);
	EXPECT_EQ(0, handler_wrong);
	file = tmpfile();
	EXPECT_EQ(own + handler_ran, variant->ops->flush(file));
	rewind(file);
	while (fgets(line, sizeof(line), file)) {
		own -= !!strstr(line, " program consumed      5 CU");
		its += !!strstr(line, " handler consumed      1 CU (net      1 CU)");
	}
	EXPECT_EQ(0, own);
	EXPECT_EQ(handler_ran, its);
	fclose(file);
}

TEST_F(sections, a_child_of_a_fork_begins_without_any)
{
	int status;
	pid_t pid;

	START("parent", 10);
	pid = fork();
	if (!pid) {
		status = END("parent", 5) != -ENOENT;
		status |= START("child", 5) << 1;
		status |= !!END("child", 2) << 2;
		status |= !!strcmp(FLUSHED(),
			"CU log:  1 child consumed      3 CU (net      3 CU)\n") << 3;
		_exit(status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, END("parent", 5));
	EXPECT_STREQ("CU log:  1 parent consumed      5 CU (net      5 CU)\n",
		     FLUSHED());
}

TEST_F(sections, time_is_of_the_thread)
{
	const struct section_ops *ops = variant->ops;
	uint64_t begin, spent, total, net;

	ASSERT_EQ(0, ops->start_time("busy"));
	begin = cpu_ns();
	/* no section with another meter can start while this section is open */
	EXPECT_EQ(-EBUSY, START("units", 1));
	while (cpu_ns() - begin < 20000000)
		;
	usleep(50000);
	ASSERT_EQ(0, ops->end_time("busy"));
	spent = cpu_ns() - begin;
	ASSERT_EQ(2, sscanf(FLUSHED(),
			    "CU log:  1 busy consumed %lu CU (net %lu CU)",
			    &total, &net));
	EXPECT_GT(2 * spent, total);
	EXPECT_GT(total, spent / 2);
	EXPECT_EQ(0, START("units", 1));
	EXPECT_EQ(0, END("units", 0));
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/*
 * A section with ten children, in 201 rounds: the time that the calls themselves take
 * must not be charged. Interrupts, an emulator that translates code, or other programs
 * of the host can disturb most rounds and add time to them. So the test checks the
 * tenth of the rounds with the lowest share. A virtual machine becomes slower and faster
 * with the load of its host, and the cost of calls with it: each round measures it again. If the library or the module did not
 * subtract the cost, nearly all time of nearly every round would be charged.
 */
TEST_F(sections, time_is_not_of_us)
{
	const struct section_ops *ops = variant->ops;
	double share[201];
	uint64_t begin, spent, total, net;
	const char *line;
	int i, k;

	for (i = 0; i < 201; i++) {
		ops->gauge_time();
		begin = cpu_ns();
		ASSERT_EQ(0, ops->start_time("all"));
		for (k = 0; k < 10; k++) {
			ops->start_time("one");
			ops->end_time("one");
		}
		ASSERT_EQ(0, ops->end_time("all"));
		spent = cpu_ns() - begin;
		line = strstr(FLUSHED(), " all consumed");
		ASSERT_NE(NULL, line);
		ASSERT_EQ(2, sscanf(line, " all consumed %lu CU (net %lu CU)",
				    &total, &net));
		EXPECT_GE(total, net);
		share[i] = (double)total / (double)(spent ?: 1);
	}
	qsort(share, 201, sizeof(*share), order);
	TH_LOG("of the time of calls was charged: %.1f %% (least), %.1f %% (first tenth), %.1f %% (median), %.1f %% (most)",
	       100 * share[0], 100 * share[20], 100 * share[100],
	       100 * share[200]);
	EXPECT_GT(1.0 / SECTION_SHARE, share[20]);
}

TEST_F(sections, instructions_are_of_the_thread_and_not_of_us)
{
	if (!is_counted()) {
		ASSERT_EQ(-EOPNOTSUPP, variant->ops->start_instructions("a"));
		SKIP(return, "this machine does not count instructions");
	}
	count_instructions(_metadata, variant->ops, 80);
}

#endif
