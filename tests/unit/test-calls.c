// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of memprofctl replay --kind calls: its exact output, its time and memory.
 */
#include "kselftest_harness.h"
#include "call-spool.h"
#include "calls.h"
#include "refusing.h"
#include "replaying.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define RUN "{\"ev\":\"end_run\"}\n"
#define ENTER(name, tick) "{\"ev\":\"enter\",\"name\":\"" name "\",\"tick\":" #tick "}\n"
#define EXIT(tick) "{\"ev\":\"exit\",\"tick\":" #tick "}\n"
#define ENTER_AT(name, tick, ns)					\
	"{\"ev\":\"enter\",\"name\":\"" name "\",\"tick\":" #tick		\
	",\"time_ns\":" #ns "}\n"
#define EXIT_AT(tick, ns)						\
	"{\"ev\":\"exit\",\"tick\":" #tick ",\"time_ns\":" #ns "}\n"

/* The example of the specification: f () { g () { h () { } } } */
#define EXAMPLE	ENTER("f", 0) ENTER("g", 10) ENTER("h", 30) EXIT(60)	\
		EXIT(100) EXIT(160)

FIXTURE(calls)
{
	struct replaying replaying;
};

FIXTURE_SETUP(calls)
{
	ASSERT_EQ(0, replaying_begin(&self->replaying));
}

FIXTURE_TEARDOWN(calls)
{
	EXPECT_EQ(0, replaying_end(&self->replaying));
}

#define REPLAY(options, text)						\
	replaying_text(&self->replaying, "--kind calls " options, text)

#define EXPECT_OUT(options, text, expected) do {			\
	REPLAY(options, text);						\
	EXPECT_EQ(0, self->replaying.status);				\
	EXPECT_STREQ(expected, self->replaying.out);			\
	EXPECT_STREQ("", self->replaying.err);				\
} while (0)

TEST_F(calls, the_example_of_the_specification)
{
	static const char * const folded = "f 70\nf;g 60\nf;g;h 30\n";

	EXPECT_OUT("", EXAMPLE RUN, folded);
	EXPECT_OUT("--no-collapse", EXAMPLE RUN, folded);
	EXPECT_OUT("--collapse", EXAMPLE RUN, folded);
	EXPECT_OUT("--aggregate", EXAMPLE RUN,
		   "f: 160 ticks\nFull execution: 160 ticks\n");
}

#define REPEATED ENTER("m", 0) ENTER("b", 1) EXIT(3) ENTER("a", 3)	\
		 EXIT(3) ENTER("b", 5) EXIT(10) EXIT(11) ENTER("a", 12)	\
		 EXIT(14) ENTER("m", 15) ENTER("b", 15) EXIT(16) EXIT(20)

TEST_F(calls, a_chart_has_a_line_per_call_in_their_order)
{
	EXPECT_OUT("", REPEATED RUN,
		   "m 4\nm;b 2\nm;a 0\nm;b 5\na 2\nm 4\nm;b 1\n");
}

TEST_F(calls, a_graph_adds_up_the_same_stacks)
{
	EXPECT_OUT("--collapse", REPEATED RUN, "a 2\nm 8\nm;a 0\nm;b 8\n");
}

TEST_F(calls, an_aggregate_has_a_row_per_toplevel_call)
{
	EXPECT_OUT("--aggregate", REPEATED RUN,
		   "m: 11 ticks\na: 2 ticks\nm: 5 ticks\n"
		   "Full execution: 18 ticks\n");
}

