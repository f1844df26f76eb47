// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of callsites: how they are merged, written, read, shown and named.
 */
#include "json.h"
#include "symbolization.h"
#include "writer.h"
#include "sample.h"
#include "callsites.h"
#include "grouping.h"
#include "sites.h"

#include "kselftest_harness.h"

#include <sys/stat.h>
#include <unistd.h>

#define OUTPUT_SIZE	65536

FIXTURE(sites)
{
	struct mp_profile profile;
	struct mp_profile copy;
	char text[OUTPUT_SIZE];
};

static struct mp_row site(struct mp_profile *profile, uint32_t pid,
			  uint64_t offset, uint64_t live)
{
	struct mp_binary binary = { .inode = 77, .dev = 5, .path = "/opt/app" };
	struct mp_histogram histogram = {
		.sizes = { [7] = live / 100 },
		.lifetimes = { [0] = 1, [12] = 2, [33] = 3 },
	};
	struct mp_row row = {
		.kind = MP_ROW_SITE,
		.pid = pid,
		.start_ns = pid * 1000UL,
		.location = {
			.func = MEMPROF_FUNC_MALLOC,
			.address = 0x550000000000 + offset + pid,
			.offset = offset,
		},
	};

	mp_sites_binary(profile, &binary, &row.location.binary);
	mp_sites_histogram(profile, &histogram, &row.location.histogram);
	row.value[MP_INUSE_SPACE] = live;
	row.value[MP_PEAK_SPACE] = 2 * live;
	row.value[MP_ALLOC_OBJECTS] = 10;
	row.value[MP_GROWTH] = -4096UL;
	row.value[MP_INSIDE_FAULTS] = 3;
	row.value[MP_BLOCK_FAULTS] = 4;
	mp_row_derive(&row, SAMPLE_PAGE);
	return row;
}

FIXTURE_SETUP(sites)
{
	struct mp_profile *profile = &self->profile;
	struct mp_row row;

	*profile = (struct mp_profile){ 0 };
	self->copy = (struct mp_profile){ 0 };
	sample_meta(&profile->meta);
	profile->meta.status.streams |= MEMPROF_START_ALLOC;
	profile->meta.alloc = (struct mp_alloc_meta){
		.rate = 524288, .nr_probes = 9, .nr_binaries = 1,
	};
	sample_add(profile, sample_process(10, "app", 1, SAMPLE_MIB, 0), 0);
	sample_add(profile, sample_process(11, "app", 1, SAMPLE_MIB, 0), 0);
	sample_add(profile, sample_process(12, "other", 1, SAMPLE_MIB, 0), 0);
	sample_add(profile, site(profile, 10, 0x1234, 1000), 0);
	sample_add(profile, site(profile, 11, 0x1234, 500), 0);
	sample_add(profile, site(profile, 12, 0x1234, 200), 0);
	sample_add(profile, site(profile, 10, 0x2000, 100), 0);
	row = site(profile, 10, 0, 50);
	row.location.binary = 0;
	sample_add(profile, row, 0);
	row = site(profile, 0, 0, 25);
	row.location.binary = 0;
	sample_add(profile, row, MP_ROW_OVERFLOW);
}

FIXTURE_TEARDOWN(sites)
{
	mp_profile_free(&self->profile);
	mp_profile_free(&self->copy);
}

static size_t nr_sites(const struct mp_profile *profile)
{
	size_t i, nr = 0;

	for (i = 0; i < profile->nr_rows; i++)
		nr += profile->rows[i].kind == MP_ROW_SITE;
	return nr;
}

/* Finds the first row of a callsite by its offset and command name. */
static struct mp_row *find(struct mp_profile *profile, uint64_t offset,
			   const char *comm)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_SITE &&
		    profile->rows[i].location.offset == offset &&
		    !strcmp(profile->rows[i].comm, comm))
			return &profile->rows[i];
	return NULL;
}

