// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of reports: their output must be equal to the golden files. If the environment
 * has MP_GOLDEN_UPDATE=1, the golden files are written again; then check the changes.
 */
#include "exited.h"
#include "writer.h"
#include "footer.h"
#include "sample.h"

#include "kselftest_harness.h"

FIXTURE(table)
{
	struct mp_profile profile;
	struct mp_out out;
	char *text;
	size_t len;
};

FIXTURE_SETUP(table)
{
	sample_profile(&self->profile);
	self->text = NULL;
	self->out = (struct mp_out){
		.ops = &mp_table_ops,
		.profile = &self->profile,
		.sort = MP_RESIDENT,
		.verbose = true,
	};
}

FIXTURE_TEARDOWN(table)
{
	mp_profile_free(&self->profile);
	free(self->text);
}

static void golden_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/tests/unit/golden/%s.txt", MP_TOP, name);
}

static char *golden(const char *name)
{
	char path[4096], *text;
	FILE *file;
	size_t len;

	golden_path(path, sizeof(path), name);
	file = fopen(path, "r");
	text = calloc(1, 65536);
	if (!file || !text)
		return text;
	len = fread(text, 1, 65535, file);
	text[len] = '\0';
	fclose(file);
	return text;
}

static void update(const char *name, const char *text)
{
	char path[4096];
	FILE *file;

	if (!getenv("MP_GOLDEN_UPDATE"))
		return;
	golden_path(path, sizeof(path), name);
	file = fopen(path, "w");
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

#define EXPECT_GOLDEN(name) do {					\
	char *expected;							\
									\
	self->out.file = open_memstream(&self->text, &self->len);	\
	ASSERT_NE(NULL, self->out.file);				\
	if (self->out.ops == &mp_table_ops)				\
		ASSERT_EQ(0, mp_exited_give_back(&self->profile));	\
	mp_profile_merge(&self->profile);				\
	mp_profile_sort(&self->profile, self->out.sort);		\
	mp_out_report(&self->out);					\
	fclose(self->out.file);						\
	update(name, self->text);					\
	expected = golden(name);					\
	EXPECT_STREQ(expected, self->text);				\
	free(expected);							\
} while (0)

TEST_F(table, processes_in_human_units)
{
	EXPECT_GOLDEN("process");
}

TEST_F(table, processes_in_exact_bytes)
{
	self->out.exact = true;
	EXPECT_GOLDEN("process-bytes");
}

TEST_F(table, rows_beyond_the_limit_are_one_line_and_in_the_total)
{
	self->out.limit = 2;
	EXPECT_GOLDEN("process-limit");
}

TEST_F(table, a_hidden_metric_becomes_a_column_when_sorted_by)
{
	self->out.sort = MP_GROWTH;
	EXPECT_GOLDEN("process-growth");
}

TEST_F(table, cgroups_have_their_own_table)
{
	self->out.kind = MP_ROW_CGROUP;
	EXPECT_GOLDEN("cgroup");
}

/* Makes the profile of a session with sampled allocations, some of which were lost. */
static void follow_allocations(struct mp_profile *profile)
{
	struct mp_row *row;

	profile->meta.status.streams |= MEMPROF_START_ALLOC;
	profile->meta.alloc = (struct mp_alloc_meta){
		.rate = 512 * 1024, .nr_probes = 31, .nr_binaries = 3,
		.rescan_errno = 13,
	};
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		row->value[MP_INUSE_SPACE] = row->value[MP_RESIDENT_ANON] / 2;
		row->value[MP_PEAK_SPACE] = row->value[MP_RESIDENT_ANON];
		row->value[MP_ALLOC_OBJECTS] = 123456;
		row->value[MP_ALLOC_SPACE] = 5 * SAMPLE_MIB;
		row->value[MP_FAILED_ALLOCS] = row->pid == 812;
		row->value[MP_TEMPORARY_OBJECTS] = 99;
	}
	mp_profile_warn(profile, "app: only half of it is seen");
}

TEST_F(table, allocations_have_their_own_columns)
{
	follow_allocations(&self->profile);
	self->out.view = MP_VIEW_ALLOC;
	self->out.sort = MP_INUSE_SPACE;
	EXPECT_GOLDEN("process-alloc");
}

TEST_F(table, allocations_of_cgroups_too)
{
	follow_allocations(&self->profile);
	self->out.view = MP_VIEW_ALLOC;
	self->out.sort = MP_INUSE_SPACE;
	self->out.kind = MP_ROW_CGROUP;
	EXPECT_GOLDEN("cgroup-alloc");
}

TEST_F(table, colours_are_escape_sequences_around_lines)
{
	self->out.colour = true;
	EXPECT_GOLDEN("process-colour");
}

TEST_F(table, nothing_seen_and_nothing_lost)
{
	struct memprof_status *status = &self->profile.meta.status;

	self->profile.nr_rows = 0;
	self->profile.nr_counters = 0;
	status->minor_period = 1;
	status->reset_ns = 70000000000;
	EXPECT_GOLDEN("empty");
}

