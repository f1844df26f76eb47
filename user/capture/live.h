/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live: reports the state and the profile of a running session
 */
#ifndef MP_LIVE_H
#define MP_LIVE_H

#include "chunk-look.h"
#include "cold.h"
#include "rss-sampler.h"
#include "session.h"
#include "stream.h"

/**
 * struct mp_live - a session that a collector serves
 * @session: the session; owned by the caller
 * @stream: events of MP_SOURCE_PERF, or of the module if stacks are requested
 * @sampler: sizes of processes before they exit, for MP_SOURCE_PERF
 * @chunks: looks into the heaps of processes, for reports
 * @timer_fd: timer for @sampler
 * @fd: readable when mp_live_work() has work to do
 * @start_ns: when RSS was read first, CLOCK_MONOTONIC
 * @stop_ns, @reset_ns: of the session
 */
struct mp_live {
	struct mp_session *session;
	struct mp_stream stream;
	struct mp_rss_sampler sampler;
	struct mp_chunk_look chunks;
	int timer_fd;
	int fd;
	bool stopped;
	uint64_t start_ns, stop_ns, reset_ns;
};

/** mp_live_open - start to serve @session, which must not move afterwards */
void mp_live_open(struct mp_live *live, struct mp_session *session);

/** mp_live_work - process the events that have arrived */
void mp_live_work(struct mp_live *live);

/** mp_live_meta - get the state of the session. Return: 0, or a negative errno */
int mp_live_meta(struct mp_live *live, struct mp_meta *meta);

/**
 * mp_live_profile - get the session's profile up to now
 * @stacks: include rows of stacks, if there are any
 * @cold: ages of pages, sorted; NULL: there is no COLD
 *
 * Return: 0, or a negative errno.
 */
int mp_live_profile(struct mp_live *live, bool stacks, const struct mp_cold *cold,
		    struct mp_profile *profile);

/** mp_live_reset - set all sums to zero. Return: 0, or a negative errno */
int mp_live_reset(struct mp_live *live);

/**
 * mp_live_stop - stop counting events
 *
 * Return: 0; -EBUSY if it was stopped before; another negative errno.
 */
int mp_live_stop(struct mp_live *live);

/** mp_live_close - stop serving; the session continues */
void mp_live_close(struct mp_live *live);

#endif
