// SPDX-License-Identifier: GPL-2.0-only
/* Tests of profile: rows are merged, sorted and added up by the nature of each metric. */
#include "counter.h"
#include "profile.h"
#include "sample.h"

#include "kselftest_harness.h"

FIXTURE(profile)
{
	struct mp_profile profile;
};

FIXTURE_SETUP(profile)
{
	self->profile = (struct mp_profile){ 0 };
}

FIXTURE_TEARDOWN(profile)
{
	mp_profile_free(&self->profile);
}

/* Adds the rows of pid 5, which ran sh, then make, then cc, which is running. */
static void add_execs(struct mp_profile *profile)
{
	static const char * const comms[] = { "make", "cc", "sh" };
	static const uint64_t exits[] = { 200, 0, 100 };
	struct mp_row row;
	int i;

	for (i = 0; i < 3; i++) {
		row = sample_process(5, comms[i], 10 + i, SAMPLE_MIB << i, 100);
		row.exit_ns = exits[i];
		row.flags = exits[i] ? MP_ROW_EXITED : 0;
		mp_profile_add(profile, &row);
	}
}

TEST_F(profile, the_living_program_of_a_process_names_its_row)
{
	struct mp_row *row;

	add_execs(&self->profile);
	mp_profile_merge(&self->profile);
	ASSERT_EQ(1, self->profile.nr_rows);
	row = self->profile.rows;
	EXPECT_STREQ("cc", row->comm);
	EXPECT_EQ(11, row->cgroup);
	EXPECT_EQ(0, row->flags);
	EXPECT_EQ(2 * SAMPLE_MIB, row->value[MP_RESIDENT_ANON]);
}

TEST_F(profile, flows_of_a_process_add_up_and_peaks_are_the_highest)
{
	struct mp_row *row;

	add_execs(&self->profile);
	mp_profile_merge(&self->profile);
	row = self->profile.rows;
	EXPECT_EQ(300, row->value[MP_MINOR_FAULTS]);
	EXPECT_EQ(7 * SAMPLE_MIB, row->value[MP_MMAP_UP]);
	EXPECT_EQ(5 * SAMPLE_MIB, row->value[MP_GROWTH_PEAK]);
	EXPECT_EQ(9 * SAMPLE_MIB, row->value[MP_PEAK_RESIDENT]);
}

TEST_F(profile, the_last_program_names_an_exited_process)
{
	add_execs(&self->profile);
	self->profile.rows[1].flags = MP_ROW_EXITED;
	self->profile.rows[1].exit_ns = 150;
	mp_profile_merge(&self->profile);
	ASSERT_EQ(1, self->profile.nr_rows);
	EXPECT_STREQ("make", self->profile.rows[0].comm);
	EXPECT_EQ(MP_ROW_EXITED, self->profile.rows[0].flags);
}

TEST_F(profile, a_reused_pid_is_another_process)
{
	struct mp_row row = sample_process(5, "a", 1, 0, 0);

	mp_profile_add(&self->profile, &row);
	row.start_ns++;
	mp_profile_add(&self->profile, &row);
	mp_profile_merge(&self->profile);
	EXPECT_EQ(2, self->profile.nr_rows);
}

TEST_F(profile, folded_and_overflow_rows_stay_apart)
{
	sample_profile(&self->profile);
	mp_profile_merge(&self->profile);
	EXPECT_EQ(8, self->profile.nr_rows);
}

TEST_F(profile, merging_nothing_is_fine)
{
	mp_profile_merge(&self->profile);
	mp_profile_sort(&self->profile, MP_RESIDENT);
	EXPECT_EQ(0, self->profile.nr_rows);
}

TEST_F(profile, the_highest_comes_first)
{
	sample_profile(&self->profile);
	mp_profile_sort(&self->profile, MP_MINOR_FAULTS);
	EXPECT_EQ(900, self->profile.rows[0].pid);
	EXPECT_EQ(901, self->profile.rows[1].pid);
}

TEST_F(profile, the_exited_come_last_when_sorted_by_a_level)
{
	sample_profile(&self->profile);
	mp_profile_sort(&self->profile, MP_RESIDENT);
	EXPECT_EQ(901, self->profile.rows[6].pid);
	EXPECT_EQ(MP_ROW_CGROUP, self->profile.rows[0].kind);
	EXPECT_EQ(812, self->profile.rows[1].pid);
}

