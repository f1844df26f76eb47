// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of libmemprof's stacks in signal handlers: what the signal interrupted, and its
 * callers, are part of the stack.
 */
#include "memprof_internal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "kselftest_harness.h"

#define NOINLINE __attribute__((noinline, noclone))
/* Bytes of code in which each of these small functions ends. */
#define CODE_SIZE 256

static MixedStackCapture captured;
static sigjmp_buf resume;

static void on_signal(int signal)
{
	capture_mixed_stack(&captured);
	if (signal == SIGSEGV)
		siglongjmp(resume, 1);
}

/* It has no frame, and on arm64 its return address is in the link register only. */
NOINLINE int leaf(const volatile int *p)
{
	return *p;
}

NOINLINE int calls_leaf(const volatile int *p)
{
	return leaf(p) + 1;
}

NOINLINE void raises(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" : : : "memory");
}

/* Whether the captured stack has a frame in a function, at @from or later. */
static bool has_frame(const void *function, int from)
{
	const uintptr_t begin = (uintptr_t)function;
	int i;

	for (i = from; i < captured.native_depth; i++)
		if (captured.native_frames[i] - begin < CODE_SIZE)
			return true;
	return false;
}

TEST(a_call_that_a_signal_interrupts_has_its_callers)
{
	signal(SIGUSR1, on_signal);
	raises();
	EXPECT_TRUE(has_frame(raises, 2));
	EXPECT_EQ(0, captured.flags & MIXED_STACK_TRUNCATED);
}

TEST(a_leaf_that_a_signal_interrupts_has_its_callers)
{
	signal(SIGSEGV, on_signal);
	if (!sigsetjmp(resume, 1))
		exit(calls_leaf(NULL));
	EXPECT_TRUE(has_frame(leaf, 2));
	EXPECT_TRUE(has_frame(calls_leaf, 3));
	EXPECT_EQ(0, captured.flags & MIXED_STACK_TRUNCATED);
}

TEST_HARNESS_MAIN
