// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-recording: any file as a recording: report, sections, dump and recover
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

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where the input is and where recover writes to: in memory. */
static int input = -1;
static char input_path[32], output_path[64];
static FILE *null;

static void remove_output(void)
{
	unlink(output_path);
}

static void begin(void)
{
	if (input >= 0)
		return;
	input = memfd_create("fuzz", MFD_CLOEXEC);
	null = fopen("/dev/null", "we");
	if (input < 0 || !null)
		abort();
	snprintf(input_path, sizeof(input_path), "/proc/self/fd/%d", input);
	snprintf(output_path, sizeof(output_path), "/dev/shm/fuzz-recording.%d",
		 (int)getpid());
	atexit(remove_output);
}

static void show(struct mp_profile *profile, enum mp_row_kind kind,
		 const struct mp_out_ops *ops)
{
	struct mp_out out = {
		.ops = ops, .file = null, .profile = profile, .kind = kind,
		.view = MP_VIEW_ALLOC, .sort = MP_INUSE_SPACE,
		.histograms = true,
	};

	mp_profile_sort(profile, out.sort);
	mp_out_report(&out);
}

static void report(const char *path)
{
	const struct mp_recording_options wish = { .bins = true, .stacks = true };
	struct mp_recording recording = { 0 };
	struct mp_profile *profile = &recording.profile;
	int i;

	if (!mp_recording_read(&recording, path, &wish) &&
	    !mp_sites_adopt(profile)) {
		mp_profile_merge(profile);
		for (i = 0; i < MP_NR_ROW_KINDS; i++) {
			show(profile, i, &mp_table_ops);
			show(profile, i, &mp_json_ops);
		}
	}
	mp_recording_free(&recording);
}

static int take_flush(void *context, struct mp_section_flush *flush)
{
	struct mp_calls *calls = context;
	size_t i;

	for (i = 0; i < flush->nr; i++)
		mp_section_seen(null, &flush->records[i]);
	return mp_section_flush_json(null, flush) ?:
	       mp_section_calls(calls, flush, flush->nr % 2);
}

static void sections(const char *path)
{
	const struct perf_event_header *record;
	struct mp_section_flushes flushes = { .take = take_flush };
	struct mp_perf_file file = { 0 };
	struct mp_section_event event;
	struct mp_calls calls;
	int err = mp_perf_file_open(&file, path);

	mp_calls_init(&calls);
	calls.max_depth = 10;
	flushes.context = &calls;
	while (!err && mp_perf_file_next(&file, &record) > 0)
		if (mp_section_event_parse(&file.events, record, &event))
			err = mp_section_flushes_add(&flushes, event.pid,
						     event.tid, event.time_ns,
						     &event.record);
	if (!err)
		mp_section_flushes_end(&flushes);
	calls.context = null;
	mp_folded_graph(&calls);
	mp_section_flushes_free(&flushes);
	mp_calls_free(&calls);
	mp_perf_file_close(&file);
}

static bool recover(const char *path)
{
	struct mp_perf_writer writer;
	FILE *from = fopen(path, "re");
	uint64_t lost;
	int err;

	if (!from)
		abort();
	err = mp_perf_writer_open(&writer, output_path, true);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[MP_PERF_FILE_WHY_SIZE];

	begin();
	if (ftruncate(input, 0) ||
	    pwrite(input, data, size, 0) != (ssize_t)size)
		abort();
	report(input_path);
	sections(input_path);
	mp_dump(input_path, null, why);
	if (recover(input_path))
		report(output_path);
	return 0;
}
