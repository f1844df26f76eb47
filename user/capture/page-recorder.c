// SPDX-License-Identifier: GPL-2.0-only
/*
 * page-recorder: copies smaps and the pages of processes into pieces of a recording
 *
 * 24 bytes per run of pages of one state, and the text of smaps. A process that runs is
 * looked at from outside, one that has ended has kept both in its region (libmemprof). What
 * is beyond the limits is not written: the reader counts such processes.
 */
#include "page-recorder.h"
#include "blob.h"
#include "clock.h"
#include "mappings.h"
#include "page-walk.h"
#include "process.h"
#include "recorded-pages.h"
#include "region-pages.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the time for all processes at the end. */
#define ALL_NS		1000000000ULL

/* The same of a moment: meanwhile nobody empties the rings. */
#define MOMENT_NS	250000000ULL

/* A moment waits for so many times what the last one took: 2 % of a CPU. */
#define WAIT		49

/* Of the bytes that moments may still have, one may take this part, or they get rarer. */
#define PART		16

/* Limit of the text of smaps: that of 65,000 mappings. */
#define MAX_TEXT	(48U << 20)

/* Names of the regions of a process: it has one for each program that it executed. */
#define MAX_PROGRAMS	64

/* Bytes that may still be written. The second half of the limit is for the ends. */
static uint64_t left_for(const struct mp_page_recorder *recorder, uint32_t what)
{
	const uint64_t limit = what == MP_PERF_PIECE_MOMENT ? MP_RECORDED_PAGES_BYTES / 2 :
							      MP_RECORDED_PAGES_BYTES;

	return recorder->bytes < limit ? limit - recorder->bytes : 0;
}

static int put(struct mp_page_recorder *recorder, uint32_t what, pid_t pid,
	       const struct mp_page_runs *runs, const void *text, size_t nr_text)
{
	const struct mp_pages_record record = {
		.pid = (uint32_t)pid, .time_ns = mp_clock_ns(), .nr_runs = runs->nr,
		.nr_text = nr_text,
	};
	struct mp_blob blob = { 0 };
	int err = 0;

	mp_blob_put(&blob, &record, sizeof(record));
	mp_blob_put(&blob, runs->list, runs->nr * sizeof(*runs->list));
	mp_blob_put(&blob, text, nr_text);
	if (!blob.failed && blob.size <= left_for(recorder, what)) {
		recorder->bytes += blob.size;
		err = mp_perf_writer_piece(recorder->writer, what, blob.data, blob.size);
	}
	free(blob.data);
	return err;
}

/* Opens the region of the program that the process ran last. */
static bool open_region(const char *folder, pid_t pid, struct mp_region *region)
{
	char path[PATH_MAX];
	struct mp_region next;
	bool found = false;
	int i;

	*region = (struct mp_region){ .fd = -1 };
	for (i = 0; i < MAX_PROGRAMS; i++) {
		if (i)
			snprintf(path, sizeof(path), "%s/%d.%d", folder, (int)pid, i);
		else
			snprintf(path, sizeof(path), "%s/%d", folder, (int)pid);
		if (mp_region_open(&next, path, false)) {
			mp_region_close(&next);
			break;
		}
		mp_region_close(region);
		*region = next;
		found = true;
	}
	return found;
}

int mp_page_recorder_ended(struct mp_page_recorder *recorder, pid_t pid)
{
	struct mp_region_pages pages = { 0 };
	struct mp_region region;
	int err = 0;

	if (!recorder->regions || !open_region(recorder->regions, pid, &region))
		return 0;
	if (region.header.state == MEMPROF_REGION_EXITED &&
	    !mp_region_pages_read(&pages, &region))
		err = put(recorder, MP_PERF_PIECE_PAGES, pid, &pages.kept.runs, pages.text,
			  pages.nr_text);
	mp_region_pages_free(&pages);
	mp_region_close(&region);
	return err;
}

