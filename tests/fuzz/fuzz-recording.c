// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-recording: any file as a recording: report, sections, dump or recover
 *
 * What recover makes of it is read again.
 */
#include "dump.h"
#include "folded.h"
#include "writer.h"
#include "perf-file.h"
#include "perf-writer.h"
#include "recording.h"
#include "section-calls.h"
#include "section-event.h"
#include "section-log.h"
#include "sites.h"

#include "input.h"

#include <stdlib.h>
#include <unistd.h>

/* Returns the path to which recover writes, in memory. */
static const char *output_path(void)
{
	static char path[64];

	if (!path[0])
		snprintf(path, sizeof(path), "/dev/shm/fuzz-recording.%d",
			 (int)getpid());
	return path;
}

static void remove_output(void)
{
	unlink(output_path());
}

static void show(struct mp_profile *profile, uint8_t choice)
{
	struct mp_out out = {
		.ops = choice & 1 ? &mp_json_ops : &mp_table_ops,
		.file = input_null(), .profile = profile,
		.kind = choice >> 1 & 3, .view = MP_VIEW_ALLOC,
		.sort = MP_INUSE_SPACE, .histograms = true,
	};

	mp_profile_sort(profile, out.sort);
	mp_out_report(&out);
}

static void report(const char *path, uint8_t choice)
{
	const struct mp_recording_options wish = {
		.bins = true, .stacks = true, .at_ns = choice & 8 ? 60 : 0,
	};
	struct mp_recording recording = { 0 };
	struct mp_profile *profile = &recording.profile;

	if (!mp_recording_read(&recording, path, &wish) &&
	    !mp_sites_adopt(profile)) {
		mp_profile_merge(profile);
		show(profile, choice);
	}
	mp_recording_free(&recording);
}

static int take_flush(void *context, struct mp_section_flush *flush)
{
	struct mp_calls *calls = context;
	size_t i;

	for (i = 0; i < flush->nr; i++)
		mp_section_seen(input_null(), &flush->records[i]);
	return mp_section_flush_json(input_null(), flush) ?:
	       mp_section_calls(calls, flush, flush->nr % 2);
}

static void sections(const char *path, uint8_t choice)
{
	const struct perf_event_header *record;
	struct mp_section_flushes flushes = { .take = take_flush };
	struct mp_perf_file file = { 0 };
	struct mp_section_event event;
	struct mp_calls calls;
	int err = mp_perf_file_open(&file, path);

	mp_calls_init(&calls);
	calls.max_depth = choice;
	flushes.context = &calls;
	while (!err && mp_perf_file_next(&file, &record) > 0)
		if (mp_section_event_parse(&file.events, record, &event))
			err = mp_section_flushes_add(&flushes, event.pid,
						     event.tid, event.time_ns,
						     &event.record);
	if (!err)
		mp_section_flushes_end(&flushes);
	calls.context = input_null();
	mp_folded_graph(&calls);
	mp_section_flushes_free(&flushes);
	mp_calls_free(&calls);
	mp_perf_file_close(&file);
}

static void dump(const char *path, uint8_t choice)
{
	char why[MP_PERF_FILE_WHY_SIZE];

	(void)choice;
	mp_dump(path, input_null(), why);
}

/* Returns whether there is something to read again. */
static bool write_recovered(const char *path)
{
	struct mp_perf_writer writer;
	FILE *from = fopen(path, "re");
	uint64_t lost;
	int err;

	if (!from)
		abort();
	err = mp_perf_writer_open(&writer, output_path(), true);
	if (!err) {
		err = mp_perf_recover(from, &writer, &lost);
		writer.err = writer.err ? writer.err : err;
		err = mp_perf_writer_close(&writer);
		err = err ? err : mp_perf_writer_place(&writer);
		if (err)
			mp_perf_writer_drop(&writer);
	}
	fclose(from);
	return !err;
}

static void recover(const char *path, uint8_t choice)
{
	static bool once;

	if (!once)
		atexit(remove_output);
	once = true;
	if (write_recovered(path))
		report(output_path(), choice);
}

/* The first byte chooses the reader, so that a run reads the file once. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(const char *path, uint8_t choice) = {
		report, sections, dump, recover,
	};
	struct input input = { data, size };
	uint8_t choice = input_byte(&input);

	input_file(&input);
	readers[choice % 4](input_path(), choice >> 2);
	return 0;
}
