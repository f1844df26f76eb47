/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream: reads perf's rings as they fill, and adds their events up
 */
#ifndef MP_STREAM_H
#define MP_STREAM_H

#include "binary-resolver.h"
#include "merge.h"
#include "perf-decode.h"
#include "perf-rings.h"

/**
 * struct mp_stream - a stream; all zero is none
 * @rings: where the events come from; NULL: there is no stream
 * @merge: the engine
 * @decode: from records to events
 * @resolver: reads binaries for the engine
 * @err: why nothing more is read; 0
 */
struct mp_stream {
	struct mp_perf_rings *rings;
	struct mp_merge merge;
	struct mp_perf_decode decode;
	struct mp_binary_resolver resolver;
	int err;
};

/**
 * mp_stream_open - begin with the processes and cgroups that there are now
 * @rings: of events that run
 */
void mp_stream_open(struct mp_stream *stream, struct mp_perf_rings *rings);

/** mp_stream_drain - read what has come */
void mp_stream_drain(struct mp_stream *stream);

/**
 * mp_stream_settle - read all that has happened up to now
 *
 * Return: 0, or a negative errno: events were not read.
 */
int mp_stream_settle(struct mp_stream *stream);

/** mp_stream_stop - stop the events, and read the rest */
void mp_stream_stop(struct mp_stream *stream);

/** mp_stream_profile - the sums so far, see mp_merge_profile() */
int mp_stream_profile(struct mp_stream *stream, bool stacks,
		      struct mp_profile *profile);

/** mp_stream_close - free all; the rings are the caller's */
void mp_stream_close(struct mp_stream *stream);

#endif