TEST_F(calls, a_graph_is_sorted_by_bytes_of_the_whole_stack)
{
	/* '!' and ',' come before ';', which comes before letters */
	EXPECT_OUT("--collapse",
		   ENTER("ab", 0) ENTER("x", 1) EXIT(2) EXIT(3)
		   ENTER("a", 3) ENTER("z", 4) ENTER("y", 4) EXIT(4) EXIT(5)
		   ENTER("b", 5) EXIT(6) EXIT(7)
		   ENTER("a!", 7) ENTER("c", 7) EXIT(8) EXIT(9)
		   ENTER("\xc3\xa9", 9) EXIT(10) ENTER("B", 10) EXIT(11)
		   ENTER("", 11) ENTER("", 11) EXIT(12) EXIT(12) RUN,
		   " 0\n; 1\nB 1\na 2\na! 1\na!;c 1\na;b 1\na;z 1\na;z;y 0\n"
		   "ab 2\nab;x 1\n\xc3\xa9 1\n");
}

TEST_F(calls, runs_follow_each_other_on_lines_of_their_own)
{
	EXPECT_OUT("", EXAMPLE RUN ENTER("b", 0) EXIT(1) RUN RUN,
		   "f 70\nf;g 60\nf;g;h 30\nb 1\n");
	EXPECT_OUT("--collapse", EXAMPLE RUN ENTER("b", 0) EXIT(1)
		   ENTER("a", 2) EXIT(4) RUN RUN,
		   "f 70\nf;g 60\nf;g;h 30\na 2\nb 1\n");
	EXPECT_OUT("--aggregate", EXAMPLE RUN RUN ENTER("b", 0) EXIT(1) RUN,
		   "f: 160 ticks\nFull execution: 160 ticks\n"
		   "Full execution: 0 ticks\n"
		   "b: 1 ticks\nFull execution: 1 ticks\n");
}

TEST_F(calls, deeper_ones_are_left_out_of_graphs_only)
{
	EXPECT_OUT("--max-depth 1", EXAMPLE RUN, "f 70\nf;g 60\n");
	EXPECT_OUT("--max-depth 0 --collapse", EXAMPLE RUN, "f 70\n");
	EXPECT_OUT("--max-depth 0 --aggregate", EXAMPLE RUN,
		   "f: 160 ticks\nFull execution: 160 ticks\n");
}

static size_t nr_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

TEST_F(calls, one_hundred_is_the_depth_by_default)
{
	FILE *file = replaying_log(&self->replaying);
	int i;

	for (i = 0; i < 200; i++)
		fprintf(file, ENTER("f", %d), i);
	for (i = 200; i < 400; i++)
		fprintf(file, EXIT(%d), i);
	fputs(RUN, file);
	fclose(file);
	replaying_run(&self->replaying, "--kind calls");
	EXPECT_EQ(101, nr_lines(self->replaying.out));
	replaying_run(&self->replaying, "--kind calls --aggregate");
	EXPECT_STREQ("f: 399 ticks\nFull execution: 399 ticks\n",
		     self->replaying.out);
}

TEST_F(calls, times_are_shown_where_all_are_known)
{
	EXPECT_OUT("--aggregate", ENTER_AT("f", 0, 0) EXIT_AT(5, 1500000000)
		   ENTER_AT("g", 5, 1500000000) EXIT_AT(6, 1500000160)
		   ENTER_AT("h", 6, 2000000000) EXIT_AT(7, 4000000000) RUN,
		   "f: 5 ticks in 1.5 s\ng: 1 ticks in 0.00000016 s\n"
		   "h: 1 ticks in 2 s\nFull execution: 7 ticks in 3.50000016 s\n");
	/* one that is missing deep inside */
	EXPECT_OUT("--aggregate", ENTER_AT("f", 0, 0) ENTER("g", 1)
		   EXIT_AT(2, 20) EXIT_AT(3, 30) ENTER_AT("h", 3, 30)
		   EXIT_AT(4, 40) RUN,
		   "f: 3 ticks\nh: 1 ticks in 0.00000001 s\n"
		   "Full execution: 4 ticks\n");
	EXPECT_OUT("--aggregate", ENTER("f", 0) EXIT_AT(1, 10) ENTER_AT("g", 1, 10)
		   EXIT(2) RUN,
		   "f: 1 ticks\ng: 1 ticks\nFull execution: 2 ticks\n");
	/* null is none; a time that goes back is no time */
	EXPECT_OUT("--aggregate", ENTER_AT("f", 0, null) EXIT_AT(1, 10)
		   ENTER_AT("g", 1, 10) EXIT_AT(2, 9) RUN,
		   "f: 1 ticks\ng: 1 ticks\nFull execution: 2 ticks\n");
}

