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
	ASSERT_EQ(0, mp_id_names_add(&self->profile.names, 7, "/box"));
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
	EXPECT_EQ(0, mp_id_names_add(&copy.names, 8, "/other"));
	mp_profile_free(&copy);
}

TEST_F(arrange, a_copy_takes_more_binaries)
{
	struct mp_binary binary = { .inode = 1 };
	struct mp_profile copy = { 0 };

	while (self->profile.nr_binaries < 6 || !(self->profile.nr_binaries & 1)) {
		binary.inode++;
		ASSERT_EQ(0, mp_sites_add_binary(&self->profile, &binary));
	}
	ASSERT_EQ(0, mp_profile_copy(&copy, &self->profile));
	while (copy.nr_binaries < 40) {
		binary.inode++;
		ASSERT_EQ(0, mp_sites_add_binary(&copy, &binary));
	}
	EXPECT_EQ(40, copy.binaries[39].inode - binary.inode + 40);
	mp_profile_free(&copy);
}

static const struct mp_row *cgroup_at(const struct mp_profile *profile,
				      const char *path)
{
	char id[MP_CGROUP_ID_SIZE];
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_CGROUP &&
		    !strcmp(path, mp_profile_cgroup(profile,
						    profile->rows[i].cgroup, id)))
			return &profile->rows[i];
	return NULL;
}

/* A process that has @bytes in a cgroup below /box, and its cgroup's row. */
static void add_below_box(FIXTURE_DATA(arrange) *self, const char *path,
			  uint64_t id, const char *comm, uint64_t bytes)
{
	struct mp_row row = { .kind = MP_ROW_CGROUP, .cgroup = id };

	row.value[MP_INUSE_SPACE] = row.value[MP_RESIDENT_ANON] = bytes;
	mp_row_derive(&row, 4096);
	mp_id_names_add(&self->profile.names, id, path);
	mp_profile_add(&self->profile, &row);
	row.kind = MP_ROW_PROCESS;
	row.pid = 100 + id;
	snprintf(row.comm, sizeof(row.comm), "%s", comm);
	mp_profile_add(&self->profile, &row);
}

/* As the kernel counts: with all descendants, whatever a filter says. */
static void fill_cgroups(const void *context, struct mp_profile *profile)
{
	char id[MP_CGROUP_ID_SIZE];
	const char *path;
	size_t i;

	(void)context;
	for (i = 0; i < profile->nr_rows; i++) {
		path = mp_profile_cgroup(profile, profile->rows[i].cgroup, id);
		if (profile->rows[i].kind == MP_ROW_CGROUP && path[1])
			profile->rows[i].value[MP_CGROUP_CURRENT] =
				strcmp(path, "/box") ? 5000 : 100000;
	}
}

static int arrange_nested(FIXTURE_DATA(arrange) *self, const char *filter,
			  struct mp_profile *rows)
{
	struct mp_arrange arrange = {
		.kind = MP_ROW_CGROUP, .sort = MP_INUSE_SPACE, .recursive = true,
		.keys = MP_GROUP_DEFAULT, .fill_cgroups = fill_cgroups,
	};
	char text[64], why[MP_FILTER_WHY_SIZE];

	snprintf(text, sizeof(text), "%s", filter);
	if (!mp_filter_add(&arrange.filter, text, why))
		return -1;
	return mp_arrange_rows(&arrange, &self->profile, rows);
}

TEST_F(arrange, a_filter_of_cgroups_holds_for_their_ancestors)
{
	struct mp_profile rows = { 0 };
	struct mp_total total;

	add_below_box(self, "/box/one", 11, "mine", 3000);
	add_below_box(self, "/box/one/in", 12, "mine", 500);
	add_below_box(self, "/box/two", 13, "other", 9000);
	ASSERT_EQ(0, arrange_nested(self, "cgroup=/box/one", &rows));
	/* no row and no sum of what was not asked for */
	EXPECT_EQ(NULL, cgroup_at(&rows, "/"));
	EXPECT_EQ(NULL, cgroup_at(&rows, "/box"));
	EXPECT_EQ(NULL, cgroup_at(&rows, "/box/two"));
	ASSERT_NE(NULL, cgroup_at(&rows, "/box/one"));
	EXPECT_EQ(3500, cgroup_at(&rows, "/box/one")->value[MP_INUSE_SPACE]);
	EXPECT_EQ(500, cgroup_at(&rows, "/box/one/in")->value[MP_INUSE_SPACE]);
	mp_profile_total(&rows, MP_ROW_CGROUP, &total);
	EXPECT_EQ(3500, total.value[MP_INUSE_SPACE]);
	EXPECT_EQ(3500, total.value[MP_RESIDENT]);
	EXPECT_EQ(5000, total.value[MP_CGROUP_CURRENT]);
	mp_profile_free(&rows);
}

