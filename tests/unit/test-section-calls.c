// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of section-calls and section-flushes: which section is the caller of which,
 * and how records are sorted into flushes.
 */
#include "section-calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"

#define MAX	64

/* Makes a record whose id is one letter. The times are equal to the sequence numbers. */
static struct memprof_section record(char id, uint64_t start, uint64_t end,
				     uint64_t net)
{
	return (struct memprof_section){
		.id = { id }, .id_len = 1, .start_seq = start, .end_seq = end,
		.start_ns = 1000 + start, .end_ns = 1000 + end,
		.net_cu = net, .total_cu = net,
	};
}

FIXTURE(tree)
{
	struct mp_calls calls;
	struct memprof_section records[MAX];
	struct mp_section_flush flush;
	char text[1024];
};

/* Writes the stacks of a chart: names and own ticks, callers first. */
static int put(const struct mp_calls *calls, const struct mp_calls_top *top)
{
	char *text = calls->context, path[MAX];
	const struct mp_stack_node *node;
	uint32_t number;
	size_t i, at;

	for (i = 0; i < top->calls->nr; i++) {
		const struct mp_call_spool_call *call = mp_call_spool_at(top->calls, i);

		at = sizeof(path) - 1;
		path[at] = '\0';
		for (number = call->node; number; number = node->parent) {
			node = &calls->flame.nodes[number];
			path[--at] = *calls->flame.names.list[node->name];
		}
		sprintf(text + strlen(text), "%s%lu ", path + at,
			call->ticks);
	}
	sprintf(text + strlen(text), "(%lu in %lu) ", top->took.tick,
		top->took.known ? top->took.ns : 0);
	return 0;
}

FIXTURE_SETUP(tree)
{
	mp_calls_init(&self->calls);
	self->calls.max_depth = 100;
	self->calls.chart = true;
	self->calls.top = put;
	self->calls.context = self->text;
	self->flush.records = self->records;
	self->flush.nr = 0;
	self->text[0] = '\0';
}

FIXTURE_TEARDOWN(tree)
{
	mp_calls_free(&self->calls);
}

static const char *shown(FIXTURE_DATA(tree) *self)
{
	self->text[0] = '\0';
	return mp_section_calls(&self->calls, &self->flush, false) ?
	       "failed" : self->text;
}

#define ADD(...) (self->records[self->flush.nr++] = record(__VA_ARGS__))

TEST_F(tree, sections_inside_are_called)
{
	ADD('c', 3, 4, 30);
	ADD('b', 2, 5, 20);
	ADD('d', 6, 7, 40);
	ADD('a', 1, 8, 10);
	EXPECT_STREQ("a10 ab20 abc30 ad40 (100 in 7) ", shown(self));
}

TEST_F(tree, sections_that_cross_stand_side_by_side)
{
	ADD('a', 1, 4, 10);
	ADD('b', 2, 5, 20);
	EXPECT_STREQ("a10 (10 in 3) b20 (20 in 3) ", shown(self));
}

TEST_F(tree, inside_of_both_the_later_one_calls)
{
	ADD('c', 3, 4, 1);
	ADD('a', 1, 5, 10);
	ADD('d', 6, 7, 2);
	ADD('b', 2, 8, 20);
	EXPECT_STREQ("a10 (10 in 4) b20 bc1 bd2 (23 in 6) ", shown(self));
}

TEST_F(tree, those_inside_of_none_have_their_totals)
{
	ADD('c', 4, 5, 30);
	ADD('a', 2, 6, 70);
	ADD('b', 3, 7, 60);
	ADD('p', 1, 8, 30);
	self->records[1].total_cu = 100;
	self->records[2].total_cu = 90;
	self->records[3].total_cu = 220;
	ADD('x', 9, 11, 5);
	ADD('y', 10, 12, 6);
	self->text[0] = '\0';
	EXPECT_EQ(0, mp_section_calls(&self->calls, &self->flush, true));
	EXPECT_STREQ("p220 (220 in 7) x5 (5 in 2) y6 (6 in 2) ", self->text);
	EXPECT_EQ(231, self->calls.total.tick);
	EXPECT_TRUE(self->calls.total.known);
}

TEST_F(tree, what_the_meters_never_had_does_not_go_round)
{
	ADD('a', 1, 2, UINT64_MAX);
	ADD('b', 3, 4, 5);
	ADD('d', 6, 7, UINT64_MAX);
	ADD('e', 8, 9, 7);
	ADD('c', 5, 10, 6);
	EXPECT_STREQ("a18446744073709551615 (18446744073709551615 in 1) b5 (5 in 1) "
		     "c6 cd18446744073709551615 ce7 (18446744073709551615 in 5) ",
		     shown(self));
}

TEST_F(tree, numbers_that_make_no_sense_do_no_harm)
{
	int i;

	srand(1);
	for (i = 0; i < MAX; i++)
		ADD('x', rand() % 8, rand() % 8, 1);
	EXPECT_EQ(0, mp_section_calls(&self->calls, &self->flush, false));
	EXPECT_EQ(MAX, self->calls.total.tick);
	EXPECT_EQ(0, self->calls.nr_frames);
}

