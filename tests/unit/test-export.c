// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of exports: sums are complete, trees are correct, and names are escaped for
 * each format.
 */
#include "export-perf.h"
#include "call-tree.h"
#include "folded.h"
#include "json-text.h"
#include "owner-labels.h"
#include "stack-samples.h"
#include "output.h"
#include "perf-file.h"
#include "section-log.h"
#include "protobuf.h"
#include "sites.h"
#include "svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

FIXTURE(export)
{
	struct mp_profile profile;
	struct mp_stack_samples samples;
	struct mp_stack_tree flame;
	char *text;
	size_t size;
	FILE *file;
};

FIXTURE_SETUP(export)
{
	struct mp_binary binary = { .inode = 1, .path = "/opt/app" };

	memset(self, 0, sizeof(*self));
	mp_sites_add_binary(&self->profile, &binary);
	self->file = open_memstream(&self->text, &self->size);
	ASSERT_NE(NULL, self->file);
}

FIXTURE_TEARDOWN(export)
{
	fclose(self->file);
	free(self->text);
	mp_stack_tree_free(&self->flame);
	mp_stack_samples_free(&self->samples);
	mp_profile_free(&self->profile);
}

/* Adds a stack. Functions are written innermost first: "leaf|main". */
static void add_stack(FIXTURE_DATA(export) *self, uint32_t pid,
		      const char *functions, enum mp_metric metric,
		      uint64_t value, uint32_t end)
{
	struct mp_profile *profile = &self->profile;
	struct mp_row row = { .kind = MP_ROW_STACK, .pid = pid };
	struct mp_line line = { .file = MP_NAMES_NONE };
	char text[256], *rest = text, *name;
	uint64_t frames[32];
	uint32_t nr = 0, number;

	snprintf(text, sizeof(text), "%s", functions);
	while ((name = strsep(&rest, "|"))) {
		line.function = mp_names_add(&profile->symbols.names, name);
		number = mp_frames_add(&profile->frames, 1, 0,
				       1000 + line.function);
		if (!profile->frames.list[number].nr) {
			profile->frames.list[number].first =
				(uint32_t)profile->symbols.nr_lines;
			profile->frames.list[number].nr = 1;
			if (mp_symbols_add(&profile->symbols, &line))
				abort();
		}
		frames[nr++] = number + MP_FRAMES_FIRST;
	}
	if (end)
		frames[nr++] = end;
	row.location.stack = mp_stacks_add(&profile->frames.stacks, frames, nr) +
			  1;
	row.value[metric] = value;
	strcpy(row.comm, "app");
	if (mp_profile_add(profile, &row))
		abort();
}

static void add_row(FIXTURE_DATA(export) *self, enum mp_row_kind kind,
		    unsigned int flags, uint32_t pid, enum mp_metric metric,
		    uint64_t value)
{
	struct mp_row row = { .kind = kind, .flags = flags, .pid = pid };

	row.value[metric] = value;
	if (kind == MP_ROW_PROCESS)
		strcpy(row.comm, "app");
	if (mp_profile_add(&self->profile, &row))
		abort();
}

static const char *folded(FIXTURE_DATA(export) *self, enum mp_metric metric,
			  bool rests)
{
	const struct mp_call_tree_input input = {
		.metrics = &metric, .nr = 1, .factor = 1,
		.whose = MP_OWNER_COMM,
	};

	if (mp_stack_samples_gather(&self->samples, &self->profile, rests) ||
	    mp_stack_tree_open(&self->flame, 1) ||
	    mp_call_tree_add(&self->flame, &self->profile, &self->samples, &input) ||
	    mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME) ||
	    mp_folded_flame(self->file, &self->flame, 0))
		abort();
	fflush(self->file);
	return self->text;
}

TEST_F(export, stacks_have_their_process_and_their_end)
{
	add_stack(self, 1, "leaf|main", MP_INUSE_SPACE, 5, MP_STACKS_BEGIN);
	add_stack(self, 1, "leaf|main", MP_INUSE_SPACE, 7, MP_STACKS_CUT);
	add_stack(self, 2, "leaf|main", MP_INUSE_SPACE, 6, 0);
	EXPECT_STREQ("app;[truncated];main;leaf 7\napp;main;leaf 11\n",
		     folded(self, MP_INUSE_SPACE, true));
}