TEST_F(sites, same_code_under_the_same_name_is_one)
{
	const struct mp_row *row;

	ASSERT_EQ(0, mp_sites_adopt(&self->profile));
	mp_grouping_apply(&self->profile, MP_GROUP_DEFAULT);
	mp_profile_merge(&self->profile);
	EXPECT_EQ(5, nr_sites(&self->profile));
	row = find(&self->profile, 0x1234, "app");
	ASSERT_NE(NULL, row);
	EXPECT_EQ(2, row->nr_processes);
	EXPECT_EQ(0, row->pid);
	/* both live: what they hold adds up, their peaks do not */
	EXPECT_EQ(1500, row->value[MP_INUSE_SPACE]);
	EXPECT_EQ(2000, row->value[MP_PEAK_SPACE]);
	EXPECT_EQ(20, row->value[MP_ALLOC_OBJECTS]);
	EXPECT_EQ(-8192, (int64_t)row->value[MP_GROWTH]);
	EXPECT_EQ(14, row->value[MP_FAULTS]);
	EXPECT_EQ(15, self->profile.histograms[row->location.histogram - 1].sizes[7]);
	row = find(&self->profile, 0x1234, "other");
	ASSERT_NE(NULL, row);
	EXPECT_EQ(200, row->value[MP_INUSE_SPACE]);
}

TEST_F(sites, what_several_hold_they_held_at_once)
{
	struct mp_row *row;
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++) {
		row = &self->profile.rows[i];
		if (row->kind == MP_ROW_SITE)
			row->value[MP_INUSE_SPACE] = row->value[MP_PEAK_SPACE];
	}
	ASSERT_EQ(0, mp_sites_adopt(&self->profile));
	mp_grouping_apply(&self->profile, MP_GROUP_DEFAULT);
	mp_profile_merge(&self->profile);
	row = find(&self->profile, 0x1234, "app");
	EXPECT_EQ(2, row->nr_processes);
	EXPECT_LT(2000, row->value[MP_INUSE_SPACE]);
	EXPECT_EQ(row->value[MP_INUSE_SPACE], row->value[MP_PEAK_SPACE]);
}

TEST_F(sites, processes_are_kept_apart_when_asked)
{
	ASSERT_EQ(0, mp_sites_adopt(&self->profile));
	mp_grouping_apply(&self->profile, MP_GROUP_DEFAULT | MP_GROUP_PID);
	mp_profile_merge(&self->profile);
	EXPECT_EQ(6, nr_sites(&self->profile));
	EXPECT_NE(0, find(&self->profile, 0x1234, "app")->pid);
}

static void read_lines(FIXTURE_DATA(sites) *self)
{
	char *line, *rest = self->text;
	struct mp_json_line parsed;

	while ((line = strsep(&rest, "\n")) && line[0])
		if (mp_json_read(&self->copy, line, strlen(line), &parsed))
			abort();
}

TEST_F(sites, json_brings_all_of_them_back)
{
	FILE *file = fmemopen(self->text, OUTPUT_SIZE, "w");
	struct mp_row *row, *same;
	size_t i;

	for (i = 0; i < self->profile.nr_rows; i++)
		mp_json_row(file, &self->profile, &self->profile.rows[i]);
	mp_profile_warn(&self->profile, "only \"half\" of it");
	mp_json_summary(file, &self->profile, MP_ROW_PROCESS, 0);
	fclose(file);
	read_lines(self);
	ASSERT_EQ(6, nr_sites(&self->copy));
	EXPECT_EQ(1, self->copy.nr_binaries);
	EXPECT_EQ(77, self->copy.binaries[0].inode);
	EXPECT_STREQ("/opt/app", self->copy.binaries[0].path);
	row = find(&self->profile, 0x1234, "");
	same = find(&self->copy, 0x1234, "");
	EXPECT_EQ(0, memcmp(row->value, same->value, sizeof(row->value)));
	EXPECT_EQ(row->location.address, same->location.address);
	EXPECT_EQ(row->start_ns, same->start_ns);
	EXPECT_EQ(0, memcmp(&self->profile.histograms[row->location.histogram - 1],
			    &self->copy.histograms[same->location.histogram - 1],
			    sizeof(struct mp_histogram)));
	ASSERT_EQ(1, self->copy.nr_warnings);
	EXPECT_STREQ("only \"half\" of it", self->copy.warnings[0]);
	EXPECT_EQ(524288, self->copy.meta.alloc.rate);
	EXPECT_TRUE(self->copy.meta.status.streams & MEMPROF_START_ALLOC);
}

