// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of difference: rows of two profiles are matched by name, and stacks of the
 * earlier profile are subtracted.
 */
#include "difference.h"
#include "frames.h"
#include "repeated.h"
#include "sample.h"
#include "sites.h"

#include "kselftest_harness.h"

FIXTURE(difference)
{
	struct mp_profile before;
	struct mp_profile after;
	struct mp_difference difference;
	struct mp_stack_samples old;
	struct mp_stack_samples new;
};

/* Adds a callsite in a function at an offset. Its caller is at twice that offset. */
static void add_site(struct mp_profile *profile, const char *comm,
		     const char *function, uint64_t offset, uint64_t live,
		     uint64_t blocks)
{
	struct mp_binary binary = { .inode = offset, .dev = 5, .path = "/opt/app" };
	struct mp_row row = {
		.kind = MP_ROW_SITE, .pid = 1, .cgroup = 7,
		.location = { .offset = offset },
	};
	struct mp_line line = {
		.function = mp_names_add(&profile->symbols.names, function),
		.file = MP_NAMES_NONE,
	};
	uint64_t frames[2];
	uint32_t i, number;

	snprintf(row.comm, sizeof(row.comm), "%s", comm);
	mp_sites_binary(profile, &binary, &row.location.binary);
	for (i = 0; i < 2; i++) {
		number = mp_frames_add(&profile->frames, row.location.binary, 0,
				       offset * (i + 1));
		frames[i] = MP_FRAMES_FIRST + (uint64_t)number;
		profile->frames.list[number].first =
			(uint32_t)profile->symbols.nr_lines;
		profile->frames.list[number].nr = 1;
		mp_symbols_add(&profile->symbols, &line);
	}
	row.location.stack = mp_stacks_add(&profile->frames.stacks, frames, 2) + 1;
	row.value[MP_INUSE_SPACE] = live;
	row.value[MP_ALLOC_OBJECTS] = blocks;
	row.value[MP_PEAK_SPACE] = 2 * live;
	sample_add(profile, row, 0);
}

static void name_of(const struct mp_profile *profile, const struct mp_row *row,
		    char *text, char *place)
{
	const struct mp_frame *frame = mp_frames_at(&profile->frames,
						    row->location.stack - 1, 0);
	const struct mp_line *line = &profile->symbols.lines[frame->first];

	snprintf(text, 32, "%s", mp_symbols_text(&profile->symbols,
						 line->function));
	snprintf(place, 32, "file:%x", (unsigned int)row->location.offset);
}

static void list(struct mp_stack_samples *samples, const struct mp_profile *profile)
{
	size_t i;

	samples->rows = calloc(profile->nr_rows, sizeof(*samples->rows));
	for (i = 0; i < profile->nr_rows; i++)
		samples->rows[samples->nr++] = &profile->rows[i];
}

FIXTURE_SETUP(difference)
{
	memset(self, 0, sizeof(*self));
	add_site(&self->before, "app", "stays", 0x100, 1000, 10);
	add_site(&self->before, "app", "goes", 0x200, 500, 5);
	add_site(&self->before, "app", "same", 0x300, 70, 7);
	/* another build: other offsets; and in two places, which are one */
	add_site(&self->after, "app", "stays", 0x180, 300, 2);
	add_site(&self->after, "app", "stays", 0x190, 500, 20);
	add_site(&self->after, "app", "same", 0x380, 70, 7);
	add_site(&self->after, "other", "stays", 0x180, 40, 1);
	ASSERT_EQ(0, mp_id_names_add(&self->before.names, 7, "/old"));
}

FIXTURE_TEARDOWN(difference)
{
	mp_stack_samples_free(&self->old);
	mp_stack_samples_free(&self->new);
	mp_difference_free(&self->difference);
	mp_profile_free(&self->before);
	mp_profile_free(&self->after);
}

static int add_both(FIXTURE_DATA(difference) *self)
{
	return mp_difference_add(&self->difference, &self->before, MP_ROW_SITE,
				 false, name_of, 32) ?:
	       mp_difference_add(&self->difference, &self->after, MP_ROW_SITE,
				 true, name_of, 32);
}

static const char *name_at(FIXTURE_DATA(difference) *self, size_t i)
{
	return self->difference.names.list[self->difference.rows[i].name];
}