TEST_F(export, processes_of_one_name_are_added_up)
{
	add_row(self, MP_ROW_PROCESS, 0, 1, MP_INUSE_SPACE, 10);
	add_row(self, MP_ROW_PROCESS, 0, 2, MP_INUSE_SPACE, 20);
	add_stack(self, 1, "leaf|main", MP_INUSE_SPACE, 4, MP_STACKS_BEGIN);
	add_stack(self, 2, "leaf|main", MP_INUSE_SPACE, 5, MP_STACKS_BEGIN);
	add_stack(self, 2, "other|main", MP_INUSE_SPACE, 6, MP_STACKS_BEGIN);
	ASSERT_EQ(0, mp_stack_samples_gather(&self->samples, &self->profile, true));
	EXPECT_EQ(5, self->samples.nr);
	ASSERT_EQ(0, mp_stack_samples_unite(&self->samples));
	ASSERT_EQ(3, self->samples.nr);
	EXPECT_EQ(0, self->samples.rows[0]->pid);
	EXPECT_EQ(9, self->samples.rows[0]->value[MP_INUSE_SPACE]);
	EXPECT_EQ(6, self->samples.rows[1]->value[MP_INUSE_SPACE]);
	/* what no stack has: 6 of one process, and 9 of the other */
	EXPECT_STREQ(MP_SAMPLE_REST, mp_stack_sample_name(self->samples.rows[2]));
	EXPECT_EQ(15, self->samples.rows[2]->value[MP_INUSE_SPACE]);
}

TEST_F(export, a_cgroup_of_a_unit_has_its_name)
{
	static const struct {
		const char *path, *unit, *service;
	} cases[] = {
		{ "/", NULL, "other" },
		{ "/system.slice", NULL, "other" },
		{ "/system.slice/web.service", "web.service", "web" },
		{ "/system.slice/web.service/worker", "web.service", "web" },
		{ "/user.slice/user@1000.service/app.slice/mail-2.scope", "mail-2.scope",
		  "mail-2" },
		{ "/.service", NULL, "other" },
	};
	struct mp_owner_label labels[MP_MAX_OWNER_LABELS];
	char service[MP_OWNER_LABEL_SIZE];
	size_t i, nr;

	EXPECT_EQ(0, mp_owner_labels(&self->profile, 0, labels));
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ASSERT_EQ(0, mp_id_names_add(&self->profile.names, i + 1, cases[i].path));
		nr = mp_owner_labels(&self->profile, i + 1, labels);
		ASSERT_EQ(1 + !!cases[i].unit, nr);
		EXPECT_STREQ(cases[i].path, labels[0].value);
		if (cases[i].unit)
			EXPECT_STREQ(cases[i].unit, labels[1].value);
		mp_owner_service(labels, nr, "other", service);
		EXPECT_STREQ(cases[i].service, service);
	}
}

TEST_F(export, stacks_are_sorted_by_the_bytes_of_their_line)
{
	add_stack(self, 1, "inner|work|main", MP_INUSE_SPACE, 1, MP_STACKS_BEGIN);
	add_stack(self, 1, "work|main", MP_INUSE_SPACE, 2, MP_STACKS_BEGIN);
	add_stack(self, 1, "work2|main", MP_INUSE_SPACE, 3, MP_STACKS_BEGIN);
	add_stack(self, 1, "work x|main", MP_INUSE_SPACE, 4, MP_STACKS_BEGIN);
	add_stack(self, 1, "work\nx|main", MP_INUSE_SPACE, 5, MP_STACKS_BEGIN);
	EXPECT_STREQ("app;main;work 2\napp;main;work x 4\napp;main;work2 3\n"
		     "app;main;work;inner 1\napp;main;work\\x0ax 5\n",
		     folded(self, MP_INUSE_SPACE, true));
}

TEST_F(export, what_a_process_has_besides_is_a_stack)
{
	add_row(self, MP_ROW_PROCESS, 0, 1, MP_TOUCHED, 100);
	add_row(self, MP_ROW_PROCESS, 0, 2, MP_TOUCHED, 30);
	add_stack(self, 1, "leaf|main", MP_TOUCHED, 40, 0);
	EXPECT_STREQ("app;[no callsite] 90\napp;main;leaf 40\n",
		     folded(self, MP_TOUCHED, true));
	EXPECT_EQ(130, mp_stack_samples_total(&self->samples, MP_TOUCHED));
}