TEST_F(sites, bad_lines_bring_none)
{
	static const char * const bad[] = {
		"{\"type\":\"site\",\"offset\":-1}",
		"{\"type\":\"site\",\"func\":4294967296}",
		"{\"type\":\"site\",\"sizes\":1}",
		"{\"type\":\"site\",\"sizes\":[\"x\"]}",
		"{\"type\":\"site\",\"sizes\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
		"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
		"1,1]}",
		"{\"type\":\"site\",\"binary\":\"/a\",\"inode\":\"x\"}",
		"{\"type\":\"summary\",\"state\":\"idle\",\"warnings\":1}",
		"{\"type\":\"summary\",\"state\":\"idle\",\"warnings\":[1]}",
	};
	struct mp_json_line parsed;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EBADMSG, mp_json_read(&self->copy, bad[i],
						 strlen(bad[i]), &parsed));
	EXPECT_EQ(0, self->copy.nr_rows);
}

/* For example frames in two files, if their long paths are equal after a cut. */
TEST_F(sites, frames_of_one_place_may_have_two_numbers)
{
	static const char * const lines[] = {
		"{\"type\":\"frame\",\"number\":0,\"offset\":5,\"binary\":\"/a\"}",
		"{\"type\":\"frame\",\"number\":1,\"offset\":5,\"binary\":\"/a\"}",
		"{\"type\":\"stack\",\"stack\":[1,0]}",
	};
	static const char jump[] =
		"{\"type\":\"frame\",\"number\":3,\"offset\":5}";
	struct mp_json_line parsed;
	size_t i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, mp_json_read(&self->copy, lines[i],
					  strlen(lines[i]), &parsed));
	EXPECT_EQ(2, self->copy.frames.nr);
	EXPECT_EQ(1, self->copy.nr_rows);
	EXPECT_EQ(0, self->copy.nr_histograms);
	EXPECT_EQ(-EBADMSG, mp_json_read(&self->copy, jump, strlen(jump),
					 &parsed));
}

/* Writes the report as a table. */
static void show(FIXTURE_DATA(sites) *self, bool histograms)
{
	struct mp_out out = {
		.ops = &mp_table_ops,
		.profile = &self->profile,
		.kind = MP_ROW_SITE,
		.view = MP_VIEW_ALLOC,
		.sort = MP_INUSE_SPACE,
		.histograms = histograms,
		.file = fmemopen(self->text, OUTPUT_SIZE, "w"),
	};

	mp_sites_adopt(&self->profile);
	mp_grouping_apply(&self->profile, MP_GROUP_DEFAULT);
	mp_profile_merge(&self->profile);
	mp_profile_sort(&self->profile, MP_INUSE_SPACE);
	mp_out_report(&out);
	fclose(out.file);
}

TEST_F(sites, table_shows_places_and_what_was_dropped)
{
	show(self, false);
	EXPECT_NE(NULL, strstr(self->text, "CALLSITE\n"));
	EXPECT_NE(NULL, strstr(self->text, "app+0x1234\n"));
	EXPECT_NE(NULL, strstr(self->text, "[dropped]"));
	EXPECT_NE(NULL, strstr(self->text, "0x55000000000a\n"));
	EXPECT_NE(NULL, strstr(self->text, "1 allocation per 512K bytes"));
	EXPECT_NE(NULL, strstr(self->text, "estimates"));
	EXPECT_EQ(NULL, strstr(self->text, "sizes:"));
}

