/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-recorder: writes the pages of processes into a recording
 */
#ifndef MP_PAGE_RECORDER_H
#define MP_PAGE_RECORDER_H

#include "perf-writer.h"
#include "prober.h"

/**
 * struct mp_page_recorder - what was written; the caller sets what comes before @bytes, and
 * @interval_ns
 * @writer: the file
 * @regions: folder of the regions of a command's processes; NULL: there are none
 * @has_blocks: the recording's events tell which blocks live: pages are written
 * @put_tallies: writes the tallies of a moment, too, and returns 0 or a negative errno; or NULL
 * @context: passed to it
 * @bytes: bytes that were written, at most MP_RECORDED_PAGES_BYTES and the last moment's tallies
 * @interval_ns: time between two moments at which pages are written; 0: only at the ends.
 *	It doubles while moments take too much of the limit
 * @next_ns: the next moment, CLOCK_MONOTONIC
 * @nr_moments: moments that were written
 * @nr_late: moments that came later, because looking takes too much time
 */
struct mp_page_recorder {
	struct mp_perf_writer *writer;
	const char *regions;
	bool has_blocks;
	int (*put_tallies)(void *context);
	void *context;
	uint64_t bytes;
	uint64_t interval_ns, next_ns;
	uint64_t nr_moments, nr_late;
};

/**
 * mp_page_recorder_ended - write the pages that a process kept at its end
 *
 * Call it before the record of the exit is written. If the process kept none, nothing is
 * written.
 *
 * Return: 0, or a negative errno of the writer.
 */
int mp_page_recorder_ended(struct mp_page_recorder *recorder, pid_t pid);

/**
 * mp_page_recorder_work - write the pages of all targets that run, or tallies, if a moment has
 * come
 *
 * That takes at most 2 % of a CPU over time, and half of the limit.
 *
 * Return: 0, or a negative errno of the writer.
 */
int mp_page_recorder_work(struct mp_page_recorder *recorder, const struct mp_prober *filter);

/**
 * mp_page_recorder_all - write the pages of all targets that run, for a second at most
 *
 * Return: 0, or a negative errno of the writer.
 */
int mp_page_recorder_all(struct mp_page_recorder *recorder, const struct mp_prober *filter);

#endif