TEST_F(export, what_only_some_stacks_have_is_not_filled_up)
{
	add_row(self, MP_ROW_PROCESS, 0, 1, MP_TOUCHED, 100);
	add_stack(self, 1, "leaf|main", MP_TOUCHED, 40, 0);
	EXPECT_STREQ("app;main;leaf 40\n", folded(self, MP_TOUCHED, false));
}

TEST_F(export, callsites_that_were_dropped_are_in_their_process)
{
	add_row(self, MP_ROW_PROCESS, 0, 1, MP_ALLOC_SPACE, 100);
	add_row(self, MP_ROW_SITE, MP_ROW_OVERFLOW, 0, MP_ALLOC_SPACE, 60);
	add_stack(self, 1, "leaf", MP_ALLOC_SPACE, 40, 0);
	EXPECT_STREQ("app;[no callsite] 60\napp;leaf 40\n",
		     folded(self, MP_ALLOC_SPACE, true));
}

TEST_F(export, callsites_that_were_dropped_stay_where_no_process_has_them)
{
	add_row(self, MP_ROW_PROCESS, MP_ROW_EXITED, 1, MP_INUSE_SPACE, 100);
	add_row(self, MP_ROW_SITE, MP_ROW_OVERFLOW, 0, MP_INUSE_SPACE, 60);
	add_stack(self, 1, "leaf", MP_INUSE_SPACE, 40, 0);
	EXPECT_STREQ("[dropped] 60\napp;leaf 40\n",
		     folded(self, MP_INUSE_SPACE, true));
	EXPECT_EQ(100, mp_stack_samples_total(&self->samples, MP_INUSE_SPACE));
}

TEST_F(export, sizes_of_exited_processes_are_nowhere)
{
	add_row(self, MP_ROW_PROCESS, MP_ROW_EXITED, 1, MP_RESIDENT, 100);
	add_row(self, MP_ROW_PROCESS, 0, 2, MP_RESIDENT, 30);
	EXPECT_STREQ("app;[no callsite] 30\n",
		     folded(self, MP_RESIDENT, true));
}

TEST_F(export, callsites_with_more_than_their_process_take_nothing_away)
{
	add_row(self, MP_ROW_PROCESS, 0, 1, MP_TOUCHED, 10);
	add_stack(self, 1, "leaf", MP_TOUCHED, 40, 0);
	EXPECT_STREQ("app;leaf 40\n", folded(self, MP_TOUCHED, true));
}

/* Programs keep their sums: one that grew by 20, one by 10, and one that shrank by 5 */
TEST_F(export, growth_below_zero_is_taken_off_the_rest_of_a_program)
{
	const enum mp_metric metric = MP_GROWTH;
	const struct mp_call_tree_input input = {
		.metrics = &metric, .nr = 1, .factor = 1,
	};
	struct mp_stack_net net;

	add_stack(self, 1, "a|one", MP_GROWTH, 10, 0);
	add_stack(self, 1, "b|one", MP_GROWTH, 20, 0);
	add_stack(self, 1, "c|b|one", MP_GROWTH, 31, 0);
	add_stack(self, 1, "down|one", MP_GROWTH, (uint64_t)-41, 0);
	add_stack(self, 1, "a|two", MP_GROWTH, 10, 0);
	add_stack(self, 1, "a|three", MP_GROWTH, 10, 0);
	add_stack(self, 1, "down|three", MP_GROWTH, (uint64_t)-15, 0);
	ASSERT_EQ(0, mp_stack_samples_gather(&self->samples, &self->profile, true));
	ASSERT_EQ(0, mp_stack_tree_open(&self->flame, 1));
	ASSERT_EQ(0, mp_call_tree_add(&self->flame, &self->profile, &self->samples,
				  &input));
	ASSERT_EQ(0, mp_stack_tree_net(&self->flame, 0, &net));
	EXPECT_TRUE(net.scaled);
	EXPECT_EQ(-5, net.left_out);
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	EXPECT_EQ(30, mp_stack_tree_total(&self->flame, MP_STACK_TREE_ROOT, 0));
	ASSERT_EQ(0, mp_folded_flame(self->file, &self->flame, 0));
	fflush(self->file);
	EXPECT_STREQ("one;a 3\none;b 6\none;b;c 11\ntwo;a 10\n", self->text);
}