TEST_F(difference, rows_of_one_name_are_added_up)
{
	const struct mp_difference_row *row;

	ASSERT_EQ(0, add_both(self));
	ASSERT_EQ(4, self->difference.nr);
	row = &self->difference.rows[0];
	EXPECT_STREQ("stays", name_at(self, 0));
	EXPECT_EQ(1000, row->before[MP_INUSE_SPACE]);
	EXPECT_EQ(800, row->after[MP_INUSE_SPACE]);
	EXPECT_EQ(-200, mp_difference_of(row, MP_INUSE_SPACE));
	EXPECT_EQ(12, mp_difference_of(row, MP_ALLOC_OBJECTS));
	/* peaks do not add up */
	EXPECT_EQ(1000, row->after[MP_PEAK_SPACE]);
}

TEST_F(difference, lines_of_the_side_that_has_more_are_named)
{
	const struct mp_difference_row *rows;
	char text[64];

	ASSERT_EQ(0, add_both(self));
	rows = self->difference.rows;
	/* 1000 bytes before, then 300 and 500; 10 blocks before, then 22 */
	mp_difference_text(&self->difference, &rows[0], MP_INUSE_SPACE, text, sizeof(text));
	EXPECT_STREQ("stays file:100", text);
	mp_difference_text(&self->difference, &rows[0], MP_ALLOC_OBJECTS, text, sizeof(text));
	EXPECT_STREQ("stays file:190 and others", text);
	mp_difference_text(&self->difference, &rows[1], MP_INUSE_SPACE, text, sizeof(text));
	EXPECT_STREQ("goes file:200", text);
	mp_difference_text(&self->difference, &rows[2], MP_INUSE_SPACE, text, sizeof(text));
	EXPECT_STREQ("same file:380", text);
}

TEST_F(difference, sums_are_of_all_rows_but_for_peaks)
{
	ASSERT_EQ(0, add_both(self));
	EXPECT_EQ(1570, self->difference.sum.before[MP_INUSE_SPACE]);
	EXPECT_EQ(910, self->difference.sum.after[MP_INUSE_SPACE]);
	EXPECT_EQ(8, mp_difference_of(&self->difference.sum, MP_ALLOC_OBJECTS));
	EXPECT_EQ(0, self->difference.sum.before[MP_PEAK_SPACE]);
	EXPECT_EQ(0, self->difference.sum.after[MP_PEAK_SPACE]);
}

TEST_F(difference, the_widest_comes_first_and_equals_are_left_out)
{
	ASSERT_EQ(0, add_both(self));
	mp_difference_sort(&self->difference, MP_INUSE_SPACE);
	ASSERT_EQ(3, self->difference.nr);
	EXPECT_STREQ("goes", name_at(self, 0));
	EXPECT_EQ(-500, mp_difference_of(&self->difference.rows[0],
					 MP_INUSE_SPACE));
	EXPECT_STREQ("stays", name_at(self, 1));
	EXPECT_EQ(40, mp_difference_of(&self->difference.rows[2],
				       MP_INUSE_SPACE));
	mp_difference_sort(&self->difference, MP_ALLOC_OBJECTS);
	EXPECT_STREQ("stays", name_at(self, 0));
	EXPECT_EQ(12, mp_difference_of(&self->difference.rows[0],
				       MP_ALLOC_OBJECTS));
}

TEST_F(difference, a_profile_does_not_differ_from_itself)
{
	ASSERT_EQ(0, mp_difference_add(&self->difference, &self->before,
				       MP_ROW_SITE, false, name_of, 32));
	ASSERT_EQ(0, mp_difference_add(&self->difference, &self->before,
				       MP_ROW_SITE, true, name_of, 32));
	mp_difference_sort(&self->difference, MP_INUSE_SPACE);
	EXPECT_EQ(0, self->difference.nr);
}

TEST_F(difference, other_kinds_are_left_alone)
{
	ASSERT_EQ(0, mp_difference_add(&self->difference, &self->before,
				       MP_ROW_PROCESS, false, name_of, 32));
	EXPECT_EQ(0, self->difference.nr);
}

