/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream: reads perf's rings and adds up their events
 */
#ifndef MP_STREAM_H
#define MP_STREAM_H

#include "binary-resolver.h"
#include "merge.h"
#include "perf-decode.h"
#include "perf-rings.h"
#include "prober.h"
#include "python-names.h"

/**
 * struct mp_stream - a stream; all zero means closed
 * @rings: source of the events; NULL: there is no stream
 * @merge: the engine
 * @decode: turns records into events
 * @resolver: reads binaries for the engine
 * @names: of functions of Python; the caller sets @names.processes
 * @nr_lost: events that were lost, also those that no record reports yet
 * @nr_records: records that were read while there was a deadline
 * @deadline_ns: mp_stream_settle() reads no more records after this time; 0: none
 * @behind_ns: how much older the newest event in the sums was than the latest
 *	mp_stream_settle(), which did not get through; 0: it did
 * @err: negative errno after which nothing more is read; or 0
 */
struct mp_stream {
	struct mp_perf_rings *rings;
	struct mp_merge merge;
	struct mp_perf_decode decode;
	struct mp_binary_resolver resolver;
	struct mp_python_names names;
	uint64_t nr_lost;
	uint64_t nr_records, deadline_ns, behind_ns;
	int err;
};

/**
 * mp_stream_open - begin with the processes and cgroups that exist now
 * @rings: rings of enabled events
 */
void mp_stream_open(struct mp_stream *stream, struct mp_perf_rings *rings);

/** mp_stream_existing - read again which targets and cgroups there are */
void mp_stream_existing(struct mp_stream *stream, const struct mp_prober *prober);

/** mp_stream_drain - read new records */
void mp_stream_drain(struct mp_stream *stream);

/**
 * mp_stream_settle - read all events up to now, as far as there is time for them
 *
 * The time is limited, because somebody waits for an answer: what is not read by then
 * is read later, and the profile says how far behind it is ("behind_ms").
 *
 * The record of an exit may be lost. So a process that is not in /proc any more
 * counts as exited, too. This check costs 10 us per process.
 *
 * Return: 0, or a negative errno if events were not read.
 */
int mp_stream_settle(struct mp_stream *stream);

/** mp_stream_stop - disable the events and read the remaining records */
void mp_stream_stop(struct mp_stream *stream);

/** mp_stream_profile - get the sums so far, see mp_merge_profile() */
int mp_stream_profile(struct mp_stream *stream, bool stacks,
		      struct mp_profile *profile);

/** mp_stream_close - free all; the caller closes the rings */
void mp_stream_close(struct mp_stream *stream);

#endif
