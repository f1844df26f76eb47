/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream: perf's rings, read as they fill, and what their events add up to
 */
#ifndef MP_STREAM_H
#define MP_STREAM_H

#include "binary-resolver.h"
#include "merge.h"
#include "perf-decode.h"
#include "perf-rings.h"

/**
 * struct mp_stream - a stream; all zero is none
 * @rings: where it comes from; NULL: none
 * @merge: the engine
 * @err: why nothing more is taken in; 0
 */
struct mp_stream {
	struct mp_perf_rings *rings;
	struct mp_merge merge;
	struct mp_perf_decode decode;
	struct mp_binary_resolver resolver;
	int err;
};

/**
 * mp_stream_open - begin with what there is on the machine
 * @rings: of events that run
 */
void mp_stream_open(struct mp_stream *stream, struct mp_perf_rings *rings);

/** mp_stream_drain - take in what has come */
void mp_stream_drain(struct mp_stream *stream);

/**
 * mp_stream_settle - take in all that has happened up to now
 *
 * Return: 0, or a negative errno: what came was not taken in.
 */
int mp_stream_settle(struct mp_stream *stream);

/** mp_stream_stop - nothing more happens */
void mp_stream_stop(struct mp_stream *stream);

/** mp_stream_profile - what it adds up to, see mp_merge_profile() */
int mp_stream_profile(struct mp_stream *stream, bool stacks,
		      struct mp_profile *profile);

/** mp_stream_close - free all; the rings are the caller's */
void mp_stream_close(struct mp_stream *stream);

#endif