TEST_F(profile, growth_sorts_as_a_signed_number)
{
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 1 };

	row.value[MP_GROWTH] = -5;
	mp_profile_add(&self->profile, &row);
	row.pid = 2;
	row.value[MP_GROWTH] = 5;
	mp_profile_add(&self->profile, &row);
	mp_profile_sort(&self->profile, MP_GROWTH);
	EXPECT_EQ(2, self->profile.rows[0].pid);
}

TEST_F(profile, what_lives_no_more_goes_by_what_it_was)
{
	struct mp_row row = { .kind = MP_ROW_SITE, .pid = 1 };

	mp_profile_add(&self->profile, &row);
	row.pid = 2;
	row.value[MP_ALLOC_SPACE] = 5;
	mp_profile_add(&self->profile, &row);
	row.pid = 3;
	row.value[MP_ALLOC_SPACE] = 4;
	row.value[MP_PEAK_SPACE] = 1;
	mp_profile_add(&self->profile, &row);
	mp_profile_sort(&self->profile, MP_INUSE_SPACE);
	EXPECT_EQ(3, self->profile.rows[0].pid);
	EXPECT_EQ(2, self->profile.rows[1].pid);
	EXPECT_EQ(1, self->profile.rows[2].pid);
}

TEST_F(profile, totals_hold_levels_of_the_living_only)
{
	struct mp_total total;

	sample_profile(&self->profile);
	mp_profile_total(&self->profile, MP_ROW_PROCESS, &total);
	EXPECT_EQ(6, total.nr_rows);
	EXPECT_EQ(4, total.nr_named);
	EXPECT_EQ(1, total.nr_exited);
	EXPECT_EQ(61 * SAMPLE_MIB, total.value[MP_RESIDENT_ANON]);
	EXPECT_EQ(70 * SAMPLE_MIB, total.value[MP_RESIDENT]);
	EXPECT_EQ(13500 + 100 + 123456700 + 200000 + 5000 + 300,
		  total.value[MP_MINOR_FAULTS]);
	EXPECT_EQ(0, total.value[MP_GROWTH_PEAK]);
}

TEST_F(profile, growth_and_rss_follow_from_their_parts)
{
	struct mp_row row = { 0 };

	row.value[MP_BRK_UP] = 10;
	row.value[MP_BRK_DOWN] = 50;
	row.value[MP_MMAP_UP] = 20;
	row.value[MP_RESIDENT_ANON] = 1;
	row.value[MP_RESIDENT_FILE] = 2;
	row.value[MP_RESIDENT_SHMEM] = 4;
	row.value[MP_MINOR_FAULTS] = 3;
	row.value[MP_MAJOR_FAULTS] = 1;
	mp_row_derive(&row, SAMPLE_PAGE);
	EXPECT_EQ(-20, (int64_t)row.value[MP_GROWTH]);
	EXPECT_EQ(7, row.value[MP_RESIDENT]);
	EXPECT_EQ(4 * SAMPLE_PAGE, row.value[MP_TOUCHED]);
}

TEST_F(profile, a_cgroup_without_a_path_shows_its_id)
{
	char buf[MP_CGROUP_ID_SIZE];

	sample_profile(&self->profile);
	EXPECT_STREQ("/", mp_profile_cgroup(&self->profile, 1, buf));
	EXPECT_STREQ("id:18446744073709551615",
		     mp_profile_cgroup(&self->profile, UINT64_MAX, buf));
	EXPECT_STREQ("", mp_profile_cgroup(&self->profile, 0, buf));
}

TEST_F(profile, many_cgroups_keep_their_paths)
{
	struct mp_id_names *names = &self->profile.names;
	char path[32];
	uint64_t id;

	for (id = 1; id <= 10000; id++) {
		snprintf(path, sizeof(path), "/%lu", id);
		ASSERT_EQ(0, mp_id_names_add(names, id << 32, path));
	}
	EXPECT_EQ(10000, names->nr);
	for (id = 1; id <= 10000; id++) {
		snprintf(path, sizeof(path), "/%lu", id);
		EXPECT_STREQ(path, mp_id_names_find(names, id << 32));
	}
	EXPECT_EQ(NULL, mp_id_names_find(names, 5));
}

