// SPDX-License-Identifier: GPL-2.0-only
/* Tests of cgroups: short names, sums, nested cgroups, and callsites of cgroups. */
#include "cgroup-short.h"
#include "rollup.h"
#include "sites.h"
#include "top-sites.h"

#include "kselftest_harness.h"

#define HEX	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD	"1234abcd-0000-1111-2222-333344445555"

TEST(paths_lose_what_tells_nothing)
{
	static const struct {
		const char *path, *shown;
	} cases[] = {
		{ "/", "/" },
		{ "/test", "/test" },
		{ "/test/inner", "/test/inner" },
		{ "/init.scope", "/init.scope" },
		{ "/system.slice", "/system.slice" },
		{ "/system.slice/redis.service", "redis.service" },
		{ "/system.slice/docker-" HEX ".scope", "docker-0123456789ab" },
		{ "/docker/" HEX, "/docker/0123456789ab" },
		{ "/system.slice/system-getty.slice/getty@tty1.service",
		  "getty@tty1.service" },
		{ "/user.slice", "/user.slice" },
		{ "/user.slice/user-1000.slice", "user-1000.slice" },
		{ "/user.slice/user-1000.slice/session-3.scope",
		  "user-1000/session-3.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope",
		  "user-1000/app-x.scope" },
		{ "/user.slice/user-1000.slice/user@1000.service",
		  "user-1000/user@1000.service" },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234abcd_0000_1111_2222_333344445555.slice/cri-containerd-" HEX ".scope",
		  "pod1234abcd/cri-containerd-0123456789ab" },
		{ "/kubepods/burstable/pod" POD "/" HEX,
		  "pod1234abcd/0123456789ab" },
		{ "/kubepods/pod" POD, "pod1234abcd" },
		{ "/user.slice/a\\x2db.service", "a-b.service" },
		{ "/x\\x2fy", "/x\\x2fy" },
		{ "/a\\x1b[31m", "/a\\x1b[31m" },
		{ "relative", "/relative" },
		{ "", "" },
	};
	char buf[MP_CGROUP_SHORT_SIZE];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		mp_cgroup_short(buf, sizeof(buf), cases[i].path, false);
		EXPECT_STREQ(cases[i].shown, buf);
	}
}

TEST(long_paths_are_cut)
{
	char path[4096], buf[16];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = '\0';
	mp_cgroup_short(buf, sizeof(buf), path, false);
	EXPECT_EQ(sizeof(buf) - 1, strlen(buf));
}

TEST(what_two_share_is_not_shortened)
{
	struct mp_profile profile = { 0 };
	char buf[MP_CGROUP_SHORT_SIZE];

	mp_id_names_add(&profile.names, 1, "/system.slice/foo.service");
	mp_id_names_add(&profile.names, 2, "/system.slice/bar.service");
	mp_id_names_add(&profile.names, 3, "/machine.slice/foo.service");
	mp_cgroup_shown(buf, sizeof(buf), &profile, 2);
	EXPECT_STREQ("bar.service", buf);
	mp_cgroup_shown(buf, sizeof(buf), &profile, 1);
	EXPECT_STREQ("/system.slice/foo.service", buf);
	mp_profile_free(&profile);
}

static const struct mp_filter everything;

FIXTURE(rollup) {
	struct mp_profile profile;
};

static void add(struct mp_profile *profile, enum mp_row_kind kind, uint32_t pid,
		uint64_t cgroup, uint64_t rss, uint64_t live)
{
	struct mp_row row = {
		.kind = kind, .pid = pid, .cgroup = cgroup,
		.value[MP_RESIDENT] = rss, .value[MP_UNATTRIBUTED] = rss / 4,
		.value[MP_PROPORTIONAL] = rss / 2,
		.value[MP_INUSE_SPACE] = live, .value[MP_PEAK_SPACE] = live,
	};

	if (kind == MP_ROW_SITE)
		row.location.address = pid;
	if (mp_profile_add(profile, &row))
		abort();
}