TEST_F(export, growth_below_zero_can_be_left_out)
{
	struct mp_stack_net net;
	const enum mp_metric metric = MP_GROWTH;
	const struct mp_call_tree_input input = {
		.metrics = &metric, .nr = 1, .factor = 1,
	};

	add_stack(self, 1, "up|main", MP_GROWTH, 10, 0);
	add_stack(self, 1, "down|main", MP_GROWTH, (uint64_t)-30, 0);
	ASSERT_EQ(0, mp_stack_samples_gather(&self->samples, &self->profile, true));
	EXPECT_EQ(-20, mp_stack_samples_total(&self->samples, MP_GROWTH));
	ASSERT_EQ(0, mp_stack_tree_open(&self->flame, 1));
	ASSERT_EQ(0, mp_call_tree_add(&self->flame, &self->profile, &self->samples,
				  &input));
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	EXPECT_EQ(-20, mp_stack_tree_total(&self->flame, MP_STACK_TREE_ROOT, 0));
	ASSERT_EQ(0, mp_stack_tree_net(&self->flame, 0, &net));
	EXPECT_EQ(-20, net.left_out);
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	EXPECT_EQ(0, mp_stack_tree_total(&self->flame, MP_STACK_TREE_ROOT, 0));
}

/* Subtracts one profile from another. */
TEST_F(export, differences_have_both_signs)
{
	const enum mp_metric metric = MP_INUSE_SPACE;
	struct mp_call_tree_input input = {
		.metrics = &metric, .nr = 1, .factor = 1,
	};

	add_stack(self, 1, "a|main", MP_INUSE_SPACE, 10, 0);
	add_stack(self, 1, "b|main", MP_INUSE_SPACE, 3, 0);
	ASSERT_EQ(0, mp_stack_samples_gather(&self->samples, &self->profile, true));
	ASSERT_EQ(0, mp_stack_tree_open(&self->flame, 2));
	ASSERT_EQ(0, mp_call_tree_add(&self->flame, &self->profile, &self->samples,
				  &input));
	self->profile.rows[0].value[MP_INUSE_SPACE] = 4;
	self->profile.rows[1].value[MP_INUSE_SPACE] = 5;
	input.first = 1;
	input.factor = -1;
	ASSERT_EQ(0, mp_call_tree_add(&self->flame, &self->profile, &self->samples,
				  &input));
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	ASSERT_EQ(0, mp_folded_flame(self->file, &self->flame, 1));
	fflush(self->file);
	EXPECT_STREQ("main;a -4\nmain;b -5\n", self->text);
	EXPECT_EQ(13, mp_stack_tree_total(&self->flame, MP_STACK_TREE_ROOT, 0));
	EXPECT_EQ(-9, mp_stack_tree_total(&self->flame, MP_STACK_TREE_ROOT, 1));
}

TEST_F(export, folded_names_cannot_be_taken_apart)
{
	static const struct {
		const char *name, *escaped;
	} names[] = {
		{ "operator new(unsigned long)", "operator new(unsigned long)" },
		{ "a;b", "a\\x3bb" }, { "a\\x3bb", "a\\x5cx3bb" },
		{ " a", "\\x20a" }, { "a ", "a\\x20" }, { "a  b", "a \\x20b" },
		{ "a\nb", "a\\x0ab" }, { " ", "\\x20" }, { "", "" },
		{ "\xc3\xa9", "\xc3\xa9" },
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		mp_folded_escape(text, names[i].name);
		EXPECT_STREQ(names[i].escaped, text);
	}
}

TEST_F(export, xml_has_no_markup_and_no_character_that_it_lacks)
{
	mp_svg_text(self->file, "a<b>&\"'");
	mp_svg_text(self->file, "\x1b\xff");
	mp_svg_text(self->file, "x\xef\xbf\xbey\xef\xbf\xbfz\xef\xbf\xbd");
	fflush(self->file);
	EXPECT_STREQ("a&#60;b&#62;&#38;&#34;&#39;\\x1b\\xffx?y?z\xef\xbf\xbd",
		     self->text);
}

