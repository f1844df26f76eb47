// SPDX-License-Identifier: GPL-2.0-only
/* Tests of cgroup: it finds the mount point of cgroup v2 in mountinfo. */
#include "cgroup.h"

#include "kselftest_harness.h"

#include <sys/stat.h>

static char mount[PATH_MAX];

TEST(a_cgroup2_line_names_the_mount)
{
	ASSERT_EQ(1, mp_cgroup_parse_mount(
		"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 "
		"cgroup2 rw\n", mount));
	EXPECT_STREQ("/sys/fs/cgroup/unified", mount);
	ASSERT_EQ(1, mp_cgroup_parse_mount(
		"30 23 0:26 / /cg rw shared:9 master:1 - cgroup2 none rw\n",
		mount));
	EXPECT_STREQ("/cg", mount);
}

TEST(octal_escapes_are_undone)
{
	ASSERT_EQ(1, mp_cgroup_parse_mount(
		"1 2 0:3 / /my\\040cg\\134 rw - cgroup2 x rw", mount));
	EXPECT_STREQ("/my cg\\", mount);
}

TEST(other_lines_are_not_it)
{
	static const char * const other[] = {
		"37 31 0:34 / /sys/fs/cgroup/devices rw - cgroup cgroup rw",
		"1 2 0:3 / /cgroup2 rw - tmpfs cgroup2 rw",
		" - cgroup2 x", "", "1 - cgroup2 x", "1 2 3 4 - cgroup2 x",
	};
	size_t i;

	for (i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		EXPECT_EQ(0, mp_cgroup_parse_mount(other[i], mount)) {
			TH_LOG("accepted case %zu", i);
		}
}

TEST(the_root_is_found_by_both_spellings)
{
	uint64_t root, same;
	struct stat st;

	if (mp_cgroup_mount(mount))
		SKIP(return, "no cgroup v2 is mounted here");
	ASSERT_EQ(0, stat(mount, &st));
	ASSERT_EQ(0, mp_cgroup_find("/", &root));
	EXPECT_EQ(st.st_ino, root);
	ASSERT_EQ(0, mp_cgroup_find(mount, &same));
	EXPECT_EQ(root, same);
}

TEST(what_is_no_cgroup_is_refused)
{
	char path[PATH_MAX + 64];
	uint64_t id;

	if (mp_cgroup_mount(mount))
		SKIP(return, "no cgroup v2 is mounted here");
	EXPECT_EQ(-ENOENT, mp_cgroup_find("/no-such-cgroup", &id));
	EXPECT_EQ(-ENOTDIR, mp_cgroup_find("/cgroup.procs", &id));
	EXPECT_EQ(-EXDEV, mp_cgroup_find("/../../../../etc", &id));
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	EXPECT_EQ(-ENAMETOOLONG, mp_cgroup_find(path, &id));
}

TEST(rows_get_the_paths_of_their_cgroups)
{
	struct mp_profile profile = { 0 };
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	if (mp_cgroup_mount(mount))
		SKIP(return, "no cgroup v2 is mounted here");
	ASSERT_EQ(0, mp_cgroup_find("/", &row.cgroup));
	ASSERT_EQ(0, mp_profile_add(&profile, &row));
	row.cgroup = 1ULL << 60;
	ASSERT_EQ(0, mp_profile_add(&profile, &row));
	EXPECT_EQ(0, mp_cgroup_resolve(&profile));
	EXPECT_STREQ("/", mp_id_names_find(&profile.names,
					       profile.rows[0].cgroup));
	EXPECT_EQ(NULL, mp_id_names_find(&profile.names, 1ULL << 60));
	mp_profile_free(&profile);
}

TEST_HARNESS_MAIN