TEST_F(profile, counters_of_one_name_add_up)
{
	mp_profile_add_counter(&self->profile, "growth_missed", 2);
	mp_profile_add_counter(&self->profile, "growth_missed", 3);
	ASSERT_EQ(1, self->profile.nr_counters);
	EXPECT_EQ(5, self->profile.counters[0].value);
}

TEST(counters_are_told_apart_as_loss_or_normal)
{
	EXPECT_EQ(MP_COUNTER_LOSS, mp_counter_info("growth_missed")->class);
	EXPECT_EQ(MP_COUNTER_NORMAL, mp_counter_info("fault_no_mm")->class);
	EXPECT_EQ(MP_COUNTER_INEXACT,
		  mp_counter_info("growth_overlapped")->class);
	EXPECT_EQ(MP_COUNTER_MISTAKE, mp_counter_info("rate_invalid")->class);
	EXPECT_EQ(MP_COUNTER_MISTAKE, mp_counter_info("out_unusable")->class);
	EXPECT_EQ(MP_COUNTER_UNKNOWN, mp_counter_info("new")->class);
}

TEST(inherited_bytes_fall_as_blocks_are_freed)
{
	struct mp_row row = { .kind = MP_ROW_PROCESS };

	row.value[MP_INHERITED_OBJECTS] = 10;
	row.value[MP_INHERITED_SPACE] = 1000;
	mp_row_derive(&row, 4096);
	EXPECT_EQ(1000, row.value[MP_INHERITED_LIVE]);
	row.value[MP_INHERITED_FREES] = 4;
	mp_row_derive(&row, 4096);
	EXPECT_EQ(600, row.value[MP_INHERITED_LIVE]);
	EXPECT_EQ(1000, row.value[MP_INHERITED_SPACE]);
	/* after a reset only the frees are counted */
	row.value[MP_INHERITED_OBJECTS] = 3;
	mp_row_derive(&row, 4096);
	EXPECT_EQ(0, row.value[MP_INHERITED_LIVE]);
	/* sums include processes that exited */
	row.value[MP_INHERITED_OBJECTS] = 9;
	row.kind = MP_ROW_CGROUP;
	mp_row_derive(&row, 4096);
	EXPECT_EQ(0, row.value[MP_INHERITED_LIVE]);
	row.kind = MP_ROW_PROCESS;
	row.value[MP_INHERITED_OBJECTS] = UINT64_MAX;
	row.value[MP_INHERITED_SPACE] = UINT64_MAX;
	row.value[MP_INHERITED_FREES] = 1;
	mp_row_derive(&row, 4096);
	EXPECT_EQ(UINT64_MAX - 1, row.value[MP_INHERITED_LIVE]);
}

/* Checks the counters in a header of the writer: the macro X() has their names. */
static void expect_meanings(struct __test_metadata *_metadata, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256], name[64];
	int nr = 0;

	ASSERT_NE(NULL, file) TH_LOG("%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " X(%*[A-Z0-9_], \"%63[a-z0-9_]\")", name) != 1 &&
		    sscanf(line, " X(%63[a-z0-9_],", name) != 1)
			continue;
		nr++;
		EXPECT_NE(MP_COUNTER_UNKNOWN, mp_counter_info(name)->class)
			TH_LOG("%s has no meaning", name);
	}
	fclose(file);
	EXPECT_LT(10, nr) TH_LOG("%s: %d names", path, nr);
}

TEST(every_counter_has_a_meaning)
{
	expect_meanings(_metadata, MP_TOP "/kmod/counter.h");
	expect_meanings(_metadata, MP_TOP "/user/lib/memprof/drop-counter.h");
	EXPECT_EQ(MP_COUNTER_INEXACT, mp_counter_info("site_folded")->class);
	EXPECT_EQ(MP_COUNTER_INEXACT, mp_counter_info("cgroup_folded")->class);
	EXPECT_EQ(MP_COUNTER_LOSS, mp_counter_info("target_lost")->class);
}

TEST(metrics_are_found_by_key_and_by_heading)
{
	EXPECT_EQ(MP_RESIDENT, mp_metric_find("rss"));
	EXPECT_EQ(MP_RESIDENT, mp_metric_find("resident_space"));
	EXPECT_EQ(MP_GROWTH_PEAK, mp_metric_find("Growth-Peak"));
	EXPECT_EQ(-1, mp_metric_find("RESIDENT_SPACE"));
	EXPECT_EQ(-1, mp_metric_find(""));
}

