// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of callsites, filters, trees and health: which frame is the callsite of a
 * stack, which rows pass a filter, and the sums.
 */
#include "call-tree.h"
#include "callsites.h"
#include "filter.h"
#include "grouping.h"
#include "health.h"
#include "json.h"
#include "sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

FIXTURE(callsites)
{
	struct mp_profile profile;
	char why[MP_FILTER_WHY_SIZE];
};

FIXTURE_SETUP(callsites)
{
	struct mp_binary binary = { .inode = 1, .path = "/opt/app" };

	memset(self, 0, sizeof(*self));
	mp_sites_add_binary(&self->profile, &binary);
	binary.inode = 2;
	strcpy(binary.path, "/lib/libc.so.6");
	mp_sites_add_binary(&self->profile, &binary);
}

FIXTURE_TEARDOWN(callsites)
{
	mp_profile_free(&self->profile);
}

static void name_frame(struct mp_profile *profile, struct mp_frame *frame,
		       const char *functions)
{
	char text[128], *rest = text, *name;
	struct mp_line line = { .file = MP_NAMES_NONE };

	snprintf(text, sizeof(text), "%s", functions);
	frame->first = (uint32_t)profile->symbols.nr_lines;
	while ((name = strsep(&rest, "<"))) {
		line.function = mp_names_add(&profile->symbols.names, name);
		if (mp_symbols_add(&profile->symbols, &line))
			abort();
		frame->nr++;
	}
}

/*
 * Adds a row of a stack. The functions are written innermost first: "a|b<c|d" means
 * that b is inlined in c. "" is a function without a name, "-" is a gap. @level: level
 * of the callsite.
 */
static void add(FIXTURE_DATA(callsites) *self, enum mp_row_kind kind,
		const char *stack, uint32_t level, uint64_t live, uint32_t end)
{
	struct mp_profile *profile = &self->profile;
	char text[256], *rest = text, *frame;
	uint64_t frames[64], offset;
	struct mp_row row = { .kind = kind, .pid = 10, .start_ns = 5 };
	uint32_t nr = 0, number;
	const char *c;

	snprintf(text, sizeof(text), "%s", stack);
	while ((frame = strsep(&rest, "|"))) {
		for (c = frame, offset = 100; *c; c++)
			offset = offset * 31 + (unsigned char)*c;
		if (!strcmp(frame, "-"))
			number = mp_frames_add(&profile->frames, 0, 0,
					       MP_STACKS_GAP);
		else
			number = mp_frames_add(&profile->frames, 1, 0, offset);
		if (strcmp(frame, "-") && *frame &&
		    !profile->frames.list[number].nr)
			name_frame(profile, &profile->frames.list[number],
				   frame);
		frames[nr++] = number + MP_FRAMES_FIRST;
	}
	if (end)
		frames[nr++] = end;
	row.location.stack = mp_stacks_add(&profile->frames.stacks, frames, nr) +
			  1;
	row.location.level = level;
	row.location.binary = 1;
	row.location.offset = mp_frames_at(&profile->frames, row.location.stack - 1,
					level)->offset;
	row.value[MP_INUSE_SPACE] = row.value[MP_PEAK_SPACE] = live;
	row.value[MP_ALLOC_SAMPLES] = row.value[MP_ALLOC_OBJECTS] = 1;
	row.value[MP_ALLOC_SPACE] = live;
	strcpy(row.comm, "app");
	if (mp_profile_add(profile, &row))
		abort();
}

static bool wraps(void *context, const char *name)
{
	(void)context;
	return name[0] == 'w';
}

static bool wraps_file(void *context, const char *path)
{
	(void)context;
	return strstr(path, "libc");
}

static const struct mp_callsites rules = {
	.is_wrapper = wraps, .is_wrapper_file = wraps_file,
};

/* Returns the text of the only row of a kind. */
static const char *called(FIXTURE_DATA(callsites) *self, enum mp_row_kind kind)
{
	const struct mp_line *line = NULL;
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++)
		if (self->profile.rows[i].kind == kind)
			line = mp_profile_line(&self->profile,
					       &self->profile.rows[i].location);
	return line ? mp_symbols_text(&self->profile.symbols, line->function) :
		      "";
}

static void group(FIXTURE_DATA(callsites) *self, unsigned int keys)
{
	mp_grouping_apply(&self->profile, keys | MP_GROUP_PID);
	mp_profile_merge(&self->profile);
	mp_grouping_apply(&self->profile, keys);
	mp_profile_merge(&self->profile);
}

