// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of sections: compares the engine with the definition, and checks the exact
 * output of memprofctl replay --kind sections.
 */
#include "kselftest_harness.h"
#include "replaying.h"
#include "sections.h"

#include <errno.h>
#include <time.h>

static size_t nr_held;

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
	bool *broken = context;

	(void)old_size;
	if (!size) {
		nr_held -= old != NULL;
		free(old);
		return NULL;
	}
	if (broken && *broken)
		return NULL;
	nr_held += !old;
	return realloc(old, size);
}

FIXTURE(engine)
{
	struct mp_sections sections;
	bool broken;
};

FIXTURE_SETUP(engine)
{
	struct mp_sections_limits limits = {
		.depth = 2, .open = 8, .completed = 8,
	};
	struct mp_sections_memory memory = {
		.resize = resize, .context = &self->broken,
	};

	self->broken = false;
	mp_sections_init(&self->sections, &limits, &memory);
}

FIXTURE_TEARDOWN(engine)
{
	mp_sections_free(&self->sections);
	EXPECT_EQ(0, nr_held);
}

static int start(FIXTURE_DATA(engine) *self, const char *id, uint64_t cu)
{
	return mp_sections_start(&self->sections, id, strlen(id),
				 &(struct mp_section_value){ .cu = cu });
}

static int end(FIXTURE_DATA(engine) *self, const char *id, uint64_t cu)
{
	return mp_sections_end(&self->sections, id, strlen(id),
			       &(struct mp_section_value){ .cu = cu });
}

TEST_F(engine, each_limit_has_an_error_of_its_own)
{
	char id[MP_SECTIONS_ID + 1] = { 0 };
	struct mp_section_value value = { 0 };
	size_t nr;
	int i;

	EXPECT_EQ(0, mp_sections_start(&self->sections, id, MP_SECTIONS_ID,
				       &value));
	EXPECT_EQ(-ENAMETOOLONG, mp_sections_start(&self->sections, id,
						   MP_SECTIONS_ID + 1, &value));
	EXPECT_EQ(-ENOENT, end(self, "a", 0));
	for (i = 0; i < 7; i++)
		EXPECT_EQ(0, start(self, "a", 0));
	EXPECT_EQ(-EMFILE, start(self, "a", 0));
	for (i = 0; i < 7; i++)
		EXPECT_EQ(0, end(self, "a", 0));
	EXPECT_EQ(-ENOENT, end(self, "a", 0));
	EXPECT_EQ(0, start(self, "b", 0));
	EXPECT_EQ(0, end(self, "b", 0));
	EXPECT_EQ(0, start(self, "b", 0));
	EXPECT_EQ(-ENOSPC, end(self, "b", 0));
	EXPECT_EQ(1, self->sections.lost);
	mp_sections_completed(&self->sections, &nr);
	EXPECT_EQ(8, nr);
	EXPECT_EQ(0, mp_sections_invoke(&self->sections));
	EXPECT_EQ(0, mp_sections_invoke(&self->sections));
	EXPECT_EQ(-ELOOP, mp_sections_invoke(&self->sections));
}

TEST_F(engine, without_memory_nothing_changes)
{
	self->broken = true;
	EXPECT_EQ(-ENOMEM, start(self, "a", 9));
	self->broken = false;
	EXPECT_EQ(0, start(self, "a", 9));
	self->broken = true;
	EXPECT_EQ(-ENOMEM, end(self, "a", 8));
	EXPECT_EQ(-ENOMEM, start(self, "b", 8));
	EXPECT_EQ(-ENOMEM, mp_sections_invoke(&self->sections));
	self->broken = false;
	EXPECT_EQ(0, end(self, "a", 8));
	EXPECT_EQ(-ENOENT, end(self, "a", 8));
}