TEST_F(difference, leaves_are_the_later_ones_and_the_earlier_taken_away)
{
	size_t i, nr = self->after.nr_rows;

	list(&self->old, &self->before);
	list(&self->new, &self->after);
	ASSERT_EQ(0, mp_stack_samples_subtract(&self->new, &self->after, &self->old,
					&self->before));
	ASSERT_EQ(nr + self->before.nr_rows, self->new.nr);
	EXPECT_EQ(910 - 1570, mp_stack_samples_total(&self->new, MP_INUSE_SPACE));
	EXPECT_EQ(30 - 22, mp_stack_samples_total(&self->new, MP_ALLOC_OBJECTS));
	for (i = 0; i < self->new.nr; i++) {
		EXPECT_EQ(0, self->new.rows[i]->value[MP_PEAK_SPACE]);
		EXPECT_EQ(i < nr, (int64_t)self->new.rows[i]->value[
				  MP_INUSE_SPACE] > 0);
	}
	/* what the caller has is as it was */
	EXPECT_EQ(1000, self->before.rows[0].value[MP_INUSE_SPACE]);
	EXPECT_EQ(2000, self->before.rows[0].value[MP_PEAK_SPACE]);
	EXPECT_EQ(300, self->after.rows[0].value[MP_INUSE_SPACE]);
}

TEST_F(difference, moved_leaves_keep_stacks_names_and_binaries)
{
	const struct mp_frame *frame;
	const struct mp_row *row;
	char name[32], place[32];
	size_t i;

	list(&self->old, &self->before);
	list(&self->new, &self->after);
	ASSERT_EQ(0, mp_stack_samples_subtract(&self->new, &self->after, &self->old,
					&self->before));
	for (i = 0; i < self->before.nr_rows; i++) {
		row = self->new.rows[self->after.nr_rows + i];
		name_of(&self->after, row, name, place);
		EXPECT_STREQ(i == 0 ? "stays" : i == 1 ? "goes" : "same", name);
		ASSERT_EQ(2, mp_frames_stack(&self->after.frames,
					     row->location.stack - 1).nr);
		frame = mp_frames_at(&self->after.frames, row->location.stack - 1,
				     1);
		EXPECT_EQ(0x200 * (i + 1), frame->offset);
		ASSERT_NE(0, frame->binary);
		EXPECT_EQ(0x100 * (i + 1),
			  self->after.binaries[frame->binary - 1].inode);
		EXPECT_EQ(frame->binary, row->location.binary);
	}
	EXPECT_STREQ("/old", mp_id_names_find(&self->after.names, 7));
}

TEST_F(difference, without_later_leaves_all_is_less)
{
	struct mp_profile none = { 0 };

	list(&self->old, &self->before);
	ASSERT_EQ(0, mp_stack_samples_subtract(&self->new, &none, &self->old,
					&self->before));
	EXPECT_EQ(self->before.nr_rows, self->new.nr);
	EXPECT_EQ(-1570, mp_stack_samples_total(&self->new, MP_INUSE_SPACE));
	mp_stack_samples_free(&self->new);
	mp_profile_free(&none);
}

/* A run in which leak() has @leak and other() @other live bytes. */
static void add_run(struct mp_runs *runs, uint64_t leak, uint64_t other)
{
	struct mp_profile profile = { 0 };

	add_site(&profile, "app", "leak", 100, leak, 1);
	if (other)
		add_site(&profile, "app", "other", 200, other, 1);
	mp_difference_add(&runs->list[runs->nr++], &profile, MP_ROW_SITE, true, name_of,
			  256);
	mp_profile_free(&profile);
}

TEST_F(difference, repeated_runs_have_medians_and_noise)
{
	struct mp_runs *sides = calloc(2, sizeof(*sides));
	const struct mp_difference_row *row;
	size_t i;

	add_run(&sides[0], 1000, 500);
	add_run(&sides[0], 1010, 900);
	add_run(&sides[0], 990, 700);
	add_run(&sides[1], 2000, 0);
	add_run(&sides[1], 2100, 1000);
	add_run(&sides[1], 2050, 800);
	ASSERT_EQ(0, mp_repeated(&sides[0], &sides[1], &self->difference));
	ASSERT_EQ(2, self->difference.nr);
	EXPECT_EQ(1690, self->difference.sum.before[MP_INUSE_SPACE]);
	EXPECT_EQ(1100, self->difference.sum.noise[MP_INUSE_SPACE]);
	/* other() has medians of 700 and 800, but the runs differ by up to 1000 */
	mp_difference_sort(&self->difference, MP_INUSE_SPACE);
	EXPECT_EQ(1, mp_repeated_drop_noise(&self->difference, MP_INUSE_SPACE));
	ASSERT_EQ(1, self->difference.nr);
	row = &self->difference.rows[0];
	EXPECT_STREQ("leak", self->difference.names.list[row->name]);
	EXPECT_EQ(1000, row->before[MP_INUSE_SPACE]);
	EXPECT_EQ(2050, row->after[MP_INUSE_SPACE]);
	EXPECT_EQ(100, row->noise[MP_INUSE_SPACE]);
	for (i = 0; i < 3; i++) {
		mp_difference_free(&sides[0].list[i]);
		mp_difference_free(&sides[1].list[i]);
	}
	free(sides);
}