static size_t nr_sites(FIXTURE_DATA(callsites) *self)
{
	size_t i, nr = 0;

	for (i = 0; i < self->profile.nr_rows; i++)
		nr += self->profile.rows[i].kind == MP_ROW_SITE;
	return nr;
}

static uint64_t sum(FIXTURE_DATA(callsites) *self, enum mp_row_kind kind)
{
	struct mp_total total;

	mp_profile_total(&self->profile, kind, &total);
	return total.value[MP_INUSE_SPACE];
}

TEST_F(callsites, the_first_function_that_wraps_nothing)
{
	add(self, MP_ROW_STACK, "w1|w2<f|g", 1, 10, 0);
	add(self, MP_ROW_SITE, "w1|w2<f|g", 1, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("f", called(self, MP_ROW_STACK));
	EXPECT_STREQ("f", called(self, MP_ROW_SITE));
}

/* A stack that was cut within wrappers: the outermost one is nearest to who called them. */
TEST_F(callsites, wrappers_all_the_way_are_their_outermost)
{
	add(self, MP_ROW_STACK, "w1<w2|w3", 0, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("w3", called(self, MP_ROW_STACK));
}

/* Faults of the sampler's own tables are not those of the program that it samples. */
TEST_F(callsites, what_the_sampler_does_is_its_own)
{
	strcpy(self->profile.binaries[0].path, "/usr/lib/libmemprof.so.0");
	add(self, MP_ROW_SITE, "wtable|f", 0, 1, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("wtable", called(self, MP_ROW_SITE));
}

TEST_F(callsites, frames_without_names_are_the_engines_to_judge)
{
	add(self, MP_ROW_STACK, "|f|g", 0, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_EQ(0, self->profile.rows[0].location.level);
	/* a name table said that the first one is a wrapper */
	self->profile.nr_rows = 0;
	add(self, MP_ROW_STACK, "|f|h", 1, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_EQ(1, self->profile.rows[0].location.level);
}

/* In a stripped program, only exported functions have names. */
TEST_F(callsites, functions_without_names_in_a_wrapper_are_parts_of_it)
{
	add(self, MP_ROW_STACK, "|w1|f", 0, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("f", called(self, MP_ROW_STACK));
	self->profile.nr_rows = 0;
	add(self, MP_ROW_STACK, "||w1|w2|h", 0, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("h", called(self, MP_ROW_STACK));
}

TEST_F(callsites, the_engines_peaks_stay_where_nothing_changes)
{
	add(self, MP_ROW_SITE, "w1|f|g", 1, 100, 0);
	self->profile.rows[0].value[MP_PEAK_SPACE] = 777;
	add(self, MP_ROW_STACK, "w1|f|g", 1, 60, 0);
	add(self, MP_ROW_STACK, "w1|f|h", 1, 40, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	group(self, MP_GROUP_DEFAULT);
	EXPECT_EQ(1, nr_sites(self));
	EXPECT_EQ(777, self->profile.rows[0].value[MP_PEAK_SPACE]);
	EXPECT_EQ(100, sum(self, MP_ROW_SITE));
}

/* The engine chose w2 as callsite. Only debug information shows that w2 is a wrapper. */
TEST_F(callsites, what_falls_apart_adds_up)
{
	add(self, MP_ROW_SITE, "w1|w2|f", 1, 100, 0);
	add(self, MP_ROW_STACK, "w1|w2|f", 1, 60, 0);
	add(self, MP_ROW_STACK, "w1|w2|g", 1, 40, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	group(self, MP_GROUP_DEFAULT);
	EXPECT_EQ(2, nr_sites(self));
	EXPECT_EQ(100, sum(self, MP_ROW_SITE));
	EXPECT_EQ(100, sum(self, MP_ROW_STACK));
	EXPECT_EQ(1, self->profile.rows[0].nr_processes ?: 1);
}

TEST_F(callsites, a_callsite_that_is_missing_is_its_caller)
{
	add(self, MP_ROW_STACK, "w1|-|f|g", 2, 10, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	EXPECT_STREQ("f", called(self, MP_ROW_STACK));
	EXPECT_EQ(2, self->profile.rows[0].location.level);
}

TEST_F(callsites, groups_add_up)
{
	static const unsigned int keys[] = {
		MP_GROUP_DEFAULT, MP_GROUP_SYMBOL, MP_GROUP_BINARY,
		MP_GROUP_PID, MP_GROUP_COMM | MP_GROUP_CGROUP,
		MP_GROUP_SOURCE,
	};
	static const size_t rows[] = { 3, 2, 1, 1, 1, 1 };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		self->profile.nr_rows = 0;
		add(self, MP_ROW_SITE, "f|a", 0, 1, 0);
		add(self, MP_ROW_SITE, "x<f|a", 0, 10, 0);
		add(self, MP_ROW_SITE, "f|b", 0, 100, 0);
		add(self, MP_ROW_SITE, "g|a", 0, 1000, 0);
		self->profile.rows[1].location.line = 1;
		group(self, keys[i]);
		EXPECT_EQ(rows[i], nr_sites(self));
		EXPECT_EQ(1111, sum(self, MP_ROW_SITE));
	}
	EXPECT_EQ(MP_GROUP_PID | MP_GROUP_SYMBOL,
		  mp_grouping_find("process,symbol"));
	EXPECT_EQ(0, mp_grouping_find("symbol,"));
	EXPECT_EQ(0, mp_grouping_find(""));
	EXPECT_EQ(0, mp_grouping_find("symbols"));
}

/* Filters */

static bool filter(FIXTURE_DATA(callsites) *self, const char *text)
{
	struct mp_filter filter = { 0 };
	char copy[256];
	bool good;

	snprintf(copy, sizeof(copy), "%s", text);
	good = mp_filter_add(&filter, copy, self->why);
	if (good)
		mp_filter_apply(&filter, &self->profile);
	mp_filter_free(&filter);
	return good;
}

TEST_F(callsites, filters_leave_what_passes)
{
	static const struct {
		const char *text;
		uint64_t left;
	} all[] = {
		{ "pid=10", 111 }, { "pid=11", 0 }, { "comm=app", 111 },
		{ "symbol=^a$", 11 }, { "symbol=a,symbol=b", 111 },
		{ "symbol=^(a|b)$,size>=50", 100 }, { "size>=1K", 0 },
		{ "symbol=^f$,comm=other", 0 }, { "symbol=nobody", 0 },
		{ "cgroup=/", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		self->profile.nr_rows = 0;
		add(self, MP_ROW_SITE, "f|a", 0, 1, 0);
		add(self, MP_ROW_SITE, "x<f|a", 0, 10, 0);
		add(self, MP_ROW_SITE, "f|b", 0, 100, 0);
		ASSERT_TRUE(filter(self, all[i].text));
		EXPECT_EQ(all[i].left, sum(self, MP_ROW_SITE));
	}
}

TEST_F(callsites, bad_filters_say_why)
{
	static const char * const bad[] = {
		"", "pid", "pid=", "pid=x", "pid=-1", "size>=", "size>=1X",
		"size>=99999999999999999999", "symbol=(", "colour=red",
		"pid=1,pid=", "comm=", "size=1",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		self->why[0] = '\0';
		EXPECT_FALSE(filter(self, bad[i]));
		EXPECT_NE('\0', self->why[0]);
	}
}

/* Trees */

/* Finds the child of a node by its name; 0 if there is none. */
static uint32_t node_of(FIXTURE_DATA(callsites) *self,
			const struct mp_stack_tree *tree, uint32_t parent,
			const char *name)
{
	const struct mp_symbols *symbols = &self->profile.symbols;
	uint32_t i;

	for (i = tree->nodes[parent].child; i; i = tree->nodes[i].next) {
		const struct mp_call_point *at = &tree->nodes[i].point;
		const struct mp_frame *frame;

		if (at->frame == MP_FRAMES_NONE ||
		    at->line == MP_CALL_NO_LINE)
			continue;
		frame = &self->profile.frames.list[at->frame];
		if (!strcmp(name, mp_symbols_text(symbols,
			    symbols->lines[frame->first + at->line].function)))
			return i;
	}
	return 0;
}

TEST_F(callsites, trees_add_up_from_both_ends)
{
	struct mp_stack_tree tree;
	uint32_t f, a, main;

	add(self, MP_ROW_STACK, "w1|f|a|main", 1, 1, 0);
	add(self, MP_ROW_STACK, "w2|f|b|main", 1, 10, 0);
	add(self, MP_ROW_STACK, "w1|x<f|a|main", 1, 100, MP_STACKS_CUT);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	ASSERT_EQ(0, mp_call_tree_build(&tree, &self->profile, MP_INUSE_SPACE,
					MP_TREE_CALLERS));
	EXPECT_EQ(111, mp_stack_tree_total(&tree, 0, 0));
	f = node_of(self, &tree, 0, "f");
	ASSERT_NE(0, f);
	EXPECT_EQ(11, mp_stack_tree_total(&tree, f, 0));
	/* the highest value first */
	EXPECT_EQ(f, tree.nodes[tree.nodes[0].child].next);
	a = node_of(self, &tree, f, "a");
	ASSERT_NE(0, a);
	EXPECT_EQ(1, mp_stack_tree_total(&tree, a, 0));
	mp_stack_tree_free(&tree);
	ASSERT_EQ(0, mp_call_tree_build(&tree, &self->profile, MP_INUSE_SPACE,
					MP_TREE_CALLEES));
	main = node_of(self, &tree, 0, "main");
	ASSERT_NE(0, main);
	EXPECT_EQ(11, mp_stack_tree_total(&tree, main, 0));
	EXPECT_EQ(0, mp_stack_tree_self(&tree, main, 0));
	mp_stack_tree_free(&tree);
}

TEST_F(callsites, recursion_counts_once)
{
	struct mp_stack_tree tree;
	uint32_t f, main;

	add(self, MP_ROW_STACK, "f|f|f|main", 0, 5, 0);
	ASSERT_EQ(0, mp_callsites_choose(&self->profile, &rules, false));
	ASSERT_EQ(0, mp_call_tree_build(&tree, &self->profile, MP_INUSE_SPACE,
					MP_TREE_FLAT));
	f = node_of(self, &tree, 0, "f");
	ASSERT_NE(0, f);
	EXPECT_EQ(5, mp_stack_tree_self(&tree, f, 0));
	EXPECT_EQ(5, mp_stack_tree_total(&tree, f, MP_CALL_TREE_WITH_CALLEES));
	main = node_of(self, &tree, 0, "main");
	ASSERT_NE(0, main);
	EXPECT_EQ(0, mp_stack_tree_self(&tree, main, 0));
	EXPECT_EQ(5, mp_stack_tree_total(&tree, main, MP_CALL_TREE_WITH_CALLEES));
	EXPECT_EQ(5, mp_stack_tree_total(&tree, 0, 0));
	mp_stack_tree_free(&tree);
}

/* Health */

TEST_F(callsites, stacks_are_whole_or_not)
{
	struct mp_health health;

	EXPECT_FALSE(mp_health_of(&self->profile, &health));
	EXPECT_STREQ("high", health.confidence);
	add(self, MP_ROW_STACK, "f|a|main", 0, 1, 0);
	add(self, MP_ROW_STACK, "f|a|__libc_start_main@plt", 0, 1, 0);
	add(self, MP_ROW_STACK, "f|b|x", 0, 1, MP_STACKS_BEGIN);
	EXPECT_TRUE(mp_health_of(&self->profile, &health));
	EXPECT_EQ(3, health.nr);
	EXPECT_EQ(0, health.nr_shallow);
	EXPECT_EQ(3, health.min_depth);
	add(self, MP_ROW_STACK, "f|c", 0, 1, MP_STACKS_CUT);
	EXPECT_TRUE(mp_health_of(&self->profile, &health));
	EXPECT_EQ(1, health.nr_shallow);
	EXPECT_STREQ("low", health.confidence);
	add(self, MP_ROW_STACK, "w1|-|g|main", 0, 1, 0);
	add(self, MP_ROW_STACK, "f|d", 0, 1, 0);
	EXPECT_TRUE(mp_health_of(&self->profile, &health));
	EXPECT_EQ(3, health.nr_shallow);
	EXPECT_EQ(2, health.min_depth);
}

/* What is missing in a deep stack is far from the callsite. */
TEST_F(callsites, deep_stacks_may_be_cut)
{
	struct mp_health health;

	add(self, MP_ROW_STACK, "a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|"
	    "a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|a|b", 0, 1, MP_STACKS_CUT);
	EXPECT_TRUE(mp_health_of(&self->profile, &health));
	EXPECT_EQ(1, health.nr_shallow);
	EXPECT_EQ(1, health.nr_deep);
	EXPECT_EQ(0, health.unknown);
	EXPECT_STREQ("high", health.confidence);
}

/* Nor is it near where a copy of the stack ended after some frames. */
TEST_F(callsites, copies_of_stacks_may_end)
{
	struct mp_health health;

	add(self, MP_ROW_STACK, "a|b|c|d|e", 0, 1, MP_STACKS_CUT);
	add(self, MP_ROW_STACK, "a|b|c|d|e", 0, 1, 0);
	EXPECT_TRUE(mp_health_of(&self->profile, &health));
	EXPECT_EQ(2, health.nr_shallow);
	EXPECT_EQ(1, health.nr_deep);
	EXPECT_EQ(0.5, health.unknown);
}

TEST_F(callsites, confidence_has_the_limits_of_its_classes)
{
	struct mp_health health;
	int i;

	for (i = 0; i < 20; i++)
		add(self, MP_ROW_STACK, "f|main", 0, 1, 0);
	self->profile.rows[0].value[MP_ALLOC_SAMPLES] = 76;
	add(self, MP_ROW_STACK, "f|c", 0, 1, MP_STACKS_CUT);
	self->profile.rows[20].value[MP_ALLOC_SAMPLES] = 5;
	mp_health_of(&self->profile, &health);
	/* 5 of 100 */
	EXPECT_STREQ("medium", health.confidence);
	self->profile.rows[20].value[MP_ALLOC_SAMPLES] = 4;
	mp_health_of(&self->profile, &health);
	EXPECT_STREQ("high", health.confidence);
	self->profile.rows[0].value[MP_ALLOC_SAMPLES] = 61;
	self->profile.rows[20].value[MP_ALLOC_SAMPLES] = 20;
	mp_health_of(&self->profile, &health);
	EXPECT_STREQ("medium", health.confidence);
	self->profile.rows[20].value[MP_ALLOC_SAMPLES] = 21;
	mp_health_of(&self->profile, &health);
	EXPECT_STREQ("low", health.confidence);
}

/* JSON, from a collector */

TEST_F(callsites, stacks_come_back_as_they_were_sent)
{
	struct mp_profile copy = { 0 };
	char *text = NULL, *line, *rest;
	struct mp_json_line parsed;
	struct mp_frames_stack a, b;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);

	add(self, MP_ROW_STACK, "w1|f|main", 1, 7, MP_STACKS_BEGIN);
	add(self, MP_ROW_SITE, "w1|-|f|main", 2, 7, 0);
	for (i = 0; i < mp_json_nr_lines(&self->profile); i++)
		mp_json_line(file, &self->profile, i);
	fclose(file);
	for (rest = text; (line = strsep(&rest, "\n")) && *line;)
		ASSERT_EQ(0, mp_json_read(&copy, line, strlen(line), &parsed));
	ASSERT_EQ(2, copy.nr_rows);
	ASSERT_EQ(self->profile.frames.nr, copy.frames.nr);
	for (i = 0; i < 2; i++) {
		const struct mp_location *from = &self->profile.rows[i].location;
		const struct mp_location *to = &copy.rows[i].location;

		EXPECT_EQ(from->level, to->level);
		a = mp_frames_stack(&self->profile.frames, from->stack - 1);
		b = mp_frames_stack(&copy.frames, to->stack - 1);
		ASSERT_EQ(a.nr, b.nr);
		EXPECT_EQ(a.end, b.end);
		EXPECT_EQ(0, memcmp(a.list, b.list, a.nr * sizeof(*a.list)));
	}
	EXPECT_TRUE(mp_frame_is_gap(mp_frames_at(&copy.frames,
				copy.rows[1].location.stack - 1, 1)));
	free(text);
	mp_profile_free(&copy);
}

TEST_F(callsites, bad_stacks_are_refused)
{
	static const char * const bad[] = {
		"{\"type\":\"frame\",\"number\":1,\"offset\":5}",
		"{\"type\":\"frame\",\"offset\":5}",
		"{\"type\":\"frame\",\"number\":0,\"offset\":-5}",
		"{\"type\":\"stack\",\"stack\":[0]}",
		"{\"type\":\"stack\",\"stack\":[-1]}",
		"{\"type\":\"stack\",\"stack\":[4294967296]}",
		"{\"type\":\"stack\",\"stack\":[\"a\"]}",
		"{\"type\":\"stack\",\"stack\":1}",
		"{\"type\":\"stack\",\"stack\":[],\"end\":3}",
		"{\"type\":\"stack\",\"stack\":[],\"level\":100000}",
	};
	struct mp_json_line parsed;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mp_profile copy = { 0 };

		EXPECT_EQ(-EBADMSG, mp_json_read(&copy, bad[i], strlen(bad[i]),
						 &parsed));
		EXPECT_EQ(0, copy.nr_rows);
		mp_profile_free(&copy);
	}
}

TEST_HARNESS_MAIN
