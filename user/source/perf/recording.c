// SPDX-License-Identifier: GPL-2.0-only
/*
 * recording: passes the records of a file to the engine, in order
 */
#include "recording.h"
#include "merge.h"
#include "perf-decode.h"
#include "perf-file.h"
#include "perf-origin.h"
#include "perf-writer.h"
#include "process.h"
#include "recorded-pages.h"
#include "recording-moment.h"
#include "text.h"

#include <errno.h>
#include <perf/event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Number of records between two progress reports. */
#define STEP	1024

/*
 * Limit of exited processes that have their own rows; higher than in the
 * collector.
 */
#define MAX_EXITED	16384

/* Returns the live bytes of a process after the events so far. */
static uint64_t live_of(const struct mp_heap *heap, uint32_t pid)
{
	const uint32_t *known = mp_map_find(&heap->by_pid, pid, 0);

	return known && pid ? heap->processes[*known].tally.inuse_space : 0;
}

/* Adds the RSS of each process to the timeline, if a point is due; at the end always. */
static int add_residents(struct mp_merge *merge, const struct mp_sizes *sizes,
			 uint64_t time_ns, uint64_t sum, bool is_end)
{
	const uint64_t from_ns = merge->series[MP_SERIES_LIVE].end_ns;
	struct mp_timeline_track *track = &merge->timeline.resident;
	struct mp_timeline_point *point;
	size_t i;
	int err = 0;

	if (!merge->has_timeline || (is_end ? !track->nr : !mp_timeline_is_due(track, time_ns)))
		return 0;
	/* sizes may be younger than the last event */
	if (is_end && time_ns < track->points[track->nr - 1].time_ns)
		time_ns = track->points[track->nr - 1].time_ns;
	point = is_end ? mp_timeline_last(track, time_ns, sum) :
			 mp_timeline_add(track, time_ns, sum);
	for (i = 0; !err && i < sizes->nr; i++)
		if (mp_sizes_is_living(sizes, i, &merge->heap.by_pid, from_ns))
			err = mp_merge_timeline_resident(merge, point, sizes->list[i].pid,
							 mp_sizes_resident_of(sizes, i));
	for (i = 0; !err && i < sizes->base.nr; i++)
		if (mp_sizes_resident_before(sizes, i))
			err = mp_merge_timeline_resident(merge, point, sizes->base.list[i].pid,
							 mp_sizes_resident_before(sizes, i));
	return err;
}

/* Adds what each process had when the recording began, from which DELTA counts. */
static int add_base(struct mp_merge *merge, const struct mp_size_base *base, uint64_t time_ns)
{
	struct mp_timeline_track *track = &merge->timeline.resident;
	struct mp_timeline_point *point;
	uint64_t sum = 0;
	size_t i;
	int err = 0;

	if (!merge->has_timeline || track->nr || !base->nr)
		return 0;
	for (i = 0; i < base->nr; i++)
		sum += base->list[i].resident;
	point = mp_timeline_add(track, time_ns, sum);
	for (i = 0; !err && i < base->nr; i++)
		err = mp_merge_timeline_resident(merge, point, base->list[i].pid,
						 base->list[i].resident);
	return err;
}

/*
 * Adds the sum of all RSS at @time_ns to its series. The engine sorts events
 * before it uses them, so its list of processes may be older than @time_ns. The
 * list has the age of the end of the series of live bytes.
 */
static int put_resident(struct mp_merge *merge, const struct mp_sizes *sizes,
			uint64_t time_ns, bool is_end)
{
	uint64_t from_ns = merge->series[MP_SERIES_LIVE].end_ns;
	uint64_t sum = mp_sizes_resident(sizes, &merge->heap.by_pid, from_ns);
	size_t i;

	for (i = 0; i < sizes->base.nr; i++)
		sum += mp_sizes_resident_before(sizes, i);
	mp_merge_resident(merge, time_ns, sum);
	return add_residents(merge, sizes, time_ns, sum, is_end);
}

