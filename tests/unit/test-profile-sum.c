// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of profile-sum and hosts: profiles of machines are added, code is the same by its
 * build-id, and every flow and level is in the sum.
 */
#include "filter.h"
#include "hosts.h"
#include "profile-sum.h"
#include "sites.h"

#include "kselftest_harness.h"

FIXTURE(sum)
{
	struct mp_profile_sum sum;
	char why[MP_PROFILE_SUM_WHY_SIZE];
};

FIXTURE_SETUP(sum)
{
	memset(self, 0, sizeof(*self));
	self->sum.nr_expected = 2;
}

FIXTURE_TEARDOWN(sum)
{
	mp_profile_sum_free(&self->sum);
}

/* Adds a callsite and its stack: kernel code, the callsite, and who called it. */
static void add_site(struct mp_profile *profile, const char *path, uint8_t build_id,
		     uint64_t offset, uint64_t live)
{
	struct mp_binary binary = { .inode = 7 + offset, .dev = 5, .build_id_size = build_id ? 20 : 0,
				    .build_id = { build_id } };
	struct mp_row row = { .kind = MP_ROW_SITE, .pid = 10, .start_ns = 5000000 };
	uint64_t frames[3];

	snprintf(binary.path, sizeof(binary.path), "%s", path);
	mp_sites_binary(profile, &binary, &row.location.binary);
	row.location.offset = offset;
	frames[0] = mp_frames_add(&profile->frames, 0, 0, MP_KERNEL_START + offset);
	frames[1] = mp_frames_add(&profile->frames, row.location.binary, 0, offset);
	frames[2] = mp_frames_add(&profile->frames, 0, 10, 0x7f0000 + live);
	for (int i = 0; i < 3; i++)
		frames[i] += MP_FRAMES_FIRST;
	row.location.stack = mp_stacks_add(&profile->frames.stacks, frames, 3) + 1;
	row.location.level = 1;
	row.value[MP_INUSE_SPACE] = live;
	row.value[MP_PEAK_SPACE] = 2 * live;
	row.value[MP_GROWTH] = -live;
	mp_profile_add(profile, &row);
	row.kind = MP_ROW_STACK;
	mp_profile_add(profile, &row);
}

static void add_process(struct mp_profile *profile, uint32_t pid, uint64_t rss, unsigned int flags)
{
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = pid, .start_ns = 5000000,
			      .comm = "app", .cgroup = 3, .flags = flags };

	row.value[MP_RESIDENT] = rss;
	row.value[MP_ALLOC_SPACE] = 100;
	row.value[MP_PEAK_RESIDENT] = rss;
	mp_profile_add(profile, &row);
}

static void begin(struct mp_profile *profile)
{
	profile->meta.status.streams = MEMPROF_START_ALLOC;
	profile->meta.page_size = 4096;
	mp_id_names_add(&profile->names, 3, "/system.slice/app.service");
	add_process(profile, 10, 1000, 0);
}

static int end(struct mp_profile_sum *sum, struct mp_profile *profile, const char *host, char *why)
{
	int err = mp_profile_sum_add(sum, profile, host, why);

	mp_profile_free(profile);
	return err;
}

static uint64_t total(const struct mp_profile *profile, enum mp_row_kind kind,
		      enum mp_metric metric)
{
	struct mp_total sum;

	mp_profile_total(profile, kind, &sum);
	return sum.value[metric];
}

TEST_F(sum, code_is_the_same_by_its_build_id)
{
	const struct mp_profile *profile = &self->sum.profile;
	struct mp_profile a = { 0 }, b = { 0 };
	const struct mp_row *rows = profile->rows;

	begin(&a);
	add_site(&a, "/opt/app", 1, 0x40, 30);
	begin(&b);
	add_site(&b, "/elsewhere/app", 1, 0x40, 50);
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	ASSERT_EQ(0, end(&self->sum, &b, "two", self->why));
	rows = profile->rows;
	ASSERT_EQ(4, profile->nr_rows);
	EXPECT_EQ(1, profile->nr_binaries);
	EXPECT_EQ(0, profile->binaries[0].inode);
	EXPECT_EQ(2, profile->hosts.nr);
	EXPECT_EQ(MP_ROW_STACK, rows[1].kind);
	EXPECT_EQ(rows[1].location.stack, rows[3].location.stack);
	EXPECT_EQ(0x40, rows[1].location.offset);
	/* the kernel's frame is left out, and the callsite is now the first */
	EXPECT_EQ(0, rows[1].location.level);
	EXPECT_EQ(2, mp_frames_stack(&profile->frames, rows[1].location.stack - 1).nr);
	EXPECT_STREQ("one", mp_profile_host(profile, &rows[1]));
	EXPECT_STREQ("two", mp_profile_host(profile, &rows[3]));
	EXPECT_EQ(80, total(profile, MP_ROW_STACK, MP_INUSE_SPACE));
	EXPECT_EQ((uint64_t)-80, total(profile, MP_ROW_STACK, MP_GROWTH));
	EXPECT_EQ(100, rows[3].value[MP_PEAK_SPACE]);
	EXPECT_EQ(0, self->sum.nr_folded);
}