TEST_F(engine, a_meter_that_failed_is_said_and_what_it_metered_lost)
{
	const struct mp_section *list;
	size_t nr;

	EXPECT_EQ(-EOPNOTSUPP, mp_sections_start(&self->sections, "a", 1, NULL));
	EXPECT_EQ(0, start(self, "a", 100));
	EXPECT_EQ(0, start(self, "b", 80));
	EXPECT_EQ(0, end(self, "b", 70));
	EXPECT_EQ(-ENOENT, mp_sections_end(&self->sections, "c", 1, NULL));
	EXPECT_EQ(-EIO, mp_sections_end(&self->sections, "a", 1, NULL));
	EXPECT_EQ(-ENOENT, end(self, "a", 1));
	EXPECT_EQ(1, self->sections.lost);
	list = mp_sections_completed(&self->sections, &nr);
	ASSERT_EQ(1, nr);
	EXPECT_EQ('b', list->id[0]);
	EXPECT_EQ(10, list->total.cu);
}

TEST_F(engine, an_invocation_that_is_left_leaves_nothing)
{
	size_t nr;

	start(self, "a", 100);
	mp_sections_invoke(&self->sections);
	EXPECT_EQ(-ENOENT, end(self, "a", 1));
	start(self, "b", 90);
	start(self, "c", 80);
	end(self, "c", 70);
	mp_sections_leave(&self->sections);
	EXPECT_EQ(-ENOENT, end(self, "b", 1));
	EXPECT_EQ(0, end(self, "a", 50));
	EXPECT_EQ(50, mp_sections_completed(&self->sections, &nr)->net.cu);
	EXPECT_EQ(1, nr);
	/* the outermost one begins anew */
	start(self, "a", 1);
	mp_sections_leave(&self->sections);
	EXPECT_EQ(-ENOENT, end(self, "a", 1));
}

/* A section for a direct implementation of the definition. */
struct told {
	int start, end;
	uint64_t total;
};

static bool is_inside(const struct told *a, const struct told *b)
{
	return a->end && b->end && a->start > b->start && a->end < b->end;
}

static uint64_t net_of(const struct told *all, int nr, const struct told *one)
{
	uint64_t net = one->total;
	int i, j;

	for (i = 0; i < nr; i++) {
		bool direct = is_inside(&all[i], one);

		for (j = 0; j < nr && direct; j++)
			direct = !(is_inside(&all[i], &all[j]) &&
				   is_inside(&all[j], one));
		if (direct)
			net -= all[i].total < net ? all[i].total : net;
	}
	return net;
}

#define NR_TOLD	40

static void cross_at_random(struct __test_metadata *_metadata,
			    struct mp_sections *sections)
{
	struct told told[NR_TOLD] = { 0 };
	int order[NR_TOLD], nr = 0, nr_done = 0, event, i;
	uint64_t starts[NR_TOLD], cu = 1000000;
	const struct mp_section *done;
	size_t nr_seen;
	char id[1];

	for (event = 1; event < 120; event++) {
		cu -= rand() % 50;
		i = rand() % NR_TOLD;
		id[0] = (char)i;
		if (i < nr && !told[i].end) {
			ASSERT_EQ(0, mp_sections_end(sections, id, 1,
				  &(struct mp_section_value){ .cu = cu }));
			told[i].end = event;
			told[i].total = starts[i] - cu;
			order[nr_done++] = i;
		} else if (nr < NR_TOLD && rand() % 3) {
			id[0] = (char)nr;
			ASSERT_EQ(0, mp_sections_start(sections, id, 1,
				  &(struct mp_section_value){ .cu = cu }));
			starts[nr] = cu;
			told[nr++].start = event;
		}
	}
	done = mp_sections_completed(sections, &nr_seen);
	ASSERT_EQ(nr_done, nr_seen);
	for (i = 0; i < nr_done; i++) {
		ASSERT_EQ(order[i], done[i].id[0]);
		ASSERT_EQ(told[order[i]].total, done[i].total.cu);
		/* whatever happens later does not change it: this is its end */
		ASSERT_EQ(net_of(told, nr, &told[order[i]]), done[i].net.cu);
	}
}