TEST_F(table, a_failed_session_says_so)
{
	struct memprof_status *status = &self->profile.meta.status;

	status->flags = MEMPROF_STATUS_FAILED;
	status->state = MEMPROF_STATE_STOPPED;
	status->stop_ns = 61000000000;
	status->streams = 0;
	EXPECT_GOLDEN("failed");
}

TEST_F(table, json_lines)
{
	self->out.ops = &mp_json_ops;
	self->out.limit = 3;
	EXPECT_GOLDEN("json");
}

TEST_F(table, the_short_footer_is_a_line_and_what_was_lost)
{
	self->out.verbose = false;
	follow_allocations(&self->profile);
	self->out.view = MP_VIEW_ALLOC;
	EXPECT_GOLDEN("brief");
}

TEST_F(table, the_short_footer_is_one_line_if_nothing_is_wrong)
{
	self->out.verbose = false;
	mp_profile_free(&self->profile);
	self->profile.meta.status.now_ns = 3000000000;
	self->profile.meta.status.minor_period = 1;
	EXPECT_GOLDEN("brief-nothing");
}

TEST_F(table, numbers_that_are_late_say_so)
{
	self->out.verbose = false;
	mp_profile_free(&self->profile);
	self->profile.meta.status.now_ns = 3000000000;
	self->profile.meta.status.minor_period = 1;
	ASSERT_EQ(0, mp_profile_add_counter(&self->profile, "behind_ms", 2501));
	EXPECT_GOLDEN("brief-late");
}

TEST_F(table, streams_that_are_off_have_no_columns)
{
	follow_allocations(&self->profile);
	self->profile.meta.status.streams = MEMPROF_START_ALLOC;
	self->out.view = MP_VIEW_ALLOC;
	EXPECT_GOLDEN("process-alloc-only");
}

TEST_F(table, callsites_follow_the_processes)
{
	struct mp_profile sites = { .meta = self->profile.meta };
	struct mp_row row = {
		.kind = MP_ROW_SITE, .comm = "app", .nr_processes = 1,
		.location = { .address = 0x1234 },
	};

	row.value[MP_INUSE_SPACE] = SAMPLE_MIB;
	ASSERT_EQ(0, mp_profile_add(&sites, &row));
	row.location.address = 0x5678;
	row.value[MP_INUSE_SPACE] = 0;
	ASSERT_EQ(0, mp_profile_add(&sites, &row));
	self->out.verbose = false;
	self->out.view = MP_VIEW_ALLOC;
	self->out.limit = 20;
	self->out.sites = &sites;
	self->out.sites_sort = MP_INUSE_SPACE;
	EXPECT_GOLDEN("process-sites");
	mp_profile_free(&sites);
}

static char *footer_of(const struct mp_profile *profile, char **text)
{
	size_t len;
	FILE *file = open_memstream(text, &len);

	mp_footer_warnings(file, profile, true);
	fclose(file);
	return *text;
}

TEST(huge_pages_are_told_where_faults_are_too_few)
{
	struct mp_profile profile = { .meta = {
		.page_size = 4096,
		.status = { .minor_period = 1, .major_period = 1, .start_ns = 1000,
			    .streams = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH },
	} };
	struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 1, .start_ns = 2000 };
	char *text;

	row.value[MP_RESIDENT_ANON] = 64 * SAMPLE_MIB;
	row.value[MP_MMAP_UP] = 66 * SAMPLE_MIB;
	row.value[MP_MINOR_FAULTS] = 140;
	mp_row_derive(&row, 4096);
	ASSERT_EQ(0, mp_profile_add(&profile, &row));
	EXPECT_NE(NULL, strstr(footer_of(&profile, &text), "too low for 1 process:"));
	free(text);
	/* 20 samples would be too few */
	profile.meta.status.minor_period = 800;
	EXPECT_STREQ("", footer_of(&profile, &text));
	free(text);
	profile.meta.status.minor_period = 1;
	/* 4 KiB each */
	profile.rows[0].value[MP_TOUCHED] = 60 * SAMPLE_MIB;
	EXPECT_STREQ("", footer_of(&profile, &text));
	free(text);
	/* it had most of its memory before the session */
	profile.rows[0].value[MP_TOUCHED] = 140 * 4096;
	profile.rows[0].start_ns = 500;
	profile.rows[0].value[MP_MMAP_UP] = 30 * SAMPLE_MIB;
	EXPECT_STREQ("", footer_of(&profile, &text));
	free(text);
	profile.rows[0].start_ns = 2000;
	EXPECT_NE(NULL, strstr(footer_of(&profile, &text), "TOUCHED"));
	free(text);
	/* faults are not followed */
	profile.meta.status.streams = MEMPROF_START_GROWTH;
	EXPECT_STREQ("", footer_of(&profile, &text));
	free(text);
	mp_profile_free(&profile);
}

TEST_HARNESS_MAIN
