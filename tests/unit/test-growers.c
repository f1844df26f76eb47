// SPDX-License-Identifier: GPL-2.0-only
/* Tests of growers: who grew most, beside what begins, and beside what comes and goes. */
#include "arrange.h"
#include "growers.h"

#include "kselftest_harness.h"

#include <string.h>

#define MB	((int64_t)1 << 20)
#define SECOND	1000000000UL

/* Ten seconds of a session */
FIXTURE(growers)
{
	struct mp_profile profile;
};

FIXTURE_SETUP(growers)
{
	self->profile = (struct mp_profile){ 0 };
	self->profile.meta.status.start_ns = 100 * SECOND;
	self->profile.meta.status.now_ns = 110 * SECOND;
}

FIXTURE_TEARDOWN(growers)
{
	mp_profile_free(&self->profile);
}

/* A process that began at a second, and grew */
static void add(struct mp_profile *profile, uint32_t pid, const char *comm, uint64_t began,
		int64_t mb, unsigned int flags)
{
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = pid, .flags = flags };

	*(began < 100 ? &row.began_ns : &row.start_ns) = began * SECOND;
	row.value[MP_RESIDENT_DELTA] = (uint64_t)(mb * MB);
	strcpy(row.comm, comm);
	mp_profile_add(profile, &row);
}

/* The id of the process that is found, or 0 */
static uint32_t found(const struct mp_profile *profile, enum mp_grower_kind kind)
{
	const struct mp_row *row = mp_growers_next(profile, kind, NULL);

	return row ? row->pid : 0;
}

/* What was as large before comes and goes; in ten seconds it is told if nothing else grew. */
TEST_F(growers, what_has_risen_above_its_peak_grew)
{
	struct mp_row *rows;

	add(&self->profile, 1, "churn", 50, 30, 0);
	add(&self->profile, 2, "leak", 50, 20, 0);
	add(&self->profile, 3, "other", 50, 10, 0);
	rows = self->profile.rows;
	rows[0].value[MP_RESIDENT] = 40 * MB;
	rows[0].peak_before = 40 * MB;
	rows[1].value[MP_RESIDENT] = 100 * MB;
	rows[1].peak_before = 82 * MB;
	EXPECT_EQ(2, found(&self->profile, MP_GROWER_ANY));
	EXPECT_EQ(3, mp_growers_next(&self->profile, MP_GROWER_ANY, &rows[1])->pid);
	EXPECT_EQ(NULL, mp_growers_next(&self->profile, MP_GROWER_ANY, &rows[2]));
	EXPECT_TRUE(mp_growers_has_risen(&rows[1]));
	EXPECT_FALSE(mp_growers_has_risen(&rows[0]));
	rows[1].value[MP_RESIDENT_DELTA] = rows[2].value[MP_RESIDENT_DELTA] = 0;
	EXPECT_EQ(1, found(&self->profile, MP_GROWER_ANY));
	self->profile.meta.status.now_ns = 105 * SECOND;
	EXPECT_EQ(0, found(&self->profile, MP_GROWER_ANY));
}

TEST_F(growers, what_ran_before_lasts)
{
	add(&self->profile, 1, "old", 50, 20, 0);
	add(&self->profile, 2, "new", 101, 400, 0);
	add(&self->profile, 3, "older", 1, 30, 0);
	EXPECT_EQ(found(&self->profile, MP_GROWER_ANY), 2);
	EXPECT_EQ(found(&self->profile, MP_GROWER_LASTING), 3);
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 2);
	EXPECT_EQ(mp_growers_next(&self->profile, MP_GROWER_LASTING,
				  &self->profile.rows[2])->pid, 1);
	EXPECT_EQ(mp_growers_next(&self->profile, MP_GROWER_LASTING,
				  &self->profile.rows[0]), NULL);
}

TEST_F(growers, little_growth_is_none)
{
	add(&self->profile, 1, "still", 1, 0, 0);
	add(&self->profile, 2, "shrinks", 1, -5, 0);
	EXPECT_EQ(found(&self->profile, MP_GROWER_ANY), 0);
}

/* The compiler began before the session, but not for long; others of its name have ended. */
TEST_F(growers, compilers_do_not_last)
{
	add(&self->profile, 1, "service", 89, 20, 0);
	add(&self->profile, 2, "cc1plus", 95, 400, 0);
	add(&self->profile, 3, "cc1plus", 101, 0, MP_ROW_EXITED);
	add(&self->profile, 4, "cc1plus", 103, 0, MP_ROW_EXITED);
	EXPECT_EQ(found(&self->profile, MP_GROWER_LASTING), 1);
	EXPECT_EQ(found(&self->profile, MP_GROWER_ANY), 2);
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 2);
	add(&self->profile, 5, "cc1plus", 105, 0, MP_ROW_EXITED);
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 0);
}

