/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live: what a running session has to tell
 */
#ifndef MP_LIVE_H
#define MP_LIVE_H

#include "rss-sampler.h"
#include "session.h"
#include "stream.h"

/**
 * struct mp_live - a session that somebody listens to
 * @session: it
 * @stream: of MP_SOURCE_PERF, and of the module where stacks are asked for
 * @sampler: of MP_SOURCE_PERF: sizes that processes had before they ended
 * @timer_fd: for @sampler
 * @fd: readable when there is something for mp_live_work()
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

/** mp_live_open - begin to listen. @session must not move afterwards */
void mp_live_open(struct mp_live *live, struct mp_session *session);

/** mp_live_work - take in what there is */
void mp_live_work(struct mp_live *live);

/** mp_live_meta - how it stands. Return: 0, or a negative errno */
int mp_live_meta(struct mp_live *live, struct mp_meta *meta);

/**
 * mp_live_profile - what it has seen
 * @stacks: rows of stacks, too, where there are some
 *
 * Return: 0, or a negative errno.
 */
int mp_live_profile(struct mp_live *live, bool stacks,
		    struct mp_profile *profile);

/** mp_live_reset - sums begin anew. Return: 0, or a negative errno */
int mp_live_reset(struct mp_live *live);

/** mp_live_stop - see nothing more. Return: 0, -EBUSY if so before, an errno */
int mp_live_stop(struct mp_live *live);

/** mp_live_close - listen no more; the session goes on */
void mp_live_close(struct mp_live *live);

#endif