/* Finds the parent by definition: the last started section that contains this one. */
static int parent_of(const struct memprof_section *all, int nr, int which)
{
	int i, parent = -1;

	for (i = 0; i < nr; i++)
		if (all[i].start_seq < all[which].start_seq &&
		    all[i].end_seq > all[which].end_seq &&
		    (parent < 0 || all[i].start_seq > all[parent].start_seq))
			parent = i;
	return parent;
}

/* All records have net 1, so each section has its own line with its callers. */
TEST_F(tree, any_crossings_come_out_as_the_definition_says)
{
	char path[MAX], expected[64];
	int round, i, at, of, nr, seq[20];

	srand(2);
	for (round = 0; round < 2000; round++) {
		nr = 2 + rand() % 8;
		for (i = 0; i < 2 * nr; i++)
			seq[i] = i + 1;
		for (i = 2 * nr - 1; i > 0; i--) {
			at = rand() % (i + 1);
			of = seq[i];
			seq[i] = seq[at];
			seq[at] = of;
		}
		self->flush.nr = 0;
		for (i = 0; i < nr; i++)
			ADD('a' + i, seq[2 * i] < seq[2 * i + 1] ?
			    seq[2 * i] : seq[2 * i + 1], seq[2 * i] <
			    seq[2 * i + 1] ? seq[2 * i + 1] : seq[2 * i], 1);
		shown(self);
		for (i = 0; i < nr; i++) {
			at = sizeof(path) - 1;
			path[at] = '\0';
			for (of = i; of >= 0;
			     of = parent_of(self->records, nr, of))
				path[--at] = *self->records[of].id;
			snprintf(expected, sizeof(expected), "%s1 ", path + at);
			ASSERT_NE(NULL, strstr(self->text, expected));
		}
		mp_calls_end_run(&self->calls);
		}
}

FIXTURE(flushes)
{
	struct mp_section_flushes flushes;
	uint64_t now;
	char text[1024];
};

static int note(void *context, struct mp_section_flush *flush)
{
	char *text = context;
	size_t i;

	sprintf(text + strlen(text), "%u%s", flush->tid,
		flush->whole ? ":" : "?");
	for (i = 0; i < flush->nr; i++)
		sprintf(text + strlen(text), "%llu", flush->records[i].index);
	strcat(text, " ");
	return 0;
}

static size_t nr_records;

static int count(void *context, struct mp_section_flush *flush)
{
	(void)context;
	nr_records += flush->nr;
	return 0;
}

FIXTURE_SETUP(flushes)
{
	self->flushes = (struct mp_section_flushes){
		.take = note, .context = self->text,
	};
	self->now = 0;
	self->text[0] = '\0';
}

FIXTURE_TEARDOWN(flushes)
{
	mp_section_flushes_free(&self->flushes);
}

static void come_at(FIXTURE_DATA(flushes) *self, uint64_t time_ns, uint32_t tid,
		    uint64_t index, uint64_t left)
{
	const struct memprof_section record = { .index = index, .left = left };

	if (mp_section_flushes_add(&self->flushes, 1, tid, time_ns, &record))
		abort();
}

static void come(FIXTURE_DATA(flushes) *self, uint32_t tid, uint64_t index,
		 uint64_t left)
{
	come_at(self, ++self->now, tid, index, left);
}

static const char *after_rounds(FIXTURE_DATA(flushes) *self, int nr)
{
	while (nr--)
		mp_section_flushes_round(&self->flushes);
	return self->text;
}

TEST_F(flushes, are_handed_on_when_nothing_older_can_come)
{
	come(self, 7, 1, 2);
	come(self, 8, 1, 0);
	come(self, 7, 2, 1);
	EXPECT_STREQ("", after_rounds(self, 1));
	EXPECT_STREQ("8:1 ", after_rounds(self, 1));
	come(self, 7, 3, 0);
	come(self, 7, 1, 0);
	EXPECT_STREQ("8:1 7:123 7:1 ", after_rounds(self, 2));
	mp_section_flushes_end(&self->flushes);
	EXPECT_STREQ("8:1 7:123 7:1 ", self->text);
}

/* The thread ran on the second CPU, then on the first, then on the second again. */
TEST_F(flushes, of_several_cpus_are_put_in_order)
{
	come_at(self, 14, 7, 2, 1);
	come_at(self, 15, 7, 3, 0);
	come_at(self, 16, 7, 1, 0);
	come_at(self, 10, 7, 1, 1);
	come_at(self, 11, 7, 2, 0);
	come_at(self, 12, 7, 1, 0);
	come_at(self, 13, 7, 1, 2);
	come_at(self, 17, 7, 1, 1);
	EXPECT_STREQ("7:12 7:1 7:123 7:1 ", after_rounds(self, 2));
	come_at(self, 18, 7, 2, 0);
	EXPECT_STREQ("7:12 7:1 7:123 7:1 7:12 ", after_rounds(self, 2));
}