/* Who leads is above what has more DELTA, and its cgroup above that of others. */
TEST_F(growers, who_leads_is_sorted_first)
{
	struct mp_profile *profile = &self->profile;
	struct mp_row cgroup = { .kind = MP_ROW_CGROUP };
	const struct mp_row *row;

	add(profile, 1, "churn", 50, 30, 0);
	profile->rows[0].value[MP_RESIDENT] = profile->rows[0].peak_before = 40 * MB;
	add(profile, 2, "cc1plus", 108, 60, 0);
	add(profile, 3, "leak", 50, 5, 0);
	add(profile, 4, "memprofctl", 50, 80, 0);
	add(profile, 5, "slower", 50, 4, 0);
	profile->rows[0].cgroup = profile->rows[1].cgroup = profile->rows[3].cgroup = 7;
	profile->rows[2].cgroup = profile->rows[4].cgroup = 8;
	EXPECT_FALSE(mp_growers_leads(profile, &profile->rows[0]));
	EXPECT_TRUE(mp_growers_leads(profile, &profile->rows[2]));
	mp_arrange_sort(profile, MP_ROW_PROCESS, MP_RESIDENT_DELTA);
	EXPECT_EQ(3, profile->rows[0].pid);
	EXPECT_EQ(5, profile->rows[1].pid);
	EXPECT_EQ(2, profile->rows[2].pid);
	EXPECT_EQ(1, profile->rows[3].pid);
	EXPECT_EQ(4, profile->rows[4].pid);
	mp_arrange_sort(profile, MP_ROW_PROCESS, MP_RESIDENT);
	EXPECT_EQ(1, profile->rows[0].pid);

	cgroup.cgroup = 7;
	cgroup.value[MP_RESIDENT_DELTA] = 170 * MB;
	mp_profile_add(profile, &cgroup);
	cgroup.cgroup = 8;
	cgroup.value[MP_RESIDENT_DELTA] = 9 * MB;
	mp_profile_add(profile, &cgroup);
	mp_arrange_sort(profile, MP_ROW_CGROUP, MP_RESIDENT_DELTA);
	for (row = profile->rows; row->kind != MP_ROW_CGROUP; row++)
		;
	EXPECT_EQ(8, row->cgroup);
	EXPECT_EQ(9 * MB, row->value[MP_RESIDENT_DELTA]);
}

/* In a long session, what began in it lasts after a minute. */
TEST_F(growers, a_minute_is_enough)
{
	self->profile.meta.status.now_ns = 1000 * SECOND;
	add(&self->profile, 1, "service", 50, 20, 0);
	add(&self->profile, 2, "restarted", 930, 400, 0);
	EXPECT_EQ(found(&self->profile, MP_GROWER_LASTING), 2);
}

/* After a suspension, processes of before seem to begin later than the session. */
TEST_F(growers, a_suspension_makes_nothing_new)
{
	add(&self->profile, 1, "service", 50, 20, 0);
	self->profile.rows[0].began_ns = 5000 * SECOND;
	add(&self->profile, 2, "new", 5101, 400, 0);
	EXPECT_EQ(found(&self->profile, MP_GROWER_LASTING), 1);
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 2);
}

/* One that has run for long stays a suspect, however many processes of its name end. */
TEST_F(growers, old_processes_of_a_busy_service_last)
{
	uint32_t i;

	add(&self->profile, 1, "postgres", 20, 400, 0);
	add(&self->profile, 2, "service", 50, 20, 0);
	for (i = 10; i < 14; i++)
		add(&self->profile, i, "postgres", 101, 0, MP_ROW_EXITED);
	EXPECT_EQ(found(&self->profile, MP_GROWER_LASTING), 1);
}

/* A sum of exited processes counts them all; those of other cgroups say nothing. */
TEST_F(growers, sums_of_exited_processes_count)
{
	add(&self->profile, 1, "sh", 99, 400, 0);
	add(&self->profile, 2, "service", 50, 20, 0);
	add(&self->profile, 0, "sh", 101, 0, MP_ROW_EXITED | MP_ROW_FOLDED);
	self->profile.rows[2].nr_processes = 40;
	self->profile.rows[2].cgroup = 7;
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 1);
	self->profile.rows[2].cgroup = 0;
	EXPECT_EQ(found(&self->profile, MP_GROWER_NEW), 0);
}

TEST_HARNESS_MAIN
