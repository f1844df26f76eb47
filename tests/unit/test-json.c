// SPDX-License-Identifier: GPL-2.0-only
/* Tests of json: the reader accepts what the writer writes, and rejects invalid lines. */
#include "json.h"
#include "sample.h"

#include "kselftest_harness.h"

FIXTURE(json)
{
	struct mp_profile in, out;
	struct mp_json_line line;
	char *text;
	size_t len;
	FILE *file;
};

FIXTURE_SETUP(json)
{
	sample_profile(&self->in);
	self->out = (struct mp_profile){ 0 };
	self->text = NULL;
	self->file = open_memstream(&self->text, &self->len);
	ASSERT_NE(NULL, self->file);
}

FIXTURE_TEARDOWN(json)
{
	fclose(self->file);
	free(self->text);
	mp_profile_free(&self->in);
	mp_profile_free(&self->out);
}

/* Reads one line that was written, without its newline. */
static int read_back(FIXTURE_DATA(json) *self)
{
	fflush(self->file);
	return mp_json_read(&self->out, self->text, self->len - 1, &self->line);
}

static int read_text(FIXTURE_DATA(json) *self, const char *text)
{
	return mp_json_read(&self->out, text, strlen(text), &self->line);
}

TEST_F(json, rows_survive_exactly)
{
	size_t i;

	for (i = 0; i < self->in.nr_rows; i++) {
		rewind(self->file);
		mp_json_row(self->file, &self->in, &self->in.rows[i]);
		ASSERT_EQ(0, read_back(self));
	}
	ASSERT_EQ(self->in.nr_rows, self->out.nr_rows);
	EXPECT_EQ(0, memcmp(self->in.rows, self->out.rows,
			    self->in.nr_rows * sizeof(struct mp_row)));
	EXPECT_STREQ("/system.slice/redis-server.service",
		     mp_id_names_find(&self->out.names, 12));
	EXPECT_EQ(NULL, mp_id_names_find(&self->out.names, 99));
}

TEST_F(json, sixty_four_bits_survive)
{
	struct mp_row row = {
		.kind = MP_ROW_PROCESS,
		.pid = UINT32_MAX,
		.cgroup = UINT64_MAX,
		.start_ns = UINT64_MAX - 1,
	};
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		row.value[i] = UINT64_MAX - i;
	mp_json_row(self->file, &self->in, &row);
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(0, memcmp(&row, self->out.rows, sizeof(row)));
	EXPECT_NE(NULL, strstr(self->text, "\"growth_space\":-4"));
}

/* Tables show "-" for them. 0 would be a value. */
TEST_F(json, values_that_are_not_known_are_absent)
{
	struct mp_row row = { .kind = MP_ROW_CGROUP, .cgroup = 5 };

	mp_json_row(self->file, &self->in, &row);
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(NULL, strstr(self->text, "\"cgroup_current_space\""));
	EXPECT_EQ(NULL, strstr(self->text, "\"cgroup_rest_space\""));
	EXPECT_NE(NULL, strstr(self->text, "\"inuse_space\":0"));
	EXPECT_EQ(0, self->out.rows[0].value[MP_CGROUP_CURRENT]);

	/* Linux before 5.19 has no memory.peak */
	row.value[MP_CGROUP_CURRENT] = 4096;
	rewind(self->file);
	mp_json_row(self->file, &self->in, &row);
	fflush(self->file);
	EXPECT_NE(NULL, strstr(self->text, "\"cgroup_current_space\":4096"));
	EXPECT_NE(NULL, strstr(self->text, "\"cgroup_anon_space\":0"));
	EXPECT_EQ(NULL, strstr(self->text, "\"cgroup_peak_space\""));

	/* nothing is in the cgroup now, and the kernel knows that */
	row.value[MP_CGROUP_CURRENT] = 0;
	row.value[MP_CGROUP_PEAK] = 8192;
	rewind(self->file);
	mp_json_row(self->file, &self->in, &row);
	fflush(self->file);
	EXPECT_NE(NULL, strstr(self->text, "\"cgroup_current_space\":0"));
}

TEST_F(json, meta_data_and_counters_survive)
{
	mp_json_summary(self->file, &self->in, MP_ROW_PROCESS, 0);
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(MP_JSON_SUMMARY, self->line.type);
	EXPECT_EQ(0, memcmp(&self->in.meta, &self->out.meta,
			    sizeof(struct mp_meta)));
	ASSERT_EQ(self->in.nr_counters, self->out.nr_counters);
	EXPECT_EQ(0, memcmp(self->in.counters, self->out.counters,
			    self->in.nr_counters * sizeof(struct mp_counter)));
}

TEST_F(json, a_status_survives)
{
	self->in.meta.status.state = MEMPROF_STATE_STOPPED;
	self->in.meta.status.stop_ns = UINT64_MAX;
	self->in.meta.status.flags = MEMPROF_STATUS_FAILED;
	mp_json_status(self->file, &self->in.meta);
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(MP_JSON_STATUS, self->line.type);
	EXPECT_EQ(0, memcmp(&self->in.meta, &self->out.meta,
			    sizeof(struct mp_meta)));
}