TEST_F(arrange, a_filter_of_processes_holds_for_nested_cgroups)
{
	struct mp_profile rows = { 0 };
	struct mp_total total;

	add_below_box(self, "/box/one", 11, "mine", 3000);
	add_below_box(self, "/box/one/in", 12, "mine", 500);
	add_below_box(self, "/box/two", 13, "other", 9000);
	ASSERT_EQ(0, arrange_nested(self, "comm=mine", &rows));
	EXPECT_EQ(3500, cgroup_at(&rows, "/box")->value[MP_INUSE_SPACE]);
	EXPECT_EQ(3500, cgroup_at(&rows, "/box")->value[MP_RESIDENT]);
	EXPECT_EQ(NULL, cgroup_at(&rows, "/box/two"));
	/* the kernel's numbers are not known of some processes only */
	EXPECT_EQ(0, cgroup_at(&rows, "/box")->value[MP_CGROUP_CURRENT]);
	EXPECT_EQ(0, cgroup_at(&rows, "/box")->value[MP_CGROUP_REST]);
	mp_profile_total(&rows, MP_ROW_CGROUP, &total);
	EXPECT_EQ(3500, total.value[MP_INUSE_SPACE]);
	mp_profile_free(&rows);
}

/* Who grows is no question about memprof itself. */
TEST_F(arrange, the_collector_is_the_last_that_grows)
{
	const struct mp_arrange arrange = {
		.kind = MP_ROW_PROCESS, .sort = MP_RESIDENT_DELTA,
		.keys = MP_GROUP_PID | MP_GROUP_COMM,
	};
	struct mp_profile rows = { 0 };
	uint32_t pids[2] = { 0 };
	size_t i, nr = 0;

	self->profile.meta.status.session = 2;
	self->profile.meta.source = MP_SOURCE_PERF;
	for (i = 0; i < NR_ROWS; i++)
		if (self->profile.rows[i].kind == MP_ROW_PROCESS)
			self->profile.rows[i].value[MP_RESIDENT_DELTA] =
				self->profile.rows[i].pid * 4096;
	ASSERT_EQ(0, mp_arrange_rows(&arrange, &self->profile, &rows));
	for (i = 0; i < rows.nr_rows && nr < 2; i++)
		if (rows.rows[i].kind == MP_ROW_PROCESS)
			pids[nr++] = rows.rows[i].pid;
	EXPECT_EQ(1, pids[0]);
	EXPECT_EQ(2, pids[1]);
	/* the module's sessions have numbers: the collector has its name */
	rows.meta.source = MP_SOURCE_KMOD;
	for (nr = 0; nr < 2; nr++) {
		mp_arrange_sort(&rows, arrange.kind, arrange.sort);
		for (i = 0; i < rows.nr_rows && rows.rows[i].kind != MP_ROW_PROCESS; i++)
			;
		ASSERT_LT(i, rows.nr_rows);
		EXPECT_EQ(2 - nr, rows.rows[i].pid);
		strcpy(rows.rows[i].comm, "memprofctl");
	}
	mp_profile_free(&rows);
}

/* What the sampler in a process touches for itself may be most of a short program. */
TEST_F(arrange, the_samplers_callsites_are_the_last)
{
	const struct mp_binary library = { .inode = 2, .path = "/usr/lib/libmemprof.so" };
	struct mp_profile rows = { 0 };
	size_t i;

	ASSERT_EQ(0, mp_sites_add_binary(&self->profile, &library));
	ASSERT_EQ(0, add_site(&self->profile, 1, 0x30, 9000));
	self->profile.rows[NR_ROWS].location.binary = 2;
	ASSERT_EQ(0, arrange_sites(&self->profile, MP_GROUP_DEFAULT, &rows));
	ASSERT_LT(2, rows.nr_rows);
	for (i = 0; i < rows.nr_rows - 1; i++)
		EXPECT_NE(2, rows.rows[i].location.binary);
	EXPECT_EQ(2, rows.rows[i].location.binary);
	EXPECT_EQ(9000, rows.rows[i].value[MP_INUSE_SPACE]);
	mp_profile_free(&rows);
}

