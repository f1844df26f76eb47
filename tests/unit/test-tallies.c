// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the sums in a recording: samples with values, and the description of rows. */
#include "tallies.h"
#include "perf-writer.h"

#include "kselftest_harness.h"

#include <stdio.h>
#include <string.h>

FIXTURE(tallies)
{
	struct mp_tallies tallies;
	struct mp_perf_event event;
};

FIXTURE_SETUP(tallies)
{
	char *text = mp_perf_format_text("site");

	ASSERT_NE(NULL, text);
	ASSERT_TRUE(mp_format_parse(&self->event.format, text));
	free(text);
}

FIXTURE_TEARDOWN(tallies)
{
	mp_tallies_free(&self->tallies);
}

static int put_sample(struct mp_tallies *tallies,
		      const struct mp_perf_event *event, uint64_t value)
{
	struct {
		uint64_t common, value[MP_NR_METRICS];
	} raw = { 0 };
	struct mp_perf_sample sample = { .raw = &raw, .raw_size = sizeof(raw) };
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		raw.value[i] = value + i;
	return mp_tallies_sample(tallies, event, &sample);
}

static int put_piece(struct mp_tallies *tallies, uint32_t what,
		     const char *text, uint64_t offset, uint64_t total)
{
	struct {
		struct mp_perf_piece piece;
		char text[64];
	} record = { .piece = {
		.header = { MP_PERF_RECORD_SKIPPED, 0, sizeof(record) },
		.magic = MP_PERF_PIECE_MAGIC, .what = what,
		.bytes = strlen(text), .offset = offset, .total = total,
	} };

	memcpy(record.text, text, strlen(text));
	return mp_tallies_piece(tallies, &record.piece.header);
}

TEST_F(tallies, a_sample_has_all_metrics)
{
	int i;

	ASSERT_EQ(0, put_sample(&self->tallies, &self->event, 1000));
	ASSERT_EQ(0, put_piece(&self->tallies, MP_PERF_PIECE_ROWS, "x", 0, 1));
	ASSERT_EQ(1, self->tallies.last.nr);
	for (i = 0; i < MP_NR_METRICS; i++)
		EXPECT_EQ(1000 + i, self->tallies.last.values[0][i]);
}

TEST_F(tallies, the_last_complete_set_counts)
{
	struct mp_tallies *tallies = &self->tallies;

	ASSERT_EQ(0, put_sample(tallies, &self->event, 1));
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "one", 0, 3));
	ASSERT_EQ(0, put_sample(tallies, &self->event, 2));
	ASSERT_EQ(0, put_sample(tallies, &self->event, 3));
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "tw", 0, 3));
	EXPECT_EQ(1, tallies->last.nr);
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "o", 2, 3));
	EXPECT_EQ(2, tallies->last.nr);
	EXPECT_EQ(3, tallies->last.size);
	EXPECT_EQ(0, memcmp("two", tallies->last.text, 3));
	EXPECT_TRUE(tallies->last.split);
}

TEST_F(tallies, values_without_a_whole_description_are_dropped)
{
	struct mp_tallies *tallies = &self->tallies;

	ASSERT_EQ(0, put_sample(tallies, &self->event, 1));
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "half", 0, 8));
	ASSERT_EQ(0, put_sample(tallies, &self->event, 2));
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "whole", 0, 5));
	ASSERT_EQ(1, tallies->last.nr);
	EXPECT_EQ(2, tallies->last.values[0][0]);
}

TEST_F(tallies, older_recordings_have_the_values_in_the_text)
{
	ASSERT_EQ(0, put_sample(&self->tallies, &self->event, 1));
	ASSERT_EQ(0, put_piece(&self->tallies, MP_PERF_PIECE_PROFILE, "old",
			       0, 3));
	EXPECT_EQ(3, self->tallies.last.size);
	EXPECT_FALSE(self->tallies.last.split);
}

TEST_F(tallies, records_of_older_recordings_are_smaller)
{
	struct {
		struct mp_perf_piece piece;
		char text[8];
	} record = { .piece = {
		.header = { MP_PERF_RECORD_SKIPPED, 0, sizeof(record) },
		.magic = MP_PERF_PIECE_MAGIC, .what = MP_PERF_PIECE_ROWS,
		.bytes = 3, .total = 3,
	}, .text = "old" };

	ASSERT_EQ(48, sizeof(record));
	ASSERT_EQ(0, mp_tallies_piece(&self->tallies, &record.piece.header));
	EXPECT_EQ(3, self->tallies.last.size);
}

TEST_F(tallies, pieces_out_of_order_or_of_another_kind_are_ignored)
{
	struct mp_tallies *tallies = &self->tallies;

	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_ROWS, "b", 1, 2));
	ASSERT_EQ(0, put_piece(tallies, MP_PERF_PIECE_SIZES, "s", 0, 1));
	EXPECT_EQ(NULL, tallies->last.text);
	ASSERT_EQ(0, put_sample(tallies, &self->event, 1));
	EXPECT_EQ(1, tallies->next.nr);
}

TEST_HARNESS_MAIN
