// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of arrange: it makes the rows of a report from a copy of the profile.
 */
#include "arrange.h"
#include "grouping.h"
#include "profile-copy.h"
#include "sites.h"

#include "kselftest_harness.h"

#include <string.h>

#define NR_ROWS	6

FIXTURE(arrange) {
	struct mp_profile profile;
};

static int add_site(struct mp_profile *profile, uint32_t pid, uint64_t offset,
		    uint64_t bytes)
{
	struct mp_row row = {
		.kind = MP_ROW_SITE, .pid = pid, .cgroup = 7,
		.comm = "program", .location = { .binary = 1, .offset = offset },
	};

	row.value[MP_INUSE_SPACE] = bytes;
	row.value[MP_ALLOC_SPACE] = 2 * bytes;
	return mp_profile_add(profile, &row);
}

FIXTURE_SETUP(arrange)
{
	const struct mp_binary binary = { .inode = 1, .path = "/bin/program" };
	struct mp_row process = {
		.kind = MP_ROW_PROCESS, .cgroup = 7, .comm = "program",
	};

	self->profile = (struct mp_profile){ 0 };
	ASSERT_EQ(0, mp_sites_add_binary(&self->profile, &binary));
	ASSERT_EQ(0, mp_cgroup_names_add(&self->profile.names, 7, "/box"));
	for (process.pid = 1; process.pid <= 2; process.pid++) {
		ASSERT_EQ(0, mp_profile_add(&self->profile, &process));
		ASSERT_EQ(0, add_site(&self->profile, process.pid, 0x10, 100));
		ASSERT_EQ(0, add_site(&self->profile, process.pid, 0x20, 300));
	}
	ASSERT_EQ(NR_ROWS, self->profile.nr_rows);
}

FIXTURE_TEARDOWN(arrange)
{
	mp_profile_free(&self->profile);
}

static bool is_wrapper(void *context, const char *name)
{
	(void)context;
	(void)name;
	return false;
}

static int arrange_sites(const struct mp_profile *profile, unsigned int keys,
			 struct mp_profile *rows)
{
	const struct mp_arrange arrange = {
		.kind = MP_ROW_SITE, .sort = MP_INUSE_SPACE, .keys = keys,
		.callsites = {
			.is_wrapper = is_wrapper, .is_wrapper_file = is_wrapper,
		},
	};

	return mp_arrange_rows(&arrange, profile, rows);
}

static size_t nr_of(const struct mp_profile *profile, enum mp_row_kind kind)
{
	size_t i, nr = 0;

	for (i = 0; i < profile->nr_rows; i++)
		nr += profile->rows[i].kind == kind;
	return nr;
}

TEST_F(arrange, a_profile_stays_as_it_was)
{
	struct mp_profile rows = { 0 };
	struct mp_row before[NR_ROWS];

	memcpy(before, self->profile.rows, sizeof(before));
	ASSERT_EQ(0, arrange_sites(&self->profile, MP_GROUP_DEFAULT, &rows));
	EXPECT_EQ(2, nr_of(&rows, MP_ROW_SITE));
	EXPECT_EQ(NR_ROWS, self->profile.nr_rows);
	EXPECT_EQ(0, memcmp(before, self->profile.rows, sizeof(before)));
	mp_profile_free(&rows);
}

TEST_F(arrange, one_profile_has_many_views)
{
	struct mp_profile rows = { 0 };

	ASSERT_EQ(0, arrange_sites(&self->profile, MP_GROUP_DEFAULT, &rows));
	EXPECT_EQ(600, rows.rows[0].value[MP_INUSE_SPACE]);
	mp_profile_free(&rows);
	ASSERT_EQ(0, arrange_sites(&self->profile, MP_GROUP_DEFAULT |
				   MP_GROUP_PID, &rows));
	EXPECT_EQ(4, nr_of(&rows, MP_ROW_SITE));
	EXPECT_EQ(300, rows.rows[0].value[MP_INUSE_SPACE]);
	mp_profile_free(&rows);
}

TEST_F(arrange, a_copy_is_whole_and_its_own)
{
	struct mp_profile copy = { 0 };
	char id[MP_CGROUP_ID_SIZE];

	ASSERT_EQ(0, mp_profile_warn(&self->profile, "beware"));
	ASSERT_EQ(0, mp_profile_add_counter(&self->profile, "lost", 3));
	ASSERT_EQ(0, mp_profile_copy(&copy, &self->profile));
	copy.rows[0].pid = 99;
	mp_profile_free(&self->profile);
	ASSERT_EQ(NR_ROWS, copy.nr_rows);
	EXPECT_EQ(99, copy.rows[0].pid);
	EXPECT_STREQ("/bin/program", copy.binaries[0].path);
	EXPECT_STREQ("/box", mp_profile_cgroup(&copy, 7, id));
	EXPECT_STREQ("beware", copy.warnings[0]);
	EXPECT_EQ(3, copy.counters[0].value);
	/* and can grow */
	EXPECT_EQ(0, add_site(&copy, 3, 0x30, 1));
	EXPECT_EQ(0, mp_cgroup_names_add(&copy.names, 8, "/other"));
	mp_profile_free(&copy);
}

TEST_HARNESS_MAIN