TEST(crossing_sections_come_out_as_the_definition_says)
{
	struct mp_sections_limits limits = MP_SECTIONS_LIMITS;
	struct mp_sections_memory memory = { .resize = resize };
	struct mp_sections sections;
	int i;

	srand(1);
	for (i = 0; i < 3000; i++) {
		mp_sections_init(&sections, &limits, &memory);
		cross_at_random(_metadata, &sections);
		mp_sections_free(&sections);
	}
	EXPECT_EQ(0, nr_held);
}

FIXTURE(sections)
{
	struct replaying replaying;
};

FIXTURE_SETUP(sections)
{
	ASSERT_EQ(0, replaying_begin(&self->replaying));
}

FIXTURE_TEARDOWN(sections)
{
	EXPECT_EQ(0, replaying_end(&self->replaying));
}

#define OP(op) "{\"op\":\"" op "\"}\n"
#define SECTION(op, id, cu, heap)					\
	"{\"op\":\"" op "\",\"id\":\"" id "\",\"cu\":" #cu ",\"heap\":" #heap "}\n"
#define START(id, cu, heap) SECTION("start", id, cu, heap)
#define END(id, cu, heap) SECTION("end", id, cu, heap)
#define FLUSH OP("flush")

#define REPLAY(options, text)						\
	replaying_text(&self->replaying, "--kind sections " options, text)

#define EXPECT_LOG(text, expected) do {					\
	REPLAY("", text);						\
	EXPECT_EQ(0, self->replaying.status);				\
	EXPECT_STREQ(expected, self->replaying.out);			\
	EXPECT_STREQ("", self->replaying.err);				\
} while (0)

TEST_F(sections, the_first_example_of_the_specification)
{
	EXPECT_LOG(START("outer", 1000, 0) START("inner", 900, 0)
		   END("inner", 800, 0) END("outer", 700, 0) FLUSH,
		   "CU log:  1 inner consumed    100 CU (net    100 CU)\n"
		   "CU log:  2 outer consumed    300 CU (net    200 CU)\n");
}

TEST_F(sections, the_heap_example_of_the_specification)
{
	EXPECT_LOG(START("outer", 5000, 1000) START("inner", 4500, 1200)
		   END("inner", 4000, 1400) END("outer", 3500, 1600) FLUSH,
		   "CU log:  1 inner consumed    500 CU (net    500 CU)\n"
		   "HEAP :   200 heap (net   200 heap) remaining  1400\n"
		   "CU log:  2 outer consumed   1500 CU (net   1000 CU)\n"
		   "HEAP :   600 heap (net   400 heap) remaining  1600\n");
}

TEST_F(sections, the_line_of_units_of_the_specification)
{
	EXPECT_LOG(START("operation_name", 2000, 0) START("x", 2000, 0)
		   END("x", 1766, 0) END("operation_name", 766, 0) FLUSH,
		   "CU log:  1 x consumed    234 CU (net    234 CU)\n"
		   "CU log:  2 operation_name consumed   1234 CU (net   1000 CU)\n");
}

TEST_F(sections, only_direct_children_are_subtracted)
{
	EXPECT_LOG(START("a", 1000, 0) START("b", 900, 0) START("c", 800, 0)
		   END("c", 700, 0) END("b", 600, 0) END("a", 500, 0) FLUSH,
		   "CU log:  1 c consumed    100 CU (net    100 CU)\n"
		   "CU log:  2 b consumed    300 CU (net    200 CU)\n"
		   "CU log:  3 a consumed    500 CU (net    200 CU)\n");
}

TEST_F(sections, crossing_sections_subtract_nothing_from_each_other)
{
	EXPECT_LOG(START("A", 1000, 0) START("B", 900, 0) END("A", 700, 0)
		   END("B", 400, 0) FLUSH,
		   "CU log:  1 A consumed    300 CU (net    300 CU)\n"
		   "CU log:  2 B consumed    500 CU (net    500 CU)\n");
}

