/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorded-pages: the pages of processes in a recording, and whose blocks keep them
 */
#ifndef MP_RECORDED_PAGES_H
#define MP_RECORDED_PAGES_H

#include "blob.h"
#include "heap.h"
#include "perf-writer.h"
#include "resident.h"

/* Limit of bytes of pages in a recording, and of processes that have some. */
#define MP_RECORDED_PAGES_BYTES	(64U << 20)
#define MP_RECORDED_PAGES_MAX	4096

/**
 * struct mp_pages_record - the begin of a piece with the pages of a process
 * @pid: process
 * @flags: 0
 * @time_ns: CLOCK_MONOTONIC
 * @nr_runs: struct mp_page_run elements that follow
 * @nr_text: bytes of the text of smaps that follow these
 */
struct mp_pages_record {
	uint32_t pid;
	uint32_t flags;
	uint64_t time_ns;
	uint64_t nr_runs;
	uint64_t nr_text;
};

/**
 * struct mp_recorded_pages - pages that a recording has; all zero means none
 * @heap: the engine
 * @until_ns: use the pages of moments up to this one; 0: only those of the ends; the caller
 *	may set it
 * @piece: the piece that is being put together
 * @waiting: processes whose blocks still change
 * @rows: sizes and sums of processes, and their exits
 * @resident: sums by callsite
 * @nr_missing: processes that ended with living blocks, and have no pages
 * @nr_unused: pieces of moments, if @until_ns is 0
 */
struct mp_recorded_pages {
	struct mp_heap *heap;
	uint64_t until_ns;
	struct mp_blob piece;
	struct mp_recorded_process *waiting;
	size_t nr_waiting, max_waiting, bytes;
	struct mp_row *rows;
	size_t nr_rows, max_rows;
	struct mp_resident resident;
	uint64_t nr_missing, nr_skipped, nr_unused;
	bool has_any;
};

/** mp_recorded_pages_begin - take blocks from an engine when their processes end */
void mp_recorded_pages_begin(struct mp_recorded_pages *pages, struct mp_heap *heap);

/**
 * mp_recorded_pages_take - take a record, if it is a part of such a piece
 *
 * Return: 0, or -ENOMEM.
 */
int mp_recorded_pages_take(struct mp_recorded_pages *pages,
			   const struct perf_event_header *record);

/** mp_recorded_pages_end - take the blocks of processes that still run */
void mp_recorded_pages_end(struct mp_recorded_pages *pages);

/**
 * mp_recorded_pages_put - set the metrics of processes, callsites and stacks
 * @profile: of mp_merge_profile() of the same engine, with all its rows
 *
 * Return: 0, or -ENOMEM.
 */
int mp_recorded_pages_put(const struct mp_recorded_pages *pages,
			  struct mp_profile *profile);

/** mp_recorded_pages_free - free all memory */
void mp_recorded_pages_free(struct mp_recorded_pages *pages);

#endif