FIXTURE_SETUP(rollup)
{
	struct mp_profile *p = &self->profile;

	mp_id_names_add(&p->names, 10, "/a");
	mp_id_names_add(&p->names, 11, "/a/b");
	mp_id_names_add(&p->names, 12, "/a/b/c");
	mp_id_names_add(&p->names, 13, "/ab");
	add(p, MP_ROW_CGROUP, 0, 10, 5, 100);
	add(p, MP_ROW_CGROUP, 0, 12, 5, 30);
	add(p, MP_ROW_CGROUP, 0, 13, 5, 7);
	add(p, MP_ROW_PROCESS, 1, 10, 1000, 0);
	add(p, MP_ROW_PROCESS, 2, 12, 400, 0);
	add(p, MP_ROW_PROCESS, 3, 13, 80, 0);
	add(p, MP_ROW_PROCESS, 4, 11, 20, 0);
	add(p, MP_ROW_PROCESS, 5, 12, 4000, 0);
	p->rows[p->nr_rows - 1].flags = MP_ROW_EXITED;
}

FIXTURE_TEARDOWN(rollup)
{
	mp_profile_free(&self->profile);
}

static const struct mp_row *row_of(const struct mp_profile *profile,
				   const char *path)
{
	static const struct mp_row none;
	const char *name;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		name = mp_id_names_find(&profile->names,
					    profile->rows[i].cgroup);
		if (profile->rows[i].kind == MP_ROW_CGROUP && name &&
		    !strcmp(name, path))
			return &profile->rows[i];
	}
	return &none;
}

TEST_F(rollup, sizes_are_those_of_the_living)
{
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++)
		self->profile.rows[i].value[MP_INHERITED_LIVE] = 7;
	ASSERT_EQ(0, mp_rollup_sizes(&self->profile));
	/* one of the two has exited */
	EXPECT_EQ(7, row_of(&self->profile, "/a/b/c")->value[MP_INHERITED_LIVE]);
	EXPECT_EQ(1000, row_of(&self->profile, "/a")->value[MP_RESIDENT]);
	EXPECT_EQ(400, row_of(&self->profile, "/a/b/c")->value[MP_RESIDENT]);
	EXPECT_EQ(100,
		  row_of(&self->profile, "/a/b/c")->value[MP_UNATTRIBUTED]);
	/* had none */
	EXPECT_EQ(20, row_of(&self->profile, "/a/b")->value[MP_RESIDENT]);
	EXPECT_EQ(1, row_of(&self->profile, "/a/b")->nr_processes);
}

/* The source subtracts what an exited process had from before the session. */
TEST_F(rollup, growth_is_that_of_the_living)
{
	struct mp_row *row = self->profile.rows, *end = row + self->profile.nr_rows;

	for (; row < end; row++)
		row->value[MP_GROWTH] = (uint64_t)(row->kind == MP_ROW_CGROUP ? -9 : 4);
	ASSERT_EQ(0, mp_rollup_growth(&self->profile));
	/* one of the two has exited */
	EXPECT_EQ(4, row_of(&self->profile, "/a/b/c")->value[MP_GROWTH]);
	EXPECT_EQ(4, row_of(&self->profile, "/a")->value[MP_GROWTH]);
	EXPECT_EQ(4, self->profile.rows[3].value[MP_GROWTH]);
}

/* After a filter, the rows of cgroups are the sums of the remaining processes. */
TEST_F(rollup, sums_can_be_those_of_the_processes)
{
	struct mp_profile *p = &self->profile;

	p->rows[3].value[MP_ALLOC_SPACE] = 6;
	p->rows[4].value[MP_ALLOC_SPACE] = 70;
	p->rows[7].value[MP_ALLOC_SPACE] = 800;
	p->rows[4].value[MP_PEAK_SPACE] = 5;
	p->rows[7].value[MP_PEAK_SPACE] = 9;
	/* "/ab" loses its only process */
	p->rows[5] = p->rows[--p->nr_rows];
	ASSERT_EQ(0, mp_rollup_processes(p));
	EXPECT_EQ(6, row_of(p, "/a")->value[MP_ALLOC_SPACE]);
	EXPECT_EQ(1, row_of(p, "/a")->nr_processes);
	EXPECT_EQ(870, row_of(p, "/a/b/c")->value[MP_ALLOC_SPACE]);
	EXPECT_EQ(9, row_of(p, "/a/b/c")->value[MP_PEAK_SPACE]);
	/* one of the two has exited */
	EXPECT_EQ(1, row_of(p, "/a/b/c")->nr_processes);
	EXPECT_EQ(400, row_of(p, "/a/b/c")->value[MP_RESIDENT]);
	EXPECT_EQ(MP_ROW_PROCESS, row_of(p, "/ab")->kind);
}