TEST_F(sections, one_of_an_open_section_belongs_to_what_ends_around_it)
{
	/* B never ends: C is A's direct child */
	EXPECT_LOG(START("A", 100, 0) START("B", 90, 0) START("C", 80, 0)
		   END("C", 70, 0) END("A", 50, 0) FLUSH,
		   "CU log:  1 C consumed     10 CU (net     10 CU)\n"
		   "CU log:  2 A consumed     50 CU (net     40 CU)\n");
}

TEST_F(sections, an_end_closes_the_last_of_its_id)
{
	EXPECT_LOG(START("a", 1000, 0) START("a", 900, 0) END("a", 850, 0)
		   END("a", 600, 0) FLUSH,
		   "CU log:  1 a consumed     50 CU (net     50 CU)\n"
		   "CU log:  2 a consumed    400 CU (net    350 CU)\n");
}

TEST_F(sections, an_unmatched_end_is_named_at_once_and_takes_no_index)
{
	REPLAY("", START("a b", 10, 0) END("a", 9, 0) END("a b", 8, 0)
	       END("a b", 7, 0) FLUSH);
	EXPECT_EQ(0, self->replaying.status);
	EXPECT_STREQ("CU log:  1 a b consumed      2 CU (net      2 CU)\n",
		     self->replaying.out);
	EXPECT_STREQ("memprofctl: line 2: cannot end section 'a': "
		     "no such section is open\n"
		     "memprofctl: line 4: cannot end section 'a b': "
		     "no such section is open\n", self->replaying.err);
}

TEST_F(sections, ids_are_bytes)
{
	EXPECT_LOG(START("", 9, 0) START("a b", 9, 0) START("\xc3\xa9\xe2\x82\xac", 9, 0)
		   START("x\\u0000y", 9, 0) START("x", 9, 0) END("x\\u0000y", 8, 0)
		   END("x", 8, 0) END("\xc3\xa9\xe2\x82\xac", 8, 0) END("a b", 8, 0)
		   END("", 8, 0) FLUSH,
		   "CU log:  1 x\\x00y consumed      1 CU (net      1 CU)\n"
		   "CU log:  2 x consumed      1 CU (net      1 CU)\n"
		   "CU log:  3 \xc3\xa9\xe2\x82\xac consumed      1 CU (net      0 CU)\n"
		   "CU log:  4 a b consumed      1 CU (net      0 CU)\n"
		   "CU log:  5  consumed      1 CU (net      0 CU)\n");
	REPLAY("", END("x\\u0000y", 8, 0));
	EXPECT_NE(NULL, strstr(self->replaying.err, "section 'x\\x00y':"));
}

/* An emoji of two characters with an invisible joiner, and a mark that reverses text. */
TEST_F(sections, joiners_are_letters)
{
	EXPECT_LOG(START("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", 9, 0)
		   END("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", 8, 0)
		   START("\xe2\x80\xae", 9, 0) END("\xe2\x80\xae", 9, 0) FLUSH,
		   "CU log:  1 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb "
		   "consumed      1 CU (net      1 CU)\n"
		   "CU log:  2 \\xe2\\x80\\xae consumed      0 CU (net      0 CU)\n");
}

TEST_F(sections, values_have_64_bits)
{
	EXPECT_LOG(START("a", 18446744073709551615, 1)
		   END("a", 1, 18446744073709551615) FLUSH,
		   "CU log:  1 a consumed 18446744073709551614 CU "
		   "(net 18446744073709551614 CU)\n"
		   "HEAP : 18446744073709551614 heap (net 18446744073709551614 "
		   "heap) remaining 18446744073709551615\n");
	/* children together take more than there is */
	EXPECT_LOG(START("a", 18446744073709551615, 0)
		   START("b", 18446744073709551615, 0) END("b", 0, 0)
		   START("b", 18446744073709551615, 0) END("b", 0, 0)
		   END("a", 0, 0) FLUSH,
		   "CU log:  1 b consumed 18446744073709551615 CU "
		   "(net 18446744073709551615 CU)\n"
		   "CU log:  2 b consumed 18446744073709551615 CU "
		   "(net 18446744073709551615 CU)\n"
		   "CU log:  3 a consumed 18446744073709551615 CU "
		   "(net      0 CU)\n");
}