static int add_exited(struct mp_profile *profile, const char *comm, uint32_t pid)
{
	struct mp_row row = {
		.kind = MP_ROW_PROCESS, .flags = MP_ROW_EXITED, .pid = pid, .cgroup = 7,
		.nr_processes = 1,
	};

	strcpy(row.comm, comm);
	row.value[MP_TOUCHED] = 100;
	row.value[MP_RESIDENT] = 4096;
	row.value[MP_PEAK_RESIDENT] = pid;
	return mp_profile_add(profile, &row);
}

static const struct mp_row *find_comm(const struct mp_profile *rows, const char *comm)
{
	size_t i;

	for (i = 0; i < rows->nr_rows; i++)
		if (rows->rows[i].kind == MP_ROW_PROCESS && !strcmp(rows->rows[i].comm, comm))
			return &rows->rows[i];
	return NULL;
}

TEST_F(arrange, many_exited_processes_of_one_name_are_one_row)
{
	const struct mp_arrange arrange = {
		.kind = MP_ROW_PROCESS, .sort = MP_TOUCHED, .folds_exited = true,
	};
	struct mp_profile rows = { 0 };
	const struct mp_row *sum;
	uint32_t i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, add_exited(&self->profile, "session", 100 + i));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, add_exited(&self->profile, "shell", 200 + i));
	ASSERT_EQ(0, mp_arrange_rows(&arrange, &self->profile, &rows));
	EXPECT_EQ(2 + 1 + 3, nr_of(&rows, MP_ROW_PROCESS));
	sum = find_comm(&rows, "session");
	ASSERT_NE(NULL, sum);
	EXPECT_EQ(MP_ROW_EXITED | MP_ROW_FOLDED, sum->flags);
	EXPECT_EQ(0, sum->pid);
	EXPECT_EQ(4, sum->nr_processes);
	EXPECT_EQ(400, sum->value[MP_TOUCHED]);
	EXPECT_EQ(0, sum->value[MP_RESIDENT]);
	EXPECT_EQ(103, sum->value[MP_PEAK_RESIDENT]);
	mp_profile_free(&rows);
}

TEST_F(arrange, what_has_exited_has_no_growth)
{
	const struct mp_arrange arrange = {
		.kind = MP_ROW_PROCESS, .sort = MP_GROWTH, .growth_now = true,
		.keys = MP_GROUP_DEFAULT | MP_GROUP_PID,
	};
	struct mp_profile rows = { 0 };
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++) {
		self->profile.rows[i].value[MP_GROWTH] = 10;
		if (self->profile.rows[i].kind == MP_ROW_PROCESS &&
		    self->profile.rows[i].pid == 2)
			self->profile.rows[i].flags |= MP_ROW_EXITED;
	}
	ASSERT_EQ(0, mp_arrange_rows(&arrange, &self->profile, &rows));
	ASSERT_EQ(NR_ROWS, rows.nr_rows);
	for (i = 0; i < rows.nr_rows; i++)
		EXPECT_EQ(rows.rows[i].pid == 2 ? 0 : 10, rows.rows[i].value[MP_GROWTH]);
	mp_profile_free(&rows);
}

TEST_F(arrange, where_all_have_ended_each_is_a_row)
{
	const struct mp_arrange arrange = {
		.kind = MP_ROW_PROCESS, .sort = MP_TOUCHED, .folds_exited = true,
	};
	struct mp_profile rows = { 0 };
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++)
		if (self->profile.rows[i].kind == MP_ROW_PROCESS)
			self->profile.rows[i].flags |= MP_ROW_EXITED;
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, add_exited(&self->profile, "session", 100 + (uint32_t)i));
	ASSERT_EQ(0, mp_arrange_rows(&arrange, &self->profile, &rows));
	EXPECT_EQ(2 + 4, nr_of(&rows, MP_ROW_PROCESS));
	mp_profile_free(&rows);
}

TEST_HARNESS_MAIN
