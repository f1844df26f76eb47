/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live: what a running session reports
 */
#ifndef MP_LIVE_H
#define MP_LIVE_H

#include "rss-sampler.h"
#include "session.h"
#include "stream.h"

/**
 * struct mp_live - a session that a collector serves
 * @session: the session; its owner is the caller
 * @stream: of MP_SOURCE_PERF, and of the module where stacks are asked for
 * @sampler: of MP_SOURCE_PERF: the sizes of processes before they exit
 * @timer_fd: for @sampler
 * @fd: readable when mp_live_work() has something to do
 */
struct mp_live {
	struct mp_session *session;
	struct mp_stream stream;
	struct mp_rss_sampler sampler;
	int timer_fd;
	int fd;
	bool stopped;
	uint64_t stop_ns, reset_ns;
};

/** mp_live_open - begin to serve @session, which must not move afterwards */
void mp_live_open(struct mp_live *live, struct mp_session *session);

/** mp_live_work - process what has come in */
void mp_live_work(struct mp_live *live);

/** mp_live_meta - the state of the session. Return: 0, or a negative errno */
int mp_live_meta(struct mp_live *live, struct mp_meta *meta);

/**
 * mp_live_profile - what the session has seen so far
 * @stacks: with rows of stacks, where there are some
 *
 * Return: 0, or a negative errno.
 */
int mp_live_profile(struct mp_live *live, bool stacks,
		    struct mp_profile *profile);

/** mp_live_reset - begin all sums anew. Return: 0, or a negative errno */
int mp_live_reset(struct mp_live *live);

/**
 * mp_live_stop - count nothing more
 *
 * Return: 0; -EBUSY where it was stopped before; another negative errno.
 */
int mp_live_stop(struct mp_live *live);

/** mp_live_close - stop serving; the session goes on */
void mp_live_close(struct mp_live *live);

#endif