TEST_F(sections, differences_end_at_nothing)
{
	EXPECT_LOG(START("a", 5, 9) END("a", 6, 3) FLUSH,
		   "CU log:  1 a consumed      0 CU (net      0 CU)\n"
		   "HEAP :     0 heap (net     0 heap) remaining     3\n");
}

TEST_F(sections, heap_needs_a_value_at_both_ends)
{
	EXPECT_LOG(START("a", 9, 100) START("b", 9, 0) START("c", 9, 110)
		   END("c", 9, 0) END("b", 9, 120)
		   "{\"op\":\"start\",\"id\":\"d\",\"cu\":9}\n" END("d", 9, 5)
		   END("a", 9, 150) FLUSH,
		   "CU log:  1 c consumed      0 CU (net      0 CU)\n"
		   "CU log:  2 b consumed      0 CU (net      0 CU)\n"
		   "CU log:  3 d consumed      0 CU (net      0 CU)\n"
		   "CU log:  4 a consumed      0 CU (net      0 CU)\n"
		   "HEAP :    50 heap (net    50 heap) remaining   150\n");
}

TEST_F(sections, indexes_begin_anew_and_open_sections_wait)
{
	EXPECT_LOG(FLUSH START("a", 100, 0) START("b", 90, 0) END("b", 80, 0)
		   FLUSH FLUSH END("a", 50, 0) FLUSH,
		   "CU log:  1 b consumed     10 CU (net     10 CU)\n"
		   "CU log:  1 a consumed     50 CU (net     40 CU)\n");
}

TEST_F(sections, invocations_nest)
{
	EXPECT_LOG(START("caller", 100, 0) START("a", 100, 0) END("a", 99, 0)
		   OP("invoke") START("callee", 90, 0) START("open", 80, 0)
		   END("callee", 60, 0) OP("return") OP("invoke")
		   START("failed", 60, 0) END("failed", 55, 0) OP("fail")
		   END("caller", 50, 0) FLUSH,
		   "CU log:  1 callee consumed     30 CU (net     30 CU)\n"
		   "CU log:  1 failed consumed      5 CU (net      5 CU)\n"
		   "CU log:  1 a consumed      1 CU (net      1 CU)\n"
		   "CU log:  2 caller consumed     50 CU (net     49 CU)\n");
	REPLAY("", OP("invoke") START("a", 1, 0) OP("fail") END("a", 1, 0));
	EXPECT_NE(NULL, strstr(self->replaying.err, "section 'a'"));
}

TEST_F(sections, json_has_a_list_per_flush)
{
	REPLAY("--json", START("o/\\\"", 5000, 1000) START("i", 4500, 0)
	       END("i", 18446744073709551615, 1400) FLUSH FLUSH
	       END("o/\\\"", 3500, 1600) FLUSH);
	EXPECT_EQ(0, self->replaying.status);
	EXPECT_STREQ("[{\"id\":\"i\",\"total_cu\":0,\"net_cu\":0,\"heap\":null}]\n"
		     "[{\"id\":\"o/\\\"\",\"total_cu\":1500,\"net_cu\":1500,"
		     "\"heap\":{\"total\":600,\"net\":600,\"remaining\":1600}}]\n",
		     self->replaying.out);
}

TEST_F(sections, a_log_without_a_last_flush_says_so)
{
	REPLAY("", START("a", 2, 0) END("a", 1, 0));
	EXPECT_EQ(0, self->replaying.status);
	EXPECT_STREQ("", self->replaying.out);
	EXPECT_NE(NULL, strstr(self->replaying.err, "not shown: 1"));
}