TEST_F(sites, histograms_show_bins_in_use)
{
	show(self, true);
	EXPECT_NE(NULL, strstr(self->text, "sizes:      <128: 15\n"));
	EXPECT_NE(NULL, strstr(self->text,
			       "lifetimes:  <1 us: 2  <4 us: 4  <8.5 s: 6\n"))
		TH_LOG("%s", self->text);
}

TEST_F(sites, warnings_say_what_to_do)
{
	self->profile.rows[0].value[MP_UNKNOWN_FREES] = 12;
	/* what ran before frees what it had before */
	self->profile.meta.status.start_ns = UINT64_MAX;
	show(self, false);
	EXPECT_EQ(NULL, strstr(self->text, "blocks were freed"));
	self->profile.meta.status.start_ns = 0;
	mp_profile_add_counter(&self->profile, "live_table_full", 1);
	mp_profile_add_counter(&self->profile, "site_table_full", 1);
	mp_profile_warn(&self->profile, "app: half of it");
	mp_profile_warn(&self->profile, "app: half of it");
	show(self, false);
	EXPECT_NE(NULL, strstr(self->text, "warning: 12 blocks were freed"));
	EXPECT_NE(NULL, strstr(self->text, "larger --alloc BYTES"));
	EXPECT_NE(NULL, strstr(self->text, "warning: the table of callsites"));
	EXPECT_NE(NULL, strstr(self->text, "warning: app: half of it\n"));
	EXPECT_EQ(1, self->profile.nr_warnings);
}

/* Builds a.so in a new folder, and returns the address of function() in it. */
static uint64_t build(char *dir)
{
	unsigned long offset = 0;
	char command[256];
	FILE *pipe;

	if (!mkdtemp(dir))
		return 0;
	snprintf(command, sizeof(command),
		 "cd %s && echo 'namespace space { int work(int i) "
		 "{ return i * 3; } }' >a.cc && g++ -shared -fPIC -o a.so a.cc "
		 "2>&1 && nm a.so", dir);
	pipe = popen(command, "r");
	while (fgets(command, sizeof(command), pipe))
		if (strstr(command, "_ZN5space4workEi"))
			offset = strtoul(command, NULL, 16);
	pclose(pipe);
	return offset;
}

TEST_F(sites, functions_are_found_in_the_very_file)
{
	char dir[] = "/tmp/memprof-sites-XXXXXX", path[64], command[128];
	uint64_t offset = build(dir);
	struct mp_row *row = find(&self->profile, 0x1234, "");
	struct mp_binary *binary = &self->profile.binaries[0];
	const struct mp_line *line;
	struct stat st = { 0 };

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	snprintf(path, sizeof(path), "%s/a.so", dir);
	if (!offset || stat(path, &st)) {
		EXPECT_EQ(0, system(command));
		SKIP(return, "g++ does not work");
	}
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	/* not yet the file that the kernel saw */
	row->location.offset = offset + 5;
	strcpy(binary->path, path);
	binary->pid = 0;
	EXPECT_EQ(0, mp_callsites_frames(&self->profile));
	EXPECT_EQ(0, mp_symbolize_frames(&self->profile, NULL, NULL));
	EXPECT_EQ(NULL, mp_profile_line(&self->profile, &row->location));
	binary->inode = st.st_ino;
	/* frames are looked up once */
	EXPECT_EQ(0, mp_symbolize_frames(&self->profile, NULL, NULL));
	EXPECT_EQ(NULL, mp_profile_line(&self->profile, &row->location));
	self->profile.frames.nr_named = 0;
	EXPECT_EQ(0, mp_symbolize_frames(&self->profile, NULL, NULL));
	line = mp_profile_line(&self->profile, &row->location);
	ASSERT_NE(NULL, line);
	EXPECT_STREQ("space::work(int)",
		     mp_symbols_text(&self->profile.symbols, line->function));
	EXPECT_EQ(5, line->distance);
	EXPECT_EQ(0, system(command));
}

TEST_HARNESS_MAIN
