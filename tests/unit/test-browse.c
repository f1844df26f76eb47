// SPDX-License-Identifier: GPL-2.0-only
/* Tests of browse: what the keys do, and that earlier values are subtracted from rows. */
#include "browse.h"
#include "profile-delta.h"

#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"

FIXTURE(browse)
{
	struct mp_browse browse;
	struct mp_profile profile;
	struct mp_row process, cgroup, site;
};

FIXTURE_SETUP(browse)
{
	struct mp_binary binary = { .path = "/usr/bin/thing" };

	mp_browse_begin(&self->browse);
	memset(&self->profile, 0, sizeof(self->profile));
	self->profile.binaries = calloc(1, sizeof(binary));
	self->profile.nr_binaries = 1;
	self->profile.binaries[0] = binary;
	self->browse.out.profile = &self->profile;
	self->browse.nr_rows = 30;
	self->browse.page = 10;
	memset(&self->process, 0, sizeof(self->process));
	self->process.kind = MP_ROW_PROCESS;
	self->process.pid = 7;
	snprintf(self->process.comm, MP_COMM_SIZE, "thing");
	self->cgroup = self->process;
	self->cgroup.kind = MP_ROW_CGROUP;
	self->cgroup.pid = 0;
	self->cgroup.cgroup = 12;
	self->site = self->process;
	self->site.kind = MP_ROW_SITE;
	self->site.cgroup = 12;
	self->site.location.binary = 1;
	self->site.location.offset = 0x1000;
}

FIXTURE_TEARDOWN(browse)
{
	mp_profile_free(&self->profile);
}

static enum mp_browse_deed press(FIXTURE_DATA(browse) *self, int key,
				 const struct mp_row *row)
{
	return mp_browse_key(&self->browse, key, row);
}

static size_t rows_left(FIXTURE_DATA(browse) *self)
{
	struct mp_row rows[] = { self->process, self->cgroup, self->site };
	size_t i;

	self->profile.nr_rows = 0;
	for (i = 0; i < 3; i++) {
		mp_profile_add(&self->profile, &rows[i]);
		rows[i].pid += 100;
		rows[i].cgroup += 100;
		mp_profile_add(&self->profile, &rows[i]);
	}
	mp_browse_narrow(&self->browse, &self->profile);
	return self->profile.nr_rows;
}

TEST_F(browse, enter_goes_in_and_escape_comes_back)
{
	EXPECT_EQ(6, rows_left(self));
	self->browse.selected = 5;
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ENTER, &self->process));
	EXPECT_EQ(MP_ROW_SITE, mp_browse_step(&self->browse)->kind);
	EXPECT_EQ(7, mp_browse_step(&self->browse)->pid);
	EXPECT_EQ(0, self->browse.selected);
	/* that process, its callsite, and both cgroups */
	EXPECT_EQ(4, rows_left(self));
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ENTER, &self->site));
	EXPECT_EQ(MP_ROW_STACK, mp_browse_step(&self->browse)->kind);
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ESCAPE, NULL));
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_BACKSPACE, NULL));
	EXPECT_EQ(5, self->browse.selected);
	EXPECT_EQ(MP_DEED_NONE, press(self, MP_KEY_ESCAPE, NULL));
	EXPECT_EQ(6, rows_left(self));
}

TEST_F(browse, cgroups_and_binaries_are_narrowed_to)
{
	press(self, '2', NULL);
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ENTER, &self->cgroup));
	EXPECT_EQ(MP_ROW_PROCESS, mp_browse_step(&self->browse)->kind);
	/* the process has another cgroup */
	EXPECT_EQ(2, rows_left(self));
	press(self, '3', NULL);
	EXPECT_EQ(1, self->browse.nr_steps);
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, 'd', &self->site));
	EXPECT_STREQ("/usr/bin/thing", mp_browse_step(&self->browse)->binary);
	EXPECT_EQ(6, rows_left(self));
	self->site.location.binary = 0;
	EXPECT_EQ(4, rows_left(self));
	/* a row without one */
	EXPECT_EQ(MP_DEED_NONE, press(self, 'd', &self->process));
	EXPECT_EQ(MP_DEED_NONE, press(self, MP_KEY_ENTER, NULL));
}

TEST_F(browse, depth_is_bounded)
{
	int i;

	for (i = 0; i < 3 * MP_BROWSE_DEPTH; i++)
		press(self, MP_KEY_ENTER, i % 2 ? &self->cgroup : &self->site);
	EXPECT_EQ(MP_BROWSE_DEPTH, self->browse.nr_steps);
}