/* One run more may be far from two: 11 times as far as these are from each other */
TEST_F(difference, a_side_of_one_run_is_doubted)
{
	struct mp_runs *sides = calloc(2, sizeof(*sides));
	size_t i, side;

	add_run(&sides[0], 1000, 500);
	add_run(&sides[0], 1010, 510);
	add_run(&sides[1], 1200, 600);
	ASSERT_EQ(0, mp_repeated(&sides[0], &sides[1], &self->difference));
	mp_difference_sort(&self->difference, MP_INUSE_SPACE);
	EXPECT_EQ(110, self->difference.rows[0].noise[MP_INUSE_SPACE]);
	EXPECT_EQ(1, mp_repeated_drop_noise(&self->difference, MP_INUSE_SPACE));
	ASSERT_EQ(1, self->difference.nr);
	EXPECT_STREQ("leak",
		     self->difference.names.list[self->difference.rows[0].name]);
	for (side = 0; side < 2; side++)
		for (i = 0; i < sides[side].nr; i++)
			mp_difference_free(&sides[side].list[i]);
	free(sides);
}

/* 20 MB against 16 MB, in samples of 64 KiB: the ranges are as wide as the difference. */
TEST_F(difference, repeated_samples_have_an_error)
{
	static const uint64_t values[2][3] = { { 186, 217, 196 }, { 148, 164, 173 } };
	const uint64_t unit = (1 << 20) / 10;
	struct mp_runs *sides = calloc(2, sizeof(*sides));
	size_t i, side;

	for (side = 0; side < 2; side++) {
		sides[side].alloc.rate = 65536;
		for (i = 0; i < 3; i++)
			/* other() overlaps */
			add_run(&sides[side], values[side][i] * unit,
				values[side][i] * unit + (i == 2) * 50 * unit);
	}
	ASSERT_EQ(0, mp_repeated(&sides[0], &sides[1], &self->difference));
	mp_difference_sort(&self->difference, MP_INUSE_SPACE);
	EXPECT_EQ(1, mp_repeated_drop_noise(&self->difference, MP_INUSE_SPACE));
	ASSERT_EQ(1, self->difference.nr);
	EXPECT_STREQ("leak",
		     self->difference.names.list[self->difference.rows[0].name]);
	/* of two rows: 2.24 * sqrt(1.5 / 3 * 65536 * (19.6 MB + 17.2 MB)) */
	EXPECT_LT(2470000, self->difference.rows[0].noise[MP_INUSE_SPACE]);
	EXPECT_GT(2500000, self->difference.rows[0].noise[MP_INUSE_SPACE]);
	for (side = 0; side < 2; side++)
		for (i = 0; i < 3; i++)
			mp_difference_free(&sides[side].list[i]);
	free(sides);
}

/* Ten samples of 32-byte blocks: 20480 blocks within 63 %, as their 640 KiB are. */
TEST(a_number_of_blocks_is_as_good_as_their_bytes)
{
	const uint64_t bytes = 10 * 65536;
	const double error = mp_difference_error_of(MP_ALLOC_OBJECTS, 20480, bytes, 65536);

	EXPECT_LT(0.6 * 20480, error);
	EXPECT_GT(0.66 * 20480, error);
	EXPECT_EQ(0, mp_difference_error_of(MP_ALLOC_OBJECTS, 20480, bytes, 1));
	EXPECT_EQ(0, mp_difference_error_of(MP_ALLOC_OBJECTS, 0, 0, 65536));
	EXPECT_EQ(0, mp_difference_error_of(MP_GROWTH, 20480, bytes, 65536));
}

TEST_HARNESS_MAIN