TEST_F(rollup, ancestors_hold_all_below_and_totals_do_not_count_twice)
{
	struct mp_total before, after;

	ASSERT_EQ(0, mp_rollup_sizes(&self->profile));
	mp_profile_total(&self->profile, MP_ROW_CGROUP, &before);
	ASSERT_EQ(0, mp_rollup_nested(&self->profile, &everything));
	EXPECT_EQ(1420, row_of(&self->profile, "/a")->value[MP_RESIDENT]);
	EXPECT_EQ(420, row_of(&self->profile, "/a/b")->value[MP_RESIDENT]);
	EXPECT_EQ(400, row_of(&self->profile, "/a/b/c")->value[MP_RESIDENT]);
	EXPECT_EQ(80, row_of(&self->profile, "/ab")->value[MP_RESIDENT]);
	EXPECT_EQ(1500, row_of(&self->profile, "/")->value[MP_RESIDENT]);
	EXPECT_EQ(137, row_of(&self->profile, "/")->value[MP_INUSE_SPACE]);
	/* all of it lives at once */
	EXPECT_EQ(137, row_of(&self->profile, "/")->value[MP_PEAK_SPACE]);
	mp_profile_total(&self->profile, MP_ROW_CGROUP, &after);
	EXPECT_EQ(before.value[MP_RESIDENT], after.value[MP_RESIDENT]);
	EXPECT_EQ(before.value[MP_INUSE_SPACE], after.value[MP_INUSE_SPACE]);
	EXPECT_EQ(before.nr_processes, after.nr_processes);
	EXPECT_EQ(5, after.nr_rows);
}

TEST_F(rollup, the_rest_is_what_no_process_below_holds)
{
	struct mp_total total;
	size_t i;

	ASSERT_EQ(0, mp_rollup_sizes(&self->profile));
	for (i = 0; i < self->profile.nr_rows; i++)
		if (self->profile.rows[i].kind == MP_ROW_CGROUP)
			self->profile.rows[i].value[MP_CGROUP_CURRENT] = 5000;
	mp_rollup_rest(&self->profile);
	/* half of 1000, 400 and 20 */
	EXPECT_EQ(4290, row_of(&self->profile, "/a")->value[MP_CGROUP_REST]);
	EXPECT_EQ(4960, row_of(&self->profile, "/ab")->value[MP_CGROUP_REST]);
	mp_profile_total(&self->profile, MP_ROW_CGROUP, &total);
	/* /a and /ab: the others are in /a's */
	EXPECT_EQ(10000, total.value[MP_CGROUP_CURRENT]);
	/* also where the root's row holds all but has none itself */
	ASSERT_EQ(0, mp_rollup_nested(&self->profile, &everything));
	mp_rollup_rest(&self->profile);
	mp_profile_total(&self->profile, MP_ROW_CGROUP, &total);
	EXPECT_EQ(10000, total.value[MP_CGROUP_CURRENT]);
}

TEST_F(rollup, callsites_are_those_of_the_cgroups_processes)
{
	struct mp_profile *p = &self->profile;
	const struct mp_row *rows[3];
	uint64_t root;

	add(p, MP_ROW_SITE, 1, 0, 0, 500);
	add(p, MP_ROW_SITE, 2, 0, 0, 900);
	add(p, MP_ROW_SITE, 2, 0, 0, 0);
	add(p, MP_ROW_SITE, 3, 0, 0, 100);
	p->rows[p->nr_rows - 2].location.address = 77;
	ASSERT_EQ(0, mp_sites_adopt(p));
	EXPECT_EQ(1, mp_top_sites(p, 10, MP_INUSE_SPACE, 3, rows));
	ASSERT_EQ(1, mp_top_sites(p, 12, MP_INUSE_SPACE, 3, rows));
	EXPECT_EQ(900, rows[0]->value[MP_INUSE_SPACE]);
	ASSERT_EQ(0, mp_rollup_nested(p, &everything));
	ASSERT_EQ(2, mp_top_sites(p, 10, MP_INUSE_SPACE, 3, rows));
	EXPECT_EQ(900, rows[0]->value[MP_INUSE_SPACE]);
	EXPECT_EQ(500, rows[1]->value[MP_INUSE_SPACE]);
	root = row_of(p, "/")->cgroup;
	ASSERT_EQ(2, mp_top_sites(p, root, MP_INUSE_SPACE, 2, rows));
	EXPECT_EQ(500, rows[1]->value[MP_INUSE_SPACE]);
	EXPECT_EQ(3, mp_top_sites(p, root, MP_INUSE_SPACE, 3, rows));
}

TEST_HARNESS_MAIN