TEST_F(browse, selection_stays_among_the_rows)
{
	EXPECT_EQ(MP_DEED_DRAW, press(self, MP_KEY_UP, NULL));
	EXPECT_EQ(0, self->browse.selected);
	press(self, MP_KEY_PAGE_DOWN, NULL);
	press(self, 'j', NULL);
	EXPECT_EQ(11, self->browse.selected);
	press(self, MP_KEY_END, NULL);
	press(self, MP_KEY_DOWN, NULL);
	EXPECT_EQ(29, self->browse.selected);
	press(self, MP_KEY_HOME, NULL);
	EXPECT_EQ(0, self->browse.selected);
	self->browse.nr_rows = 0;
	press(self, MP_KEY_END, NULL);
	EXPECT_EQ(0, self->browse.selected);
	press(self, MP_KEY_LEFT, NULL);
	EXPECT_EQ(0, self->browse.shift);
}

TEST_F(browse, sorting_goes_along_the_columns)
{
	self->browse.out.kind = MP_ROW_SITE;
	self->browse.out.view = MP_VIEW_ALLOC;
	self->browse.out.sort = MP_INUSE_SPACE;
	EXPECT_EQ(MP_DEED_NONE, press(self, '<', NULL));
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, '>', NULL));
	EXPECT_EQ(MP_PEAK_SPACE, self->browse.out.sort);
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, '<', NULL));
	EXPECT_EQ(MP_INUSE_SPACE, self->browse.out.sort);
}

static void type_text(FIXTURE_DATA(browse) *self, const char *text)
{
	for (; *text; text++)
		press(self, *text, NULL);
}

TEST_F(browse, filters_are_typed_tried_and_taken_back)
{
	press(self, '/', NULL);
	type_text(self, "redsi");
	press(self, MP_KEY_BACKSPACE, NULL);
	press(self, MP_KEY_BACKSPACE, NULL);
	type_text(self, "is");
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ENTER, NULL));
	EXPECT_STREQ("comm=redis", self->browse.filter);
	press(self, '3', NULL);
	press(self, '/', NULL);
	self->browse.typed[0] = '\0';
	type_text(self, "symbol=[");
	EXPECT_EQ(MP_DEED_DRAW, press(self, MP_KEY_ENTER, NULL));
	EXPECT_TRUE(self->browse.typing);
	EXPECT_NE('\0', self->browse.why[0]);
	/* q is a letter here */
	EXPECT_EQ(MP_DEED_DRAW, press(self, 'q', NULL));
	EXPECT_EQ(MP_DEED_DRAW, press(self, MP_KEY_ESCAPE, NULL));
	EXPECT_STREQ("comm=redis", self->browse.filter);
	EXPECT_TRUE(mp_browse_filter(&self->browse, "^sds"));
	EXPECT_STREQ("symbol=^sds", self->browse.filter);
	EXPECT_EQ(MP_DEED_ARRANGE, press(self, MP_KEY_ESCAPE, NULL));
	EXPECT_STREQ("", self->browse.filter);
	EXPECT_EQ(MP_DEED_QUIT, press(self, 'q', NULL));
}

TEST_F(browse, keys_that_mean_nothing_do_nothing)
{
	struct mp_browse before = self->browse;
	int key;

	for (key = 0x120; key < 0x300; key++)
		EXPECT_EQ(MP_DEED_NONE, press(self, key, NULL));
	EXPECT_EQ(MP_DEED_NONE, press(self, MP_KEY_NONE, NULL));
	EXPECT_EQ(0, memcmp(&before, &self->browse, sizeof(before)));
}

static void add(struct mp_profile *profile, const struct mp_row *like,
		uint64_t allocs, uint64_t live)
{
	struct mp_row row = *like;

	row.value[MP_ALLOC_OBJECTS] = allocs;
	row.value[MP_INUSE_SPACE] = live;
	mp_profile_add(profile, &row);
}

TEST_F(browse, without_a_keyboard_it_ends_whatever_is_open)
{
	EXPECT_EQ(MP_DEED_QUIT, mp_browse_key(&self->browse, MP_KEY_GONE, NULL));
	mp_browse_key(&self->browse, '/', NULL);
	EXPECT_EQ(MP_DEED_QUIT, mp_browse_key(&self->browse, MP_KEY_GONE, NULL));
	mp_browse_key(&self->browse, MP_KEY_ESCAPE, NULL);
	mp_browse_key(&self->browse, 'h', NULL);
	EXPECT_EQ(MP_DEED_QUIT, mp_browse_key(&self->browse, MP_KEY_GONE, NULL));
}

