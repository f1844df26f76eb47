/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording-moment: finds where in a recording a reader has to stop
 */
#ifndef MP_RECORDING_MOMENT_H
#define MP_RECORDING_MOMENT_H

#include "perf-file.h"

/* In place of a time after the begin: the last look at pages, or the end. */
#define MP_RECORDING_LAST_LOOK	UINT64_MAX

/**
 * struct mp_recording_moment - a moment of a recording; times of CLOCK_MONOTONIC
 * @begin_ns, @end_ns: of the recording
 * @until_ns: what happened later does not count
 * @has_pages: at @until_ns the pages of processes were looked at, or the module's tallies taken
 */
struct mp_recording_moment {
	uint64_t begin_ns, end_ns, until_ns;
	bool has_pages;
};

/**
 * mp_recording_moment_find - find a moment, by reading the times of all records
 * @path: path of the recording
 * @at_ns: time after its begin. The moment is the last one before at which pages were looked
 *	at, or the module's tallies taken, or else this time
 * @why: out: what is wrong with the file; of at least the size of mp_perf_file.why
 *
 * Return: 0; -ERANGE if the recording ends before, and then @moment has its ends; -EOPNOTSUPP if
 * no event in it has a time; -EBADMSG with @why, or another negative errno.
 */
int mp_recording_moment_find(struct mp_recording_moment *moment, const char *path,
			     uint64_t at_ns, char *why, size_t size);

#endif
