// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording: records, in the file's order, to the engine
 */
#include "recording.h"
#include "merge.h"
#include "perf-decode.h"
#include "perf-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Records between two words of progress. */
#define STEP	65536

static int read_records(struct mp_perf_file *file,
			struct mp_perf_decode *decode,
			void (*progress)(double done))
{
	const struct perf_event_header *record;
	uint64_t n = 0;
	int got;

	while ((got = mp_perf_file_next(file, &record)) > 0) {
		got = mp_perf_decode_record(decode, record);
		if (got)
			break;
		if (progress && !(++n % STEP))
			progress((double)file->at /
				 (double)file->header.data.size);
	}
	return got;
}

static void tell_meta(const struct mp_perf_decode *decode, const char *path,
		      struct mp_meta *meta)
{
	struct memprof_status *status = &meta->status;

	status->state = MEMPROF_STATE_STOPPED;
	status->start_ns = decode->first_ns;
	status->reset_ns = decode->first_ns;
	status->stop_ns = decode->last_ns;
	status->now_ns = decode->last_ns;
	status->minor_period = decode->minor_period;
	status->major_period = 1;
	status->streams =
		(decode->has_alloc ? MEMPROF_START_ALLOC : 0) |
		(decode->has_faults ? MEMPROF_START_FAULTS : 0) |
		(decode->has_growth ? MEMPROF_START_GROWTH : 0);
	if (decode->has_alloc)
		meta->alloc.rate = decode->is_sampled ? MEMPROF_DEFAULT_RATE :
							1;
	snprintf(meta->targets, sizeof(meta->targets), "%s", path);
}

static int add_counters(const struct mp_perf_decode *decode,
			struct mp_profile *profile)
{
	int err = 0;

	if (decode->nr_lost)
		err = mp_profile_add_counter(profile, "event_lost",
					     decode->nr_lost);
	if (!err && decode->nr_cut)
		err = mp_profile_add_counter(profile, "stack_table_full",
					     decode->nr_cut);
	if (!err && decode->nr_bad)
		err = mp_profile_add_counter(profile, "record_bad",
					     decode->nr_bad);
	if (!err && decode->nr_ignored)
		err = mp_profile_add_counter(profile, "sample_ignored",
					     decode->nr_ignored);
	return err;
}

static int add_up(struct mp_perf_file *file, struct mp_merge *merge,
		  struct mp_perf_decode *decode, const char *path,
		  void (*progress)(double done), struct mp_profile *profile)
{
	int err;

	if (!mp_perf_decode_begin(decode, &file->events, merge)) {
		snprintf(file->why, sizeof(file->why),
			 "holds no event that tells of memory (memprof:*, probes of malloc and free, page faults)");
		return -EBADMSG;
	}
	err = read_records(file, decode, progress);
	if (err == -EBADMSG)
		err = mp_profile_warn(profile, file->why);
	if (!err)
		err = mp_order_flush(&merge->order);
	tell_meta(decode, path, &profile->meta);
	if (!err)
		err = mp_merge_profile(merge, profile);
	return err ? err : add_counters(decode, profile);
}

int mp_recording_profile(const char *path, bool bins,
			 void (*progress)(double done),
			 struct mp_profile *profile, char *why)
{
	struct mp_perf_decode decode;
	struct mp_perf_file file;
	struct mp_merge merge;
	int err;

	profile->meta.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	mp_merge_init(&merge);
	merge.heap.with_bins = bins;
	err = mp_perf_file_open(&file, path);
	if (!err)
		err = add_up(&file, &merge, &decode, path, progress, profile);
	snprintf(why, MP_RECORDING_WHY_SIZE, "%s", file.why);
	mp_perf_file_close(&file);
	mp_merge_free(&merge);
	return err;
}