TEST_F(sections, wrong_lines_end_the_replay_by_number)
{
	static const char * const bad[] = {
		"x", "[]", "{", "{}", "{\"op\":1}", "{\"op\":\"stop\"}",
		"{\"op\":\"start\",\"cu\":1}", "{\"op\":\"start\",\"id\":\"a\"}",
		START("a", -1, 0), START("a", 1.5, 0), START("a", "1", 0),
		START("a", 18446744073709551616, 0), START("a", 1, -1),
		START("a", 99999999999999999999999, 0), START("a", null, 0),
		START("a", 1, 1) "", "{\"op\":'flush'}", FLUSH "",
		"{\"op\":\"flush\"} {}", "{\"op\":\"flush\",}",
		START("\xff", 1, 0), "{\"op\":\"start\",\"id\":1,\"cu\":1}",
		START("a\tb", 1, 0), "{\"op\":\"flush\",\"x\":NaN}",
		"{\"op\":\"flush\",\"x\":[-Infinity]}",
		"{\"op\":\"start\",\"id\":\"a\",\"\\u0063u\":18446744073709551616}",
	};
	char text[1024];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* two of them are right, so that this test can fail */
		bool right = i == 15 || i == 17;

		snprintf(text, sizeof(text), "\n%s%s%s%s\n%s",
			 START("z", 2, 0), END("z", 1, 0), FLUSH, bad[i], FLUSH);
		REPLAY("", text);
		EXPECT_EQ(!right, self->replaying.status) TH_LOG("%s", bad[i]);
		EXPECT_EQ(right, !strstr(self->replaying.err, "/log, line 5: "))
			TH_LOG("%s: %s", bad[i], self->replaying.err);
		EXPECT_STREQ("CU log:  1 z consumed      1 CU (net      1 CU)\n",
			     self->replaying.out);
	}
}

TEST_F(sections, keys_that_are_not_named_are_left_alone)
{
	EXPECT_LOG("\t{\"op\" :\t\"start\",\"id\":\"NaN\",\"cu\":18446744073709551615,"
		   "\"t\":0.123456789012345678901234,\"x\":99999999999999999999999,"
		   "\"y\":[[[[[[1,{\"cu\":99999999999999999999999}]]]]]],"
		   "\"z\":\"\\\"cu\\\":99999999999999999999999\"} \r\n"
		   END("NaN", 18446744073709551614, 0) FLUSH,
		   "CU log:  1 NaN consumed      1 CU (net      1 CU)\n");
}

TEST_F(sections, a_wrong_line_after_sections_says_what_is_not_shown)
{
	REPLAY("", START("a", 2, 0) END("a", 1, 0) "x\n");
	EXPECT_EQ(1, self->replaying.status);
	EXPECT_NE(NULL, strstr(self->replaying.err, "line 3: "));
	EXPECT_NE(NULL, strstr(self->replaying.err, "not shown: 1"));
}

/* Sections end in the order of their starts, so they cross. Ids are used repeatedly. */
TEST_F(sections, many_may_be_open_and_cross)
{
	FILE *file = replaying_log(&self->replaying);
	const int nr = 50000;
	const char *last;
	int i;

	fprintf(file, START("all", 1000000, 0));
	for (i = 0; i < nr; i++)
		fprintf(file, "{\"op\":\"start\",\"id\":\"s%d\",\"cu\":%d}\n",
			i, 900000 - i);
	for (i = 0; i < nr; i++)
		fprintf(file, "{\"op\":\"end\",\"id\":\"s%d\",\"cu\":%d}\n",
			i, 900000 - nr - i);
	fprintf(file, END("all", 0, 0) FLUSH);
	fclose(file);
	replaying_run(&self->replaying, "--kind sections");
	EXPECT_EQ(0, self->replaying.status);
	last = strstr(self->replaying.out, "CU log: 50000 ");
	ASSERT_NE(NULL, last);
	/* each took 50000 units, and they are inside of the one only */
	EXPECT_STREQ("CU log: 50000 s49999 consumed  50000 CU (net  50000 CU)\n"
		     "CU log: 50001 all consumed 1000000 CU (net      0 CU)\n",
		     last);
}

