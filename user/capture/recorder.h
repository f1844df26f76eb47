/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder: from a session to a file
 */
#ifndef MP_RECORDER_H
#define MP_RECORDER_H

#include "perf-writer.h"
#include "session.h"
#include "sums.h"
#include "rss-sampler.h"

/**
 * struct mp_recorder - a recording that is being made
 * @session: that is recorded
 * @writer: of the file
 * @sampler: of targets
 * @nr_events: that the file describes
 * @sums: of the module, or sizes: where they go
 * @nr_lost: that the kernel had no room for
 */
struct mp_recorder {
	struct mp_session *session;
	struct mp_perf_writer writer;
	struct mp_rss_sampler sampler;
	char * const *argv;
	int argc;
	size_t nr_events;
	struct mp_sums sums;
	uint64_t nr_lost;
};

/**
 * mp_recorder_begin - describe the session, and what was there before
 * @recorder: session, writer, argv and argc are set
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_begin(struct mp_recorder *recorder);

/** mp_recorder_work - take in what there is. Return: 0, or a negative errno */
int mp_recorder_work(struct mp_recorder *recorder);

/**
 * mp_recorder_snapshot - add the module's tallies, as they are
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_snapshot(struct mp_recorder *recorder);

/**
 * mp_recorder_ended - the command ended
 * @max_rss: the most that it, or a child that it waited for, ever held
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_ended(struct mp_recorder *recorder, pid_t pid,
		      uint64_t max_rss);

/** mp_recorder_end - take in the rest. Return: 0, or a negative errno */
int mp_recorder_end(struct mp_recorder *recorder);

#endif