TEST_F(browse, since_the_last_look)
{
	struct mp_profile before = { 0 };
	struct mp_row other = self->site, *rows;

	before.binaries = calloc(2, sizeof(struct mp_binary));
	before.nr_binaries = 2;
	before.binaries[1] = self->profile.binaries[0];
	other.location.offset = 0x2000;
	self->site.location.binary = 2;
	add(&before, &self->site, 10, 100);
	add(&before, &self->process, 50, 500);
	self->site.location.binary = 1;
	add(&self->profile, &self->process, 80, 400);
	add(&self->profile, &self->site, 25, 50);
	add(&self->profile, &other, 5, 50);
	ASSERT_EQ(0, mp_profile_subtract(&before, &self->profile));
	rows = self->profile.rows;
	EXPECT_EQ(30, rows[0].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(400, rows[0].value[MP_INUSE_SPACE]);
	EXPECT_EQ(15, rows[1].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(5, rows[2].value[MP_ALLOC_OBJECTS]);
	/* it was reset meanwhile */
	rows[0].value[MP_ALLOC_OBJECTS] = 3;
	ASSERT_EQ(0, mp_profile_subtract(&before, &self->profile));
	EXPECT_EQ(3, rows[0].value[MP_ALLOC_OBJECTS]);
	mp_profile_free(&before);
}

/* AT-PEAK is less at a later peak, to which others have more. */
TEST_F(browse, a_peak_that_moved_is_no_count_that_began_again)
{
	struct mp_profile before = { 0 };

	self->process.value[MP_AT_PEAK] = 700;
	add(&before, &self->process, 50, 500);
	self->process.value[MP_AT_PEAK] = 300;
	add(&self->profile, &self->process, 80, 400);
	ASSERT_EQ(0, mp_profile_since(&before, &self->profile));
	EXPECT_EQ(30, self->profile.rows[0].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(300, self->profile.rows[0].value[MP_AT_PEAK]);
	mp_profile_free(&before);
}

/* A shell that executes a shell: two programs of a process, with one name and start. */
TEST_F(browse, programs_of_a_process_are_told_apart_by_their_ends)
{
	struct mp_profile before = { 0 };
	struct mp_row *rows;

	self->process.exit_ns = 70;
	add(&before, &self->process, 10, 0);
	self->process.exit_ns = 0;
	add(&before, &self->process, 50, 500);
	/* the second one has ended, too, and there is a third */
	self->process.exit_ns = 70;
	add(&self->profile, &self->process, 10, 0);
	self->process.exit_ns = 90;
	add(&self->profile, &self->process, 57, 0);
	self->process.exit_ns = 0;
	add(&self->profile, &self->process, 3, 100);
	ASSERT_EQ(0, mp_profile_subtract(&before, &self->profile));
	rows = self->profile.rows;
	EXPECT_EQ(0, rows[0].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(7, rows[1].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(3, rows[2].value[MP_ALLOC_OBJECTS]);
	/* the first one's row was needed meanwhile, and the order is another one */
	rows[0] = rows[2];
	rows[0].value[MP_ALLOC_OBJECTS] = 4;
	rows[1].value[MP_ALLOC_OBJECTS] = 60;
	self->profile.nr_rows = 2;
	before.rows[0].exit_ns = 80;
	before.rows[1].exit_ns = 90;
	ASSERT_EQ(0, mp_profile_subtract(&before, &self->profile));
	EXPECT_EQ(10, self->profile.rows[1].value[MP_ALLOC_OBJECTS]);
	mp_profile_free(&before);
}

/* A process that exited before, and whose row was needed since, is in the sum of its name. */
TEST_F(browse, what_was_folded_meanwhile_is_subtracted_from_its_sum)
{
	struct mp_profile before = { 0 }, now = { 0 };
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .pid = 7, .start_ns = 7, .cgroup = 3,
		.flags = MP_ROW_EXITED, .comm = "cc1",
	}, sum = {
		.kind = MP_ROW_PROCESS, .cgroup = 3, .comm = "cc1",
		.flags = MP_ROW_FOLDED | MP_ROW_EXITED, .nr_processes = 2,
	}, other = sum;

	/* the sum had 100, 40 more were in a row of their own, and 5 are new */
	row.value[MP_ALLOC_OBJECTS] = 40;
	sum.value[MP_ALLOC_OBJECTS] = 100;
	ASSERT_EQ(0, mp_profile_add(&before, &row));
	ASSERT_EQ(0, mp_profile_add(&before, &sum));
	sum.value[MP_ALLOC_OBJECTS] = 145;
	strcpy(other.comm, "as");
	other.value[MP_ALLOC_OBJECTS] = 50;
	ASSERT_EQ(0, mp_profile_add(&now, &sum));
	ASSERT_EQ(0, mp_profile_add(&now, &other));
	ASSERT_EQ(0, mp_profile_subtract(&before, &now));
	EXPECT_EQ(5, now.rows[0].value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(50, now.rows[1].value[MP_ALLOC_OBJECTS]);
	mp_profile_free(&before);
	mp_profile_free(&now);
}

TEST_HARNESS_MAIN