TEST_F(calls, an_exit_at_the_toplevel_does_nothing)
{
	EXPECT_OUT("", EXIT(7) ENTER("f", 3) EXIT(5) EXIT(9) ENTER("g", 6)
		   EXIT(7) RUN, "f 2\ng 1\n");
}

TEST_F(calls, a_call_without_exit_ends_with_its_run)
{
	REPLAY("", ENTER("f", 0) ENTER("g", 10) EXIT(15) ENTER("h", 20) RUN
	       ENTER("k", 0) EXIT(1) RUN);
	EXPECT_EQ(0, self->replaying.status);
	EXPECT_STREQ("f 15\nf;g 5\nf;h 0\nk 1\n", self->replaying.out);
	EXPECT_NE(NULL, strstr(self->replaying.err,
			       "line 5: calls that have no exit: 2"));
	/* and a run with the log; when that was nobody knows */
	REPLAY("--aggregate", ENTER_AT("f", 0, 0) ENTER_AT("g", 10, 10));
	EXPECT_STREQ("f: 10 ticks\nFull execution: 10 ticks\n",
		     self->replaying.out);
	EXPECT_OUT("--collapse", EXAMPLE, "f 70\nf;g 60\nf;g;h 30\n");
}

TEST_F(calls, names_fit_into_the_grammar_and_stay_different)
{
	EXPECT_OUT("", ENTER("a b;c\\n", 0) ENTER("a\\\\x20b", 1) EXIT(2)
		   ENTER("\xc3\xa9\\u0000\\u001b", 2) EXIT(3) EXIT(4) RUN,
		   "a\\x20b\\x3bc\\x0a 2\na\\x20b\\x3bc\\x0a;a\\x5cx20b 1\n"
		   "a\\x20b\\x3bc\\x0a;\xc3\xa9\\x00\\x1b 1\n");
	EXPECT_OUT("--aggregate", ENTER("a b;c\\\\\\n", 0) EXIT(1) RUN,
		   "a b;c\\\\x0a: 1 ticks\nFull execution: 1 ticks\n");
}

TEST_F(calls, ticks_have_64_bits)
{
	EXPECT_OUT("", ENTER("f", 0) ENTER("g", 18446744073709551614)
		   EXIT(18446744073709551615) EXIT(18446744073709551615) RUN,
		   "f 18446744073709551614\nf;g 1\n");
	EXPECT_OUT("--collapse", ENTER("f", 0) EXIT(9223372036854775806)
		   ENTER("f", 9223372036854775806) EXIT(9223372036854775906) RUN,
		   "f 9223372036854775906\n");
	/* the clock of a run does not go round, that of time may */
	EXPECT_OUT("--aggregate", ENTER_AT("f", 0, 0) EXIT_AT(1, 18446744073709551615)
		   ENTER_AT("g", 1, 0) EXIT_AT(2, 18446744073709551615) RUN,
		   "f: 1 ticks in 18446744073.709551615 s\n"
		   "g: 1 ticks in 18446744073.709551615 s\n"
		   "Full execution: 2 ticks\n");
}