static int take_sizes(struct mp_merge *merge, struct mp_recording *recording,
		      const struct mp_perf_decode *decode, const struct perf_event_header *record)
{
	const uint64_t until_ns = decode->until_ns, first_ns = decode->first_ns;
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_SIZES);
	struct mp_size_record size;
	uint64_t last_ns = 0;
	uint32_t at;
	int err = 0;

	if (!piece)
		return 0;
	for (at = 0; !err && piece->bytes - at >= sizeof(size);
	     at += sizeof(size)) {
		memcpy(&size, (const char *)(piece + 1) + at, sizeof(size));
		if (until_ns && size.time_ns > until_ns)
			continue;
		err = mp_sizes_put(&recording->sizes, &size,
				   live_of(&merge->heap, size.pid), NULL);
		last_ns = size.time_ns > last_ns ? size.time_ns : last_ns;
	}
	if (!err && last_ns)
		err = add_base(merge, &recording->sizes.base,
			       first_ns && first_ns < last_ns ? first_ns : last_ns);
	if (!err && last_ns)
		err = put_resident(merge, &recording->sizes, last_ns, false);
	return err;
}

static int take_base(struct mp_recording *recording,
		     const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_BASE);
	struct mp_base_record base;
	uint32_t at;
	int err = 0;

	for (at = 0; piece && !err && piece->bytes - at >= sizeof(base);
	     at += sizeof(base)) {
		memcpy(&base, (const char *)(piece + 1) + at, sizeof(base));
		base.above &= ~MP_BASE_ENDED;
		err = mp_size_base_add(&recording->sizes.base, &base);
	}
	return err;
}

static int take_chunks(struct mp_recording *recording, uint64_t until_ns,
		       const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_CHUNKS);
	struct mp_chunk_record chunks;
	uint32_t at;
	int err = 0;

	for (at = 0; piece && !err && piece->bytes - at >= sizeof(chunks);
	     at += sizeof(chunks)) {
		memcpy(&chunks, (const char *)(piece + 1) + at, sizeof(chunks));
		if (!until_ns || chunks.time_ns <= until_ns)
			err = mp_chunk_records_put(&recording->sizes.chunks, &chunks);
	}
	return err;
}

/* A process has ended if its first thread has. Records that were made up have no thread. */
static void take_exit(struct mp_recording *recording, uint64_t until_ns,
		      const struct perf_event_header *record)
{
	const struct perf_record_fork *task = (const void *)record;

	if (record->type != PERF_RECORD_EXIT || record->size < sizeof(*task) ||
	    (task->tid && task->tid != task->pid) || (until_ns && task->time > until_ns))
		return;
	mp_size_base_end(&recording->sizes.base, task->pid);
}

static void take_alloc(struct mp_recording *recording,
		       const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_ALLOC);
	struct mp_alloc_meta *alloc = &recording->profile.meta.alloc;
	struct mp_alloc_record from = { 0 };

	if (!piece || piece->bytes < offsetof(struct mp_alloc_record, pace))
		return;
	memcpy(&from, piece + 1, piece->bytes < sizeof(from) ? piece->bytes : sizeof(from));
	alloc->rate = from.rate;
	alloc->nr_samplers = from.nr_samplers;
	alloc->nr_unsampled = from.nr_unsampled;
	alloc->pace = from.pace;
	alloc->nr_brief = from.nr_brief;
}

/* Titles can contain any bytes: they are made printable. */
static int take_titles(struct mp_recording *recording,
		       const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_TITLES);
	struct mp_title_record title;
	char text[MP_PROCESS_TITLE_SIZE];
	const char *at, *end;
	int err = 0;

	if (!piece || recording->profile.titles.nr > MP_MAX_SIZES)
		return 0;
	at = (const char *)(piece + 1);
	for (end = at + piece->bytes; !err && (size_t)(end - at) > sizeof(title);
	     at += title.size) {
		memcpy(&title, at, sizeof(title));
		at += sizeof(title);
		if (title.size >= sizeof(text) || title.size > end - at)
			break;
		memcpy(text, at, title.size);
		text[title.size] = '\0';
		/* the last title of a process is what it did last */
		err = mp_id_names_set(&recording->profile.titles, title.pid, text);
	}
	return err;
}