TEST(every_metric_has_a_name_of_its_own)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++) {
		ASSERT_NE(NULL, mp_metrics[i].key);
		EXPECT_EQ(i, mp_metric_find(mp_metrics[i].key));
		EXPECT_EQ(i, mp_metric_find(mp_metrics[i].heading));
		EXPECT_NE(NULL, mp_metrics[i].description);
	}
}

TEST(metrics_are_estimates_when_their_stream_is_sampled)
{
	EXPECT_TRUE(mp_metric_is_estimate(MP_MINOR_FAULTS, 100, 1, 0));
	EXPECT_FALSE(mp_metric_is_estimate(MP_MAJOR_FAULTS, 100, 1, 0));
	EXPECT_TRUE(mp_metric_is_estimate(MP_TOUCHED, 100, 1, 0));
	EXPECT_FALSE(mp_metric_is_estimate(MP_TOUCHED, 1, 1, 0));
	EXPECT_FALSE(mp_metric_is_estimate(MP_BRK_UP, 100, 100, 0));
	EXPECT_TRUE(mp_metric_is_estimate(MP_INUSE_SPACE, 1, 1, 4096));
	EXPECT_FALSE(mp_metric_is_estimate(MP_INUSE_SPACE, 1, 1, 1));
	EXPECT_FALSE(mp_metric_is_estimate(MP_FAILED_ALLOCS, 1, 1, 4096));
}

/* A program that had 614 MB in 6830 samples, of which 6000 were 16 KB apart, was off by 24 MB. */
TEST(late_samples_say_how_sure_a_sum_is)
{
	struct mp_alloc_meta alloc = { .rate = 16 << 10, .pace = 2000 };
	uint64_t value[MP_NR_METRICS] = {
		[MP_ALLOC_SAMPLES] = 6830, [MP_ALLOC_OBJECTS] = 6000000,
		[MP_ALLOC_SPACE] = 614ULL << 20,
	};
	double distance, error;

	distance = (double)mp_alloc_distance(&alloc, value) * mp_alloc_spread(&alloc, value, 1);
	error = (double)mp_metric_error(value[MP_ALLOC_SPACE], (uint64_t)distance) / 2;
	EXPECT_LT(22 << 20, error);
	EXPECT_GT(30 << 20, error);
	value[MP_ALLOC_SAMPLES] = 5000;
	EXPECT_EQ(1, mp_alloc_spread(&alloc, value, 1));
	value[MP_ALLOC_SAMPLES] = 6830;
	alloc.pace = 0;
	EXPECT_EQ(1, mp_alloc_spread(&alloc, value, 1));
}

/* Small blocks tell how far samples were apart; those that are always sampled do not. */
TEST(distances_of_samples_are_known_from_the_blocks_that_they_stand_for)
{
	struct mp_alloc_meta alloc = { .rate = 64 << 10, .pace = 1000 };
	uint64_t value[MP_NR_METRICS] = {
		[MP_ALLOC_SAMPLES] = 100, [MP_ALLOC_OBJECTS] = 1000000, [MP_ALLOC_SPACE] = 40000000,
	};

	EXPECT_LT(399000, mp_alloc_distance(&alloc, value));
	EXPECT_GT(401000, mp_alloc_distance(&alloc, value));
	alloc.pace = 0;
	EXPECT_EQ(64 << 10, mp_alloc_distance(&alloc, value));
	alloc.pace = 1000;
	/* four of 13 MB */
	value[MP_ALLOC_SAMPLES] = value[MP_ALLOC_OBJECTS] = 4;
	value[MP_ALLOC_SPACE] = 52 << 20;
	EXPECT_EQ(64 << 10, mp_alloc_distance(&alloc, value));
	/* one in eight of 128 KB: 1 - exp(-128 / 959) */
	value[MP_ALLOC_SAMPLES] = 1000;
	value[MP_ALLOC_OBJECTS] = 8000;
	value[MP_ALLOC_SPACE] = 8000ULL << 17;
	EXPECT_LT(958 << 10, mp_alloc_distance(&alloc, value));
	EXPECT_GT(960 << 10, mp_alloc_distance(&alloc, value));
	value[MP_ALLOC_SAMPLES] = 0;
	EXPECT_EQ(64 << 10, mp_alloc_distance(&alloc, value));
}

TEST_HARNESS_MAIN
