// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of python-stack: functions of Python in the place of the interpreter's own.
 */
#include "python-stack.h"
#include "stacks.h"

#include "kselftest_harness.h"

#include <string.h>

#define EVAL	0x5000ULL

/* An interpreter that runs F1 F2 in one call of its function, and F3 in an outer one */
static const struct mp_python_stack two_runs = {
	.eval_start = EVAL, .eval_end = EVAL + 0x100, .nr = 3, .nr_runs = 2,
	.frames = { 0xf1, 0xf2, 0xf3 }, .runs = { 2, 1 },
};

static void expect(struct __test_metadata *_metadata, const struct mp_python_stack *python,
		   const uint64_t *from, uint32_t nr, const uint64_t *wanted, uint32_t nr_wanted)
{
	uint64_t frames[MP_STACKS_DEPTH];

	memcpy(frames, from, nr * sizeof(*from));
	ASSERT_EQ(nr_wanted, mp_python_stack_merge(python, frames, nr));
	EXPECT_EQ(0, memcmp(frames, wanted, nr_wanted * sizeof(*wanted)));
}

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define EXPECT_MERGED(python, from, wanted) \
	expect(_metadata, python, from, NR(from), wanted, NR(wanted))

TEST(each_call_is_replaced_by_its_run)
{
	const uint64_t from[] = { 0x100, EVAL + 8, 0x200, EVAL + 0x100, 0x300, MP_STACKS_BEGIN };
	const uint64_t to[] = { 0x100, 0xf1, 0xf2, 0x200, 0xf3, 0x300, MP_STACKS_BEGIN };

	EXPECT_MERGED(&two_runs, from, to);
}

TEST(what_is_beside_the_function_stays)
{
	const uint64_t from[] = { EVAL, EVAL + 0x101, MP_STACKS_BEGIN };

	EXPECT_MERGED(&two_runs, from, from);
}

TEST(a_call_that_runs_nothing_yet_stays)
{
	struct mp_python_stack python = two_runs;
	const uint64_t from[] = { EVAL + 1, EVAL + 2, MP_STACKS_BEGIN };
	const uint64_t to[] = { EVAL + 1, 0xf1, 0xf2, 0xf3, MP_STACKS_BEGIN };

	python.nr_runs = 2;
	python.runs[0] = 0;
	python.runs[1] = 3;
	EXPECT_MERGED(&python, from, to);
}

TEST(callers_follow_a_stack_that_is_cut)
{
	const uint64_t from[] = { 0x100, EVAL + 8, MP_STACKS_CUT };
	const uint64_t to[] = { 0x100, 0xf1, 0xf2, 0xf3, MP_STACKS_BEGIN };
	const uint64_t both[] = { 0x100, 0xf1, 0xf2, 0xf3, MP_STACKS_CUT };
	struct mp_python_stack cut = two_runs;
	const uint64_t alone[] = { 0x100 };
	const uint64_t more[] = { 0x100, 0xf1, 0xf2, 0xf3 };

	EXPECT_MERGED(&two_runs, from, to);
	EXPECT_MERGED(&two_runs, alone, more);
	cut.cut = true;
	EXPECT_MERGED(&cut, from, both);
}

TEST(calls_of_which_nothing_is_known_stay)
{
	const uint64_t from[] = { EVAL + 1, EVAL + 2, EVAL + 3, MP_STACKS_BEGIN };
	const uint64_t to[] = { 0xf1, 0xf2, 0xf3, EVAL + 3, MP_STACKS_BEGIN };

	EXPECT_MERGED(&two_runs, from, to);
}

TEST(too_long_a_stack_is_marked_as_cut)
{
	struct mp_python_stack python = two_runs;
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t i;

	python.nr = MP_PYTHON_STACK_DEPTH;
	python.nr_runs = 1;
	python.runs[0] = MP_PYTHON_STACK_DEPTH;
	for (i = 0; i < MP_STACKS_DEPTH; i++)
		frames[i] = 0x100 + i;
	frames[3] = EVAL + 1;
	frames[MP_STACKS_DEPTH - 1] = MP_STACKS_BEGIN;
	ASSERT_EQ(MP_STACKS_DEPTH, mp_python_stack_merge(&python, frames, MP_STACKS_DEPTH));
	EXPECT_EQ(0xf1, frames[3]);
	EXPECT_EQ(MP_STACKS_CUT, frames[MP_STACKS_DEPTH - 1]);
}

/* As a hostile event might have it: runs of more functions than there are */
TEST(runs_do_not_go_beyond_the_functions)
{
	struct mp_python_stack python = two_runs;
	const uint64_t from[] = { EVAL + 1, EVAL + 2, MP_STACKS_BEGIN };
	const uint64_t to[] = { 0xf1, 0xf2, 0xf3, MP_STACKS_BEGIN };

	python.runs[0] = 200;
	EXPECT_MERGED(&python, from, to);
}

TEST_HARNESS_MAIN