/* What runtimes said is as untrusted as titles are. */
static int take_containers(struct mp_recording *recording,
			   const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_CONTAINERS);
	struct mp_containers *containers = &recording->profile.containers;
	struct mp_container_record said;
	char text[MP_CONTAINER_TEXT_SIZE];
	const char *at, *end;
	int err = 0;

	if (!piece)
		return 0;
	at = (const char *)(piece + 1);
	for (end = at + piece->bytes; !err && (size_t)(end - at) > sizeof(said);
	     at += said.size) {
		memcpy(&said, at, sizeof(said));
		at += sizeof(said);
		if (said.size >= sizeof(text) || said.size > end - at ||
		    said.what >= MP_NR_CONTAINER_TEXTS ||
		    containers->texts[said.what].nr > MP_MAX_SIZES)
			break;
		memcpy(text, at, said.size);
		text[said.size] = '\0';
		err = mp_containers_add(containers, said.cgroup, said.what, text);
	}
	return err;
}

/* A recording may begin before its first sample, and end after its last one. */
static void take_span(struct mp_perf_decode *decode, const struct perf_event_header *record)
{
	const struct mp_perf_piece *piece = mp_perf_piece_of(record, MP_PERF_PIECE_SPAN);
	struct mp_span_record span;

	if (!piece || piece->bytes < sizeof(span))
		return;
	memcpy(&span, piece + 1, sizeof(span));
	if (span.begin_ns && (!decode->first_ns || span.begin_ns < decode->first_ns))
		decode->first_ns = span.begin_ns;
	if (decode->until_ns && span.end_ns > decode->until_ns)
		span.end_ns = decode->until_ns;
	if (span.end_ns > decode->last_ns)
		decode->last_ns = span.end_ns;
}

static void tell_progress(const struct mp_perf_file *file,
			  const struct mp_recording_options *options)
{
	const struct mp_recording_progress progress = {
		.bytes = file->at, .all_bytes = file->header.data.size,
	};

	options->progress(options->context, &progress);
}