TEST_F(calls, wrong_lines_end_the_replay_by_number)
{
	static const char * const bad[] = {
		"x", "{}", "{\"ev\":1}", "{\"ev\":\"leave\"}", ENTER("f", -1),
		"{\"ev\":\"enter\",\"tick\":9}", "{\"ev\":\"exit\"}",
		"{\"ev\":\"enter\",\"name\":\"f\"}", EXIT(1), EXIT("9"),
		EXIT(18446744073709551616), EXIT_AT(9, -1), ENTER("f", 1),
		EXIT_AT(9, "x"), "{\"ev\":\"enter\",\"name\":[],\"tick\":9}",
	};
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s%s%s%s%s\n%s", ENTER("k", 0),
			 EXIT(1), ENTER("f", 1), ENTER("g", 3), bad[i], RUN);
		REPLAY("", text);
		EXPECT_EQ(1, self->replaying.status) TH_LOG("%s", bad[i]);
		EXPECT_NE(NULL, strstr(self->replaying.err, "/log, line 5: "))
			TH_LOG("%s: %s", bad[i], self->replaying.err);
		/* what came before */
		EXPECT_STREQ("k 1\nf 2\nf;g 0\n", self->replaying.out);
	}
}

TEST_F(calls, options_belong_to_their_kind)
{
	static const char * const bad[] = {
		"--kind heap --collapse", "--kind sections --aggregate",
		"--kind sections --max-depth 3", "--kind calls --json",
		"--kind heap --no-collapse", "--kind calls --max-depth x",
		"--kind calls --max-depth -1", "--kind", "--collapse",
	};
	size_t i;

	replaying_text(&self->replaying, "--kind calls", "");
	EXPECT_EQ(0, self->replaying.status);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		replaying_run(&self->replaying, bad[i]);
		EXPECT_EQ(2, self->replaying.status) TH_LOG("%s", bad[i]);
		EXPECT_EQ(1, nr_lines(self->replaying.err));
	}
}

TEST_F(calls, kinds_complete)
{
	FILE *pipe = popen(MP_PROGRAM " help --complete -- replay --kind", "r");
	char text[256] = "";

	text[fread(text, 1, sizeof(text) - 1, pipe)] = '\0';
	pclose(pipe);
	EXPECT_STREQ("heap|sections|calls\nheap\nsections\ncalls\n", text);
}

/*
 * Replays a million events with a few different stacks. The memory must not grow with the
 * number of events.
 */
static void expect_small(struct __test_metadata *_metadata,
			 FIXTURE_DATA(calls) *self, const char *options)
{
	struct rusage usage;

	replaying_run(&self->replaying, options);
	getrusage(RUSAGE_CHILDREN, &usage);
	EXPECT_EQ(0, self->replaying.status);
	EXPECT_STREQ("", self->replaying.err);
	EXPECT_GT(16 << 10, usage.ru_maxrss) TH_LOG("%ld KiB", usage.ru_maxrss);
}

TEST_F(calls, a_million_events_take_little_memory)
{
	FILE *file = replaying_log(&self->replaying);
	int i;

	fputs(ENTER("main", 0), file);
	for (i = 0; i < 500000; i++)
		fprintf(file, ENTER("f%d", %d) EXIT(%d), i % 7, i, i + 1);
	fputs(EXIT(500000) RUN, file);
	fclose(file);
	expect_small(_metadata, self, "--kind calls --aggregate");
	expect_small(_metadata, self, "--kind calls --collapse");
	expect_small(_metadata, self, "--kind calls");
}

TEST_F(calls, a_million_events_of_sections_take_little_memory)
{
	FILE *file = replaying_log(&self->replaying);
	int i;

	fputs("{\"op\":\"start\",\"id\":\"all\",\"cu\":500000}\n", file);
	for (i = 0; i < 500000; i++)
		fprintf(file, "{\"op\":\"start\",\"id\":\"s%d\",\"cu\":%d,\"heap\":1}\n"
			"{\"op\":\"end\",\"id\":\"s%d\",\"cu\":%d,\"heap\":9}\n%s", i % 7,
			500000 - i, i % 7, 499999 - i,
			i % 1000 == 999 ? "{\"op\":\"flush\"}\n" : "");
	fputs("{\"op\":\"end\",\"id\":\"all\",\"cu\":0}\n{\"op\":\"flush\"}\n", file);
	fclose(file);
	expect_small(_metadata, self, "--kind sections");
	EXPECT_NE(NULL, strstr(self->replaying.out, "CU log:  1 all consumed "
			       "500000 CU (net      0 CU)\n"));
}