/* Reads the text of smaps. Returns NULL if there is none. */
static char *read_smaps(pid_t pid, size_t *nr)
{
	char path[64], *text = NULL, piece[16384];
	struct mp_blob blob = { 0 };
	FILE *file;
	size_t got;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	file = fopen(path, "re");
	while (file && blob.size < MAX_TEXT && (got = fread(piece, 1, sizeof(piece), file)))
		mp_blob_put(&blob, piece, got);
	if (file)
		fclose(file);
	if (blob.size && !blob.failed)
		text = blob.data;
	else
		free(blob.data);
	*nr = blob.size;
	return text;
}

static int put_process(struct mp_page_recorder *recorder, uint32_t what, pid_t pid,
		       uint64_t end_ns)
{
	const struct mp_page_walk walk = { .end_ns = end_ns };
	struct mp_mappings mappings = { 0 };
	struct mp_pages pages = { 0 };
	size_t nr;
	char *text = read_smaps(pid, &nr);
	FILE *file = text ? fmemopen(text, nr, "r") : NULL;
	int err = 0;

	if (file && !mp_mappings_parse(file, &mappings) &&
	    !mp_page_walk(&walk, pid, &mappings, &pages) && !pages.unseen)
		err = put(recorder, what, pid,
			  &(struct mp_page_runs){ pages.runs, pages.nr_runs }, text, nr);
	if (file)
		fclose(file);
	free(text);
	mp_pages_free(&pages);
	mp_mappings_free(&mappings);
	return err;
}

struct all {
	struct mp_page_recorder *recorder;
	uint32_t what;
	const struct mp_prober *filter;
	uint64_t end_ns;
	int err;
};

static void put_one(void *context, pid_t pid)
{
	struct all *all = context;

	if (!all->err && mp_clock_ns() < all->end_ns && mp_prober_wants(all->filter, pid))
		all->err = put_process(all->recorder, all->what, pid, all->end_ns);
}

static int put_all(struct mp_page_recorder *recorder, uint32_t what,
		   const struct mp_prober *filter)
{
	struct all all = {
		.recorder = recorder, .what = what, .filter = filter,
		.end_ns = mp_clock_ns() +
			  (what == MP_PERF_PIECE_MOMENT ? MOMENT_NS : ALL_NS),
	};

	mp_process_each(put_one, &all);
	return all.err;
}

/* The module has sums of its own, with what the pages of its blocks say. */
static int put_tallies(struct mp_page_recorder *recorder)
{
	const uint64_t before = recorder->writer->data_size;
	int err;

	if (!left_for(recorder, MP_PERF_PIECE_MOMENT))
		return 0;
	err = recorder->put_tallies(recorder->context);
	recorder->bytes += recorder->writer->data_size - before;
	return err;
}

int mp_page_recorder_work(struct mp_page_recorder *recorder, const struct mp_prober *filter)
{
	const uint64_t begin_ns = mp_clock_ns(), cpu_ns = mp_clock_thread_ns();
	const uint64_t before = recorder->bytes;
	uint64_t wait_ns;
	int err;

	if (!recorder->interval_ns || !(recorder->has_blocks || recorder->put_tallies))
		return 0;
	if (!recorder->next_ns)
		recorder->next_ns = begin_ns + recorder->interval_ns;
	if (begin_ns < recorder->next_ns)
		return 0;
	err = recorder->has_blocks ? put_all(recorder, MP_PERF_PIECE_MOMENT, filter) : 0;
	if (!err && recorder->put_tallies)
		err = put_tallies(recorder);
	recorder->nr_moments += recorder->bytes > before;
	if (recorder->bytes - before > left_for(recorder, MP_PERF_PIECE_MOMENT) / PART)
		recorder->interval_ns *= 2;
	wait_ns = (mp_clock_thread_ns() - cpu_ns) * WAIT;
	recorder->nr_late += wait_ns > recorder->interval_ns;
	recorder->next_ns = begin_ns + (wait_ns > recorder->interval_ns ? wait_ns :
					recorder->interval_ns);
	return err;
}

int mp_page_recorder_all(struct mp_page_recorder *recorder, const struct mp_prober *filter)
{
	return !recorder->has_blocks ? 0 : put_all(recorder, MP_PERF_PIECE_PAGES, filter);
}