TEST_F(sum, files_without_a_build_id_are_of_their_machine)
{
	struct mp_profile a = { 0 }, b = { 0 };

	begin(&a);
	add_site(&a, "/opt/app", 0, 0x40, 30);
	begin(&b);
	add_site(&b, "/opt/app", 0, 0x40, 50);
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	ASSERT_EQ(0, end(&self->sum, &b, "two", self->why));
	EXPECT_EQ(2, self->sum.profile.nr_binaries);
}

TEST_F(sum, what_a_callsite_has_beyond_its_stacks_is_kept)
{
	struct mp_profile a = { 0 };

	begin(&a);
	add_site(&a, "/opt/app", 1, 0x40, 30);
	a.rows[1].value[MP_INUSE_SPACE] += 7;
	/* one without any stack */
	add_site(&a, "/opt/app", 1, 0x80, 5);
	a.nr_rows--;
	a.rows[a.nr_rows - 1].location.stack = 0;
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	EXPECT_EQ(42, total(&self->sum.profile, MP_ROW_STACK, MP_INUSE_SPACE));
	ASSERT_EQ(4, self->sum.profile.nr_rows);
	EXPECT_EQ(0, self->sum.nr_folded);
}

TEST_F(sum, what_finds_no_room_is_in_common_rows_or_in_one)
{
	const uint32_t nr = 40000;
	struct mp_profile a = { 0 };
	uint32_t i, common = 0;
	uint64_t folded;

	self->sum.nr_expected = 100000;
	begin(&a);
	for (i = 0; i < nr / 100; i++)
		add_site(&a, "/opt/app", 1, 0x40 + i, 1 + i);
	for (i = 0; i < 99; i++)
		add_process(&a, 100 + i, 10, i % 2 ? MP_ROW_EXITED : 0);
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	ASSERT_EQ(0, mp_profile_sum_end(&self->sum));
	for (i = 0; i < self->sum.profile.nr_rows; i++)
		common += !self->sum.profile.rows[i].host;
	EXPECT_EQ(nr / 100 - 32, common);
	EXPECT_EQ(common, mp_profile_counter(&self->sum.profile, "merge_common"));
	EXPECT_EQ(100 - 32, mp_profile_counter(&self->sum.profile, "merge_folded"));
	EXPECT_EQ(400 * 401 / 2, total(&self->sum.profile, MP_ROW_STACK, MP_INUSE_SPACE) +
		  total(&self->sum.profile, MP_ROW_SITE, MP_INUSE_SPACE));
	EXPECT_EQ(100 * 100, total(&self->sum.profile, MP_ROW_PROCESS, MP_ALLOC_SPACE));
	/* the largest of all is a row of its own */
	for (i = 0, folded = 0; i < self->sum.profile.nr_rows; i++)
		folded += self->sum.profile.rows[i].value[MP_INUSE_SPACE] == 400;
	EXPECT_EQ(1, folded);
}

TEST_F(sum, other_measurements_are_refused)
{
	struct mp_profile a = { 0 }, b = { 0 }, c = { 0 };

	begin(&a);
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	begin(&b);
	b.meta.status.streams = MEMPROF_START_FAULTS;
	EXPECT_EQ(-EXDEV, end(&self->sum, &b, "two", self->why));
	EXPECT_STREQ("it has no allocations (LIVE, ALLOCS), unlike the first one", self->why);
	begin(&c);
	c.meta.page_size = 65536;
	EXPECT_EQ(-EXDEV, end(&self->sum, &c, "two", self->why));
	EXPECT_NE(NULL, strstr(self->why, "pages of 65536 bytes"));
	EXPECT_EQ(1, self->sum.profile.nr_rows);
	EXPECT_EQ(1, self->sum.nr);
}

TEST_F(sum, machines_have_rows_of_their_processes)
{
	struct mp_profile *profile = &self->sum.profile;
	struct mp_profile a = { 0 }, b = { 0 };
	struct mp_filter filter = { 0 };
	char text[] = "host=two", why[MP_FILTER_WHY_SIZE];
	size_t i, nr = 0;

	begin(&a);
	add_process(&a, 11, 500, MP_ROW_EXITED);
	begin(&b);
	ASSERT_EQ(0, end(&self->sum, &a, "one", self->why));
	ASSERT_EQ(0, end(&self->sum, &b, "two", self->why));
	/* the same pid, and the same time */
	mp_profile_merge(profile);
	EXPECT_EQ(3, profile->nr_rows);
	ASSERT_TRUE(mp_filter_add(&filter, text, why));
	for (i = 0; i < profile->nr_rows; i++)
		nr += mp_filter_passes(&filter, profile, &profile->rows[i]);
	EXPECT_EQ(1, nr);
	mp_filter_free(&filter);
	ASSERT_EQ(0, mp_hosts_add_up(profile));
	ASSERT_EQ(2, profile->nr_rows);
	EXPECT_EQ(1000, profile->rows[0].value[MP_RESIDENT]);
	EXPECT_EQ(200, profile->rows[0].value[MP_ALLOC_SPACE]);
	EXPECT_EQ(1, profile->rows[0].nr_processes);
	EXPECT_TRUE(profile->rows[0].flags & MP_ROW_HOST);
	EXPECT_STREQ("one", mp_id_names_find(&profile->names, profile->rows[0].cgroup));
}

TEST_HARNESS_MAIN
