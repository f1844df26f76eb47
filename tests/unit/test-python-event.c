// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of python-event: what the module's event says, and what a hostile file may say.
 */
#include "python-event.h"

#include "kselftest_harness.h"

#include <string.h>

/* The raw data of an event with room for frames, as its format describes it. */
struct raw {
	uint64_t common, key, eval_start, eval_end;
	uint32_t flags, where;		/* __data_loc: size << 16 | offset */
	struct mp_python_place frames[MP_PYTHON_STACK_DEPTH + 1];
};

static const struct mp_perf_event event = {
	.name = "memprof:python",
	.format = {
		.fields = {
			{ .name = "key", .offset = 8, .size = 8 },
			{ .name = "eval_start", .offset = 16, .size = 8 },
			{ .name = "eval_end", .offset = 24, .size = 8 },
			{ .name = "flags", .offset = 32, .size = 4 },
			{ .name = "frames", .offset = 36, .size = 4 },
		},
		.nr_fields = 5,
	},
};

static bool parse(struct raw *raw, uint32_t nr, struct mp_python_event *to)
{
	const struct mp_perf_sample sample = { .raw = raw, .raw_size = sizeof(*raw) };

	raw->key = 7;
	raw->eval_start = 0x5000;
	raw->eval_end = 0x6000;
	raw->where = nr * (uint32_t)sizeof(raw->frames[0]) << 16 | offsetof(struct raw, frames);
	return mp_python_event_parse(&event, &sample, to);
}

/* Of 3.11: the last frame of a run is a function, too */
TEST(marked_frames_are_functions)
{
	struct raw raw = {
		.flags = MEMPROF_PYTHON_RUNS,
		.frames = { { 0x1000, 1 }, { 0x2001, 2 }, { 0x3001, 3 }, { 0x4000, 4 } },
	};
	struct mp_python_event got;

	ASSERT_TRUE(parse(&raw, 4, &got));
	EXPECT_EQ(7, got.key);
	EXPECT_EQ(0x5000, got.stack.eval_start);
	EXPECT_EQ(0x6000, got.stack.eval_end);
	EXPECT_FALSE(got.stack.cut);
	ASSERT_EQ(4, got.stack.nr);
	ASSERT_EQ(3, got.stack.nr_runs);
	EXPECT_EQ(2, got.stack.runs[0]);
	EXPECT_EQ(1, got.stack.runs[1]);
	EXPECT_EQ(1, got.stack.runs[2]);
	EXPECT_EQ(0x2000, got.places[1].code);
	EXPECT_EQ(2, got.places[1].instr);
}

/* Later: it only ends the run */
TEST(marked_frames_end_runs)
{
	struct raw raw = {
		.flags = MEMPROF_PYTHON_CUT,
		.frames = { { 0x1001, 1 }, { 0x2000, 2 }, { 0x3000, 3 }, { 0x4001, 4 } },
	};
	struct mp_python_event got;

	ASSERT_TRUE(parse(&raw, 4, &got));
	EXPECT_TRUE(got.stack.cut);
	ASSERT_EQ(2, got.stack.nr);
	EXPECT_EQ(0x2000, got.places[0].code);
	ASSERT_EQ(2, got.stack.nr_runs);
	EXPECT_EQ(0, got.stack.runs[0]);
	EXPECT_EQ(2, got.stack.runs[1]);
}

TEST(places_have_frames_of_their_own)
{
	const struct mp_python_place a = { 0x1000, 8 }, b = { 0x1000, 10 }, c = { 0x2000, 8 };

	EXPECT_EQ(mp_python_place_frame(&a), mp_python_place_frame(&a));
	EXPECT_NE(mp_python_place_frame(&a), mp_python_place_frame(&b));
	EXPECT_NE(mp_python_place_frame(&a), mp_python_place_frame(&c));
	/* no code and no mark is there, neither of the process nor of the kernel */
	EXPECT_LE(1ULL << 55, mp_python_place_frame(&a));
	EXPECT_GT(1ULL << 56, mp_python_place_frame(&a));
}

TEST(what_is_too_long_is_refused)
{
	struct raw raw = { 0 };
	struct mp_python_event got;

	EXPECT_TRUE(parse(&raw, MP_PYTHON_STACK_DEPTH, &got));
	EXPECT_EQ(MP_PYTHON_STACK_DEPTH, got.stack.nr);
	EXPECT_FALSE(parse(&raw, MP_PYTHON_STACK_DEPTH + 1, &got));
}

/* Each frame is the end of a run, of which each has at least one */
TEST(many_runs_fit)
{
	struct raw raw = { .flags = MEMPROF_PYTHON_RUNS };
	struct mp_python_event got;
	int i;

	for (i = 0; i < MP_PYTHON_STACK_DEPTH; i++)
		raw.frames[i].code = 1;
	ASSERT_TRUE(parse(&raw, MP_PYTHON_STACK_DEPTH, &got));
	EXPECT_EQ(MP_PYTHON_STACK_DEPTH, got.stack.nr_runs);
}

TEST(an_event_without_frames_is_refused)
{
	const struct mp_perf_event other = { .name = "memprof:python" };
	const struct mp_perf_sample sample = { .raw = &other, .raw_size = sizeof(other) };
	struct mp_python_event got;

	EXPECT_FALSE(mp_python_event_parse(&other, &sample, &got));
}

TEST_HARNESS_MAIN