TEST_F(json, a_summary_tells_its_rows)
{
	size_t nr = self->in.nr_rows;
	char rows[32];

	self->in.rows[0].kind = MP_ROW_STACK;
	mp_json_summary(self->file, &self->in, MP_ROW_STACK, 0);
	ASSERT_EQ(0, read_back(self));
	EXPECT_NE(NULL, strstr(self->text, "\"by\":\"stack\",\"rows\":1,"));
	/* a tree of few callsites may have many branches */
	rewind(self->file);
	mp_json_tree_summary(self->file, &self->in, 3, 1000 + nr);
	ASSERT_EQ(0, read_back(self));
	snprintf(rows, sizeof(rows), "\"rows_hidden\":%zu,", 1000 + nr);
	EXPECT_NE(NULL, strstr(self->text, "\"by\":\"site\",\"rows\":3,"));
	EXPECT_NE(NULL, strstr(self->text, rows));
}

TEST_F(json, an_error_survives)
{
	mp_json_error(self->file, EBUSY, "cannot \"do\" it");
	ASSERT_EQ(0, read_back(self));
	EXPECT_EQ(MP_JSON_ERROR, self->line.type);
	EXPECT_EQ(EBUSY, self->line.err);
	EXPECT_STREQ("cannot \"do\" it", self->line.message);
}

TEST_F(json, unknown_keys_and_types_are_ignored)
{
	EXPECT_EQ(0, read_text(self, "{\"type\":\"later\",\"x\":[1]}"));
	EXPECT_EQ(MP_JSON_UNKNOWN, self->line.type);
	EXPECT_EQ(0, read_text(self, "{\"type\":\"process\",\"pid\":3,"
				     "\"later\":{}}"));
	ASSERT_EQ(1, self->out.nr_rows);
	EXPECT_EQ(3, self->out.rows[0].pid);
}

TEST_F(json, what_is_no_object_with_a_type_is_refused)
{
	static const char * const bad[] = {
		"", " ", "null", "3", "[]", "\"x\"", "{}", "{\"type\":3}",
		"{\"type\":\"end\"", "{\"type\":\"end\"} x", "\xff",
		"{\"type\":\"end\"}{\"type\":\"end\"}", "{\"type\":\"\xff\"}",
		"{\"type\":\"end\",\"x\":[[[[[[[[[[]]]]]]]]]]}",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EBADMSG, read_text(self, bad[i])) {
			TH_LOG("accepted case %zu", i);
		}
}

TEST_F(json, values_of_a_wrong_type_or_range_are_refused)
{
	static const char * const bad[] = {
		"{\"type\":\"process\",\"pid\":-1}",
		"{\"type\":\"process\",\"pid\":4294967296}",
		"{\"type\":\"process\",\"pid\":\"1\"}",
		"{\"type\":\"process\",\"pid\":1.5}",
		"{\"type\":\"process\",\"pid\":null}",
		"{\"type\":\"process\",\"minor_faults\":-1}",
		"{\"type\":\"process\",\"minor_faults\":[]}",
		"{\"type\":\"process\",\"growth_space\":{}}",
		"{\"type\":\"status\"}",
		"{\"type\":\"status\",\"state\":\"odd\"}",
		"{\"type\":\"summary\",\"state\":\"idle\",\"counters\":3}",
		"{\"type\":\"summary\",\"state\":\"idle\","
			"\"counters\":{\"x\":-1}}",
		"{\"type\":\"error\"}",
		"{\"type\":\"error\",\"errno\":-1,\"message\":\"\"}",
		"{\"type\":\"error\",\"errno\":1e9,\"message\":\"\"}",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(-EBADMSG, read_text(self, bad[i])) {
			TH_LOG("accepted case %zu", i);
		}
	EXPECT_EQ(0, self->out.nr_rows);
}

TEST_F(json, escape_sequences_that_json_smuggles_in_are_escaped)
{
	ASSERT_EQ(0, read_text(self, "{\"type\":\"process\",\"pid\":1,"
				     "\"comm\":\"a\\u001b[2Jb\","
				     "\"cgroup_id\":5,"
				     "\"cgroup\":\"/x\\u0007\"}"));
	EXPECT_STREQ("a\\x1b[2Jb", self->out.rows[0].comm);
	EXPECT_STREQ("/x\\x07", mp_id_names_find(&self->out.names, 5));
}

TEST_F(json, a_name_that_is_too_long_is_cut)
{
	char text[1024] = "{\"type\":\"process\",\"comm\":\"";

	memset(text + strlen(text), 'x', 500);
	strcat(text, "\"}");
	ASSERT_EQ(0, read_text(self, text));
	EXPECT_EQ(MP_COMM_SIZE - 1, strlen(self->out.rows[0].comm));
}

TEST_F(json, cut_off_lines_never_crash)
{
	size_t len;

	mp_json_row(self->file, &self->in, &self->in.rows[2]);
	mp_json_summary(self->file, &self->in, MP_ROW_PROCESS, 0);
	fflush(self->file);
	for (len = 0; len < self->len; len++)
		mp_json_read(&self->out, self->text, len, &self->line);
	for (len = 0; len + 1 < self->len; len++) {
		self->text[len] ^= 0x55;
		mp_json_read(&self->out, self->text, self->len - 1, &self->line);
		self->text[len] ^= 0x55;
	}
}

TEST_HARNESS_MAIN