/* The records of the first CPU were read before the flush, those of the second after it. */
TEST_F(flushes, that_go_on_in_what_was_visited_wait_for_a_round)
{
	come_at(self, 12, 7, 1, 0);
	EXPECT_STREQ("", after_rounds(self, 1));
	come_at(self, 10, 7, 1, 1);
	come_at(self, 11, 7, 2, 0);
	EXPECT_STREQ("7:12 7:1 ", after_rounds(self, 1));
}

TEST_F(flushes, tell_when_some_are_missing)
{
	come(self, 7, 1, 2);
	come(self, 7, 3, 0);
	come(self, 8, 2, 0);
	come(self, 9, 1, 2);
	come(self, 9, 1, 0);
	EXPECT_STREQ("7?13 9?1 9:1 8?2 ", after_rounds(self, 2));
	/* the end is missing: more may come */
	come(self, 7, 1, 2);
	come(self, 7, 2, 1);
	self->text[0] = '\0';
	EXPECT_STREQ("", after_rounds(self, 3));
	mp_section_flushes_end(&self->flushes);
	EXPECT_STREQ("7?12 ", self->text);
}

/* A flush is read in parts, and another section ends between two parts. */
TEST_F(flushes, may_grow_while_they_are_read)
{
	come(self, 7, 1, 1);
	come(self, 7, 2, 1);
	come(self, 7, 3, 0);
	EXPECT_STREQ("7:123 ", after_rounds(self, 2));
}

TEST_F(flushes, threads_that_have_none_are_forgotten)
{
	uint32_t tid;

	come(self, 1, 1, 1);
	for (tid = 2; tid <= 50; tid++)
		come(self, tid, 1, tid == 50);
	after_rounds(self, 2);
	EXPECT_EQ(2, self->flushes.nr);
	EXPECT_EQ(2, self->flushes.by_thread.nr);
	self->text[0] = '\0';
	come(self, 50, 2, 0);
	come(self, 1, 2, 0);
	come(self, 20, 1, 0);
	EXPECT_STREQ("1:12 20:1 50:12 ", after_rounds(self, 2));
	EXPECT_EQ(0, self->flushes.nr);
	EXPECT_EQ(0, self->flushes.by_thread.nr);
}

/* In an untrusted file, the flush of a thread may never end. */
TEST_F(flushes, do_not_grow_without_end)
{
	uint64_t i;

	self->flushes.take = count;
	for (i = 1; i <= 4 * MEMPROF_SECTION_MAX_COMPLETED + 1; i++)
		come(self, 7, i, 1);
	EXPECT_EQ(4 * MEMPROF_SECTION_MAX_COMPLETED, nr_records);
	mp_section_flushes_end(&self->flushes);
	EXPECT_EQ(4 * MEMPROF_SECTION_MAX_COMPLETED + 1, nr_records);
}

#define THREADS	3

struct ring {
	struct memprof_section records[4096];
	uint64_t times[4096];
	uint32_t tids[4096];
	int nr, visited;
};

static struct ring rings[2];
static uint64_t taken[THREADS];
static int wrong;

/* Checks the order of a flush. @start_seq is the number of the record in its thread. */
static int check_order(void *context, struct mp_section_flush *flush)
{
	size_t i;

	(void)context;
	wrong += !flush->whole;
	for (i = 0; i < flush->nr; i++)
		wrong += flush->records[i].start_seq != ++taken[flush->tid];
	return 0;
}

/* Makes threads flush on random CPUs, at random times. */
static void work(FIXTURE_DATA(flushes) *self, int nr)
{
	static struct memprof_section last[THREADS];

	while (nr--) {
		uint32_t tid = (uint32_t)(rand() >> 8) % THREADS;
		struct ring *ring = &rings[(rand() >> 8) % 2];
		struct memprof_section *record = &last[tid];

		if (record->left) {
			record->left--;
			record->index++;
		} else {
			record->left = (unsigned int)(rand() >> 8) % 5;
			record->index = 1;
		}
		record->start_seq++;
		ring->times[ring->nr] = ++self->now;
		ring->tids[ring->nr] = tid;
		ring->records[ring->nr++] = *record;
	}
}

static void visit(FIXTURE_DATA(flushes) *self, struct ring *ring)
{
	for (; ring->visited < ring->nr; ring->visited++)
		if (mp_section_flushes_add(&self->flushes, 1,
					   ring->tids[ring->visited],
					   ring->times[ring->visited],
					   &ring->records[ring->visited]))
			abort();
}

TEST_F(flushes, of_any_rings_come_out_as_they_were_made)
{
	int round;

	srand(1);
	self->flushes.take = check_order;
	for (round = 0; round < 200; round++) {
		work(self, (rand() >> 8) % 20);
		visit(self, &rings[0]);
		work(self, (rand() >> 8) % 20);
		visit(self, &rings[1]);
		after_rounds(self, 1);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_LT(self->now - 200, taken[0] + taken[1] + taken[2]);
}

TEST_HARNESS_MAIN