static int read_records(struct mp_perf_file *file,
			struct mp_perf_decode *decode,
			struct mp_merge *merge,
			struct mp_recorded_pages *pages,
			struct mp_recording *recording,
			const struct mp_recording_options *options)
{
	const struct perf_event_header *record;
	uint64_t n = 0;
	int got;

	while ((got = mp_perf_file_next(file, &record)) > 0) {
		if (record->type == MP_PERF_RECORD_SKIPPED) {
			got = mp_tallies_piece(&recording->tallies, record) ?:
			      take_sizes(merge, recording, decode, record) ?:
			      take_base(recording, record) ?:
			      take_chunks(recording, decode->until_ns, record) ?:
			      mp_recorded_pages_take(pages, record) ?:
			      take_titles(recording, record) ?:
			      take_containers(recording, record);
			if (got)
				break;
			take_alloc(recording, record);
			take_span(decode, record);
		}
		take_exit(recording, decode->until_ns, record);
		got = mp_perf_decode_record(decode, record);
		if (got)
			break;
		if (options->progress && !(++n % STEP))
			tell_progress(file, options);
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
	if (!decode->has_alloc)
		meta->alloc = (struct mp_alloc_meta){ 0 };
	else if (!meta->alloc.rate)
		/* perf or an older memprofctl recorded this */
		meta->alloc.rate = mp_perf_decode_rate(decode);
	meta->kernel_start = decode->kernel_start;
	meta->kernel_end = decode->kernel_end;
	mp_text_escape(meta->targets, sizeof(meta->targets), path,
		       strlen(path));
}

static int add_counters(const struct mp_perf_decode *decode,
			struct mp_profile *profile)
{
	int err = 0;

	if (decode->nr_lost)
		err = mp_profile_add_counter(profile, "event_lost",
					     decode->nr_lost) ?:
		      mp_profile_add_counter(profile, "event_kept",
					     decode->nr_samples);
	if (!err && decode->nr_cut)
		err = mp_profile_add_counter(profile, "stack_table_full",
					     decode->nr_cut);
	if (!err && decode->nr_bad)
		err = mp_profile_add_counter(profile, "record_bad",
					     decode->nr_bad);
	if (!err && decode->nr_borrowed)
		err = mp_profile_add_counter(profile, "sample_id_borrowed",
					     decode->nr_borrowed);
	if (!err && decode->nr_ignored)
		err = mp_profile_add_counter(profile, "sample_ignored",
					     decode->nr_ignored);
	return err ? err : mp_sampler_counts_put(&decode->counts, profile);
}

static int add_up(struct mp_perf_file *file, struct mp_merge *merge,
		  struct mp_perf_decode *decode, const char *path,
		  const struct mp_recording_options *options,
		  struct mp_recorded_pages *pages, struct mp_recording *recording)
{
	struct mp_profile *profile = &recording->profile;
	size_t i, nr = mp_perf_decode_begin(decode, &file->events, merge);
	int err;

	decode->tallies = &recording->tallies;
	recording->tallies.until_ns = pages->until_ns;
	decode->until_ns = pages->until_ns;
	err = read_records(file, decode, merge, pages, recording, options);
	if (err == -EBADMSG)
		err = mp_profile_warn(profile, file->why) ?:
		      mp_profile_add_counter(profile, "recording_cut", 1);
	if (!err && !nr && !recording->tallies.last.text) {
		snprintf(file->why, sizeof(file->why),
			 "has no event about memory (memprof:*, probes of malloc and free, page faults)");
		return -EBADMSG;
	}
	if (!err)
		err = mp_merge_flush(merge);
	if (!err)
		mp_recorded_pages_end(pages);
	/*
	 * add the RSS at the end of the recording, of the processes that still
	 * run
	 */
	if (!err && merge->series[MP_SERIES_RESIDENT].nr)
		err = put_resident(merge, &recording->sizes, decode->last_ns, true);
	if (!err)
		err = mp_merge_timeline_end(merge, decode->last_ns);
	tell_meta(decode, path, &profile->meta);
	mp_perf_origin_read(file, &recording->origin);
	if (!err)
		err = mp_merge_profile(merge, profile, options->stacks);
	for (i = 0; !err && i < profile->nr_rows; i++)
		mp_sizes_join(&recording->sizes, decode->has_alloc,
			      MP_SOURCE_PERF, &profile->rows[i]);
	if (!err)
		err = mp_recorded_pages_put(pages, profile);
	/* the sizes of a process at its end are those of its pages */
	for (i = 0; !err && i < profile->nr_rows; i++)
		mp_size_base_join(&recording->sizes.base, MP_SOURCE_PERF,
				  &profile->rows[i]);
	/* kernel threads, and processes in a recording without sizes */
	mp_profile_drop(profile, 0, mp_row_is_idle);
	return err ?: mp_chunk_records_report(profile) ?:
	       add_counters(decode, profile);
}

/* Finds where to stop. The times are kept also if the recording is too short. */
static int find_moment(struct mp_recording *recording, const char *path, uint64_t at_ns,
		       uint64_t *until_ns)
{
	struct mp_recording_moment moment;
	int err = mp_recording_moment_find(&moment, path, at_ns, recording->why,
					   sizeof(recording->why));

	recording->all_ns = moment.end_ns - moment.begin_ns;
	recording->at_ns = moment.until_ns - moment.begin_ns;
	recording->has_moment = moment.has_pages;
	*until_ns = moment.until_ns;
	return err;
}

int mp_recording_read(struct mp_recording *recording, const char *path,
		      const struct mp_recording_options *options)
{
	const struct mp_merge_options engine = {
		.ops = options->ops, .bins = options->bins,
		.timeline = options->timeline,
		.max_exited = MAX_EXITED,
	};
	struct mp_recorded_pages pages;
	struct mp_perf_decode decode;
	struct mp_perf_file file;
	struct mp_merge merge;
	uint64_t until_ns = 0;
	int err = options->at_ns ? find_moment(recording, path, options->at_ns, &until_ns) : 0;

	if (err)
		return err;
	recording->profile.meta.page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	mp_merge_init(&merge, &engine);
	mp_recorded_pages_begin(&pages, &merge.heap);
	pages.until_ns = until_ns;
	err = mp_perf_file_open(&file, path);
	if (!err)
		err = add_up(&file, &merge, &decode, path, options, &pages, recording);
	recording->has_looks = pages.nr_unused;
	/* sums of a later moment cannot be taken back */
	if (!err && recording->tallies.nr_late && !recording->tallies.last.text)
		err = -EOPNOTSUPP;
	snprintf(recording->why, sizeof(recording->why), "%s", file.why);
	mp_perf_file_close(&file);
	mp_recorded_pages_free(&pages);
	mp_merge_free(&merge);
	return err;
}

void mp_recording_free(struct mp_recording *recording)
{
	mp_profile_free(&recording->profile);
	mp_sizes_free(&recording->sizes);
	mp_tallies_free(&recording->tallies);
}