TEST_F(sections, a_line_has_an_end)
{
	FILE *file = replaying_log(&self->replaying);
	int i;

	fputs("{\"op\":\"flush\",\"a\":\"", file);
	for (i = 0; i < 70000; i++)
		fputc('a', file);
	fputs("\"}\n", file);
	fclose(file);
	replaying_run(&self->replaying, "--kind sections");
	EXPECT_EQ(1, self->replaying.status);
	EXPECT_NE(NULL, strstr(self->replaying.err, "line 1: longer than"));
}

TEST_F(sections, a_long_id_is_refused_and_the_log_goes_on)
{
	char text[2048], id[257];

	memset(id, 'a', 256);
	id[256] = '\0';
	snprintf(text, sizeof(text), "{\"op\":\"start\",\"id\":\"%s\",\"cu\":1}\n"
		 "{\"op\":\"start\",\"id\":\"%s\",\"cu\":1}\n"
		 "{\"op\":\"end\",\"id\":\"%s\",\"cu\":1}\n" FLUSH,
		 id, id + 1, id + 1);
	REPLAY("", text);
	EXPECT_NE(NULL, strstr(self->replaying.err, "line 1: cannot start"));
	EXPECT_NE(NULL, strstr(self->replaying.err, "more than 255 bytes"));
	EXPECT_NE(NULL, strstr(self->replaying.out, id + 1));
	EXPECT_EQ(0, self->replaying.status);
}

TEST_F(sections, ten_thousand_in_a_flush)
{
	FILE *file = replaying_log(&self->replaying);
	const char *last;
	int i;

	fputs(START("all", 100000, 0), file);
	for (i = 0; i < 9999; i++)
		fprintf(file, "{\"op\":\"start\",\"id\":\"s%d\",\"cu\":%d}\n"
			"{\"op\":\"end\",\"id\":\"s%d\",\"cu\":%d}\n", i,
			100000 - i, i, 100000 - i - 1);
	fputs(END("all", 0, 0) FLUSH, file);
	fclose(file);
	replaying_run(&self->replaying, "--kind sections");
	EXPECT_EQ(0, self->replaying.status);
	last = strstr(self->replaying.out, "CU log: 10000 ");
	ASSERT_NE(NULL, last);
	EXPECT_STREQ("CU log: 10000 all consumed 100000 CU (net  90001 CU)\n",
		     last);
}

TEST(the_way_is_a_mean_that_one_gap_hardly_moves)
{
	uint64_t way = mp_sections_way(0, 100);
	int i;

	EXPECT_EQ(100, way);
	EXPECT_EQ(101, mp_sections_way(way, 108));
	EXPECT_EQ(90, mp_sections_way(way, 20));
	EXPECT_EQ(120, mp_sections_way(way, UINT64_MAX));
	EXPECT_EQ(UINT64_MAX, mp_sections_way(0, UINT64_MAX));
	for (i = 0; i < 100; i++)
		way = mp_sections_way(way, i % 2 ? 500 : 300);
	EXPECT_GT(440, way);
	EXPECT_LT(360, way);
}

/* A clock that stood still for a while must not make it nearly 0 for good. */
TEST(the_way_grows_again)
{
	uint64_t way = 10000;
	int i;

	for (i = 0; i < 100; i++)
		way = mp_sections_way(way, 0);
	EXPECT_GT(10, way);
	for (i = 0; i < 70; i++)
		way = mp_sections_way(way, 10000);
	EXPECT_LT(9000, way);
	EXPECT_GE(10000, way);
}

TEST_HARNESS_MAIN