/* The text is longer than the pieces that are written. No piece ends inside a character. */
TEST_F(export, xml_keeps_long_texts_whole)
{
	char text[1001];
	size_t i;

	for (i = 0; i < 1000; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[1000] = '\0';
	mp_svg_text(self->file, text + 0);
	fflush(self->file);
	EXPECT_STREQ(text, self->text);
}

TEST_F(export, json_strings_may_stand_in_a_script)
{
	mp_json_text(self->file, "a\"\\\n</script>&\x7f\xc3\xa9");
	fflush(self->file);
	EXPECT_STREQ("\"a\\\"\\\\\\u000a\\u003c/script\\u003e\\u0026\\u007f\xc3\xa9\"",
		     self->text);
}

/* Characters are escaped as JSON requires. Bytes that are not UTF-8 become \xNN. */
TEST_F(export, json_of_sections_is_utf8_whatever_their_ids)
{
	static char id[] = "a\0\033[m\302\2332J\377\303\251\177\"\\\342\200\215\342\200\256";
	const struct mp_section section = {
		.id = id, .id_len = sizeof(id) - 1,
	};

	ASSERT_EQ(0, mp_section_json(self->file, &section, 1));
	fflush(self->file);
	EXPECT_STREQ("[{\"id\":\"a\\u0000\\u001b[m\\u009b2J\\\\xff\303\251\\u007f\\\"\\\\\342\200\215\\u202e\",\"total_cu\":0,\"net_cu\":0,\"heap\":null}]\n",
		     self->text);
}

TEST_F(export, protobuf_is_what_the_wire_has)
{
	struct mp_blob blob = { 0 }, inner = { 0 };

	mp_protobuf_number(&blob, 1, 150);
	mp_protobuf_number(&blob, 2, 0);
	mp_protobuf_number(&inner, 3, 1);
	mp_protobuf_message(&blob, 4, &inner);
	mp_protobuf_bytes(&blob, 5, "", 0);
	mp_protobuf_varint(&blob, (uint64_t)-1);
	ASSERT_FALSE(blob.failed);
	ASSERT_EQ(19, blob.size);
	EXPECT_EQ(0, memcmp(blob.data, "\x08\x96\x01\x22\x02\x18\x01\x2a\x00"
			    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 19));
	EXPECT_EQ(0, inner.size);
	free(blob.data);
	free(inner.data);
}

/* One value decides the width of a frame, another value its colour. */
TEST_F(export, pictures_of_differences_are_red_and_blue)
{
	struct mp_svg svg = {
		.title = "new - old", .metric = MP_INUSE_SPACE, .delta = 1,
	};
	uint32_t node;
	int err = mp_stack_tree_open(&self->flame, 2);

	ASSERT_EQ(0, err);
	node = mp_stack_tree_child(&self->flame, MP_STACK_TREE_ROOT, "grew");
	self->flame.self[node * 2] = 100;
	self->flame.self[node * 2 + 1] = 50;
	node = mp_stack_tree_child(&self->flame, MP_STACK_TREE_ROOT, "shrank");
	self->flame.self[node * 2] = 10;
	self->flame.self[node * 2 + 1] = -50;
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	ASSERT_EQ(0, mp_svg_write(self->file, &self->flame, &svg));
	fflush(self->file);
	EXPECT_NE(NULL, strstr(self->text, "grew: 100 (100 bytes), 90.91 %, self 100 (100 bytes), +50"));
	EXPECT_NE(NULL, strstr(self->text, ", -50</title>"));
	EXPECT_NE(NULL, strstr(self->text, "fill=\"hsl(5,80%,55%)\""));
	EXPECT_NE(NULL, strstr(self->text, "fill=\"hsl(215,80%,55%)\""));
}

TEST_F(export, sums_that_are_too_large_go_around)
{
	const char *text;

	add_stack(self, 1, "leaf|main", MP_INUSE_SPACE, INT64_MAX, 0);
	add_stack(self, 2, "leaf|main", MP_INUSE_SPACE, INT64_MAX, 0);
	add_stack(self, 3, "main", MP_INUSE_SPACE, 1ULL << 63, 0);
	text = folded(self, MP_INUSE_SPACE, false);
	EXPECT_STREQ("app;main -9223372036854775808\n"
		     "app;main;leaf -2\n", text);
}

TEST_F(export, a_picture_of_nothing_is_one)
{
	struct mp_svg svg = {
		.title = "nothing", .metric = MP_INUSE_SPACE,
		.delta = MP_SVG_NO_DELTA,
	};

	ASSERT_EQ(0, mp_stack_tree_open(&self->flame, 1));
	ASSERT_EQ(0, mp_stack_tree_finish(&self->flame, MP_STACK_TREE_BY_NAME));
	ASSERT_EQ(0, mp_svg_write(self->file, &self->flame, &svg));
	fflush(self->file);
	EXPECT_EQ(NULL, strstr(self->text, "nan"));
	EXPECT_EQ(0, svg.nr_left_out);
}

/*
 * Reads a perf.data file with one sample. Returns the number of addresses in the
 * sample. @kernel: out: address of the kernel.
 */
static uint64_t nr_addresses(const char *path, uint64_t *kernel)
{
	const struct perf_event_header *record;
	struct mp_perf_file file = { 0 };
	struct mp_perf_sample sample;
	uint64_t nr = 0;

	*kernel = 0;
	if (mp_perf_file_open(&file, path))
		return 0;
	while (mp_perf_file_next(&file, &record) > 0) {
		if (record->type == PERF_RECORD_SAMPLE &&
		    mp_perf_sample_parse(&file.events, record, &sample))
			nr = sample.nr_frames;
		if (record->type == PERF_RECORD_MMAP)
			memcpy(kernel, (const uint64_t *)record + 2,
			       sizeof(*kernel));
	}
	mp_perf_file_close(&file);
	return nr;
}

TEST_F(export, stacks_that_go_in_and_out_of_the_kernel_fit_a_call_chain)
{
	struct mp_profile *profile = &self->profile;
	struct mp_row row = { .kind = MP_ROW_STACK, .pid = 1 };
	struct mp_export export = {
		.metric = MP_TOUCHED, .profile = profile, .title = "t",
		.exporter = "e",
	};
	char path[] = "/tmp/memprof-test-XXXXXX";
	uint64_t frames[MP_STACKS_DEPTH];
	uint64_t kernel;
	uint32_t i, number;

	profile->meta.kernel_start = 0xffffffff80001000;
	profile->meta.kernel_end = 0xffffffff80002000;
	for (i = 0; i < MP_STACKS_DEPTH; i++) {
		number = mp_frames_add(&profile->frames, i % 2, 0,
				       i % 2 ? 1000 + i : ~0xffffULL + i);
		frames[i] = number + MP_FRAMES_FIRST;
	}
	row.location.stack = mp_stacks_add(&profile->frames.stacks, frames,
					MP_STACKS_DEPTH) + 1;
	row.value[MP_TOUCHED] = 4096;
	ASSERT_EQ(0, mp_profile_add(profile, &row));
	ASSERT_EQ(0, mp_stack_samples_gather(&self->samples, profile, false));
	export.samples = self->samples;
	export.file = fdopen(mkstemp(path), "w");
	ASSERT_NE(NULL, export.file);
	EXPECT_EQ(0, mp_export_perf.write(&export));
	fclose(export.file);
	/* the first of each kind, what follows of the second, two marks */
	EXPECT_EQ(2 + 1 + MP_STACKS_DEPTH / 2, nr_addresses(path, &kernel));
	/* that of the recording, not ours */
	EXPECT_EQ(0xffffffff80001000, kernel);
	unlink(path);
}

TEST_F(export, a_link_to_a_device_is_not_replaced)
{
	char folder[] = "/tmp/memprof-test-XXXXXX", path[64];
	struct mp_output output;
	struct stat st;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/link", folder);
	ASSERT_EQ(0, symlink("/dev/null", path));
	EXPECT_NE(0, mp_output_open(&output, path, true, false));
	ASSERT_EQ(0, lstat(path, &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	/* nothing is left beside it */
	unlink(path);
	EXPECT_EQ(0, rmdir(folder));
}

TEST_F(export, a_link_to_a_file_is_replaced_where_that_is_asked_for)
{
	char folder[] = "/tmp/memprof-test-XXXXXX", path[64];
	struct mp_output output;
	struct stat st;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/link", folder);
	ASSERT_EQ(0, symlink("nothing", path));
	EXPECT_NE(0, mp_output_open(&output, path, false, false));
	ASSERT_EQ(0, mp_output_open(&output, path, true, false));
	EXPECT_EQ(0, mp_output_close(&output));
	ASSERT_EQ(0, lstat(path, &st));
	EXPECT_TRUE(S_ISREG(st.st_mode));
	unlink(path);
	EXPECT_EQ(0, rmdir(folder));
}

TEST_HARNESS_MAIN