/* More calls than fit into memory. Their callers end after the calls left memory. */
TEST_F(calls, a_chart_may_have_any_number_of_calls)
{
	FILE *file = replaying_log(&self->replaying);
	const int nr = 3 * MP_CALL_SPOOL_WINDOW + 5;
	static const char head[] = "main 5\nmain;inner 7\nmain;inner;f0 0\n"
				   "main;inner;f1 1\nmain;inner;f2 2\n";
	const char *at;
	uint64_t tick = 3;
	char line[64];
	int i, wrong = 0;

	fputs(ENTER("before", 0) EXIT(1) ENTER("main", 1) ENTER("inner", 3), file);
	for (i = 0; i < nr; i++) {
		fprintf(file, "{\"ev\":\"enter\",\"name\":\"f%d\",\"tick\":%lu}\n"
			"{\"ev\":\"exit\",\"tick\":%lu}\n", i % 5, tick,
			tick + i % 100);
		tick += i % 100;
	}
	fprintf(file, "{\"ev\":\"exit\",\"tick\":%lu}\n"
		"{\"ev\":\"exit\",\"tick\":%lu}\n" ENTER("after", 9999999)
		EXIT(9999999) RUN, tick + 7, tick + 10);
	fclose(file);
	replaying_run(&self->replaying, "--kind calls");
	EXPECT_EQ(0, self->replaying.status);
	at = strstr(self->replaying.out, "\n") + 1;
	EXPECT_EQ(0, strncmp(at, head, strlen(head)));
	at += strlen("main 5\nmain;inner 7\n");
	for (i = 0; i < nr; i++) {
		snprintf(line, sizeof(line), "main;inner;f%d %d\n", i % 5, i % 100);
		wrong += strncmp(at, line, strlen(line)) != 0;
		at += strlen(line);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_STREQ("after 0\n", at);
}

static int keep_ticks(const struct mp_calls *calls, const struct mp_calls_top *top)
{
	*(uint64_t *)calls->context += top->took.tick;
	return 0;
}

TEST(memory_of_depth_is_that_of_the_deepest)
{
	struct mp_calls_time now = { 0 };
	struct mp_calls calls;
	uint64_t ticks = 0;
	int i, round;

	mp_calls_init(&calls);
	calls.top = keep_ticks;
	calls.context = &ticks;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 100000; i++, now.tick++)
			ASSERT_EQ(0, mp_calls_enter(&calls, "f", 1, &now));
		for (i = 0; i < 100000; i++, now.tick++)
			ASSERT_EQ(0, mp_calls_exit(&calls, &now));
	}
	EXPECT_EQ(3 * 199999, ticks);
	/* with the root */
	EXPECT_EQ(MP_CALLS_MAX_DEPTH + 2, calls.flame.nr);
	EXPECT_GE(131072, calls.max_frames);
	EXPECT_EQ(2, calls.flame.names.nr);
	mp_calls_free(&calls);
}

TEST(calls_that_cannot_be_written_are_an_error)
{
	struct mp_call_spool spool = { 0 };
	uint32_t i;

	ASSERT_EQ(0, refuse_call(SYS_pwrite64, 0));
	for (i = 0; i < MP_CALL_SPOOL_WINDOW; i++)
		ASSERT_EQ(0, mp_call_spool_add(&spool, i));
	EXPECT_EQ(-EIO, mp_call_spool_add(&spool, i));
	/* nothing is lost: a program that goes on finds the calls in memory */
	ASSERT_NE(NULL, mp_call_spool_at(&spool, 5));
	EXPECT_EQ(5, mp_call_spool_at(&spool, 5)->node);
	mp_call_spool_free(&spool);
}

TEST_HARNESS_MAIN
