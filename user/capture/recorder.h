/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder: writes a session into a file
 */
#ifndef MP_RECORDER_H
#define MP_RECORDER_H

#include "perf-writer.h"
#include "session.h"
#include "sums.h"
#include "rss-sampler.h"

/**
 * struct mp_recorder - a recording while it is made
 * @session: the session that is recorded
 * @writer: the file
 * @sampler: takes the sizes of targets
 * @argv, @argc: our command line, for the file
 * @nr_events: events that the file describes so far
 * @sums: writes rows: the module's tallies, or sizes
 * @nr_lost: events that found the rings full
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
 * mp_recorder_begin - describe the session, and the processes that run
 * @recorder: session, writer, argv and argc are set
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_begin(struct mp_recorder *recorder);

/** mp_recorder_work - write what has come in. Return: 0, or a negative errno */
int mp_recorder_work(struct mp_recorder *recorder);

/**
 * mp_recorder_snapshot - add the module's tallies as they are now
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_snapshot(struct mp_recorder *recorder);

/**
 * mp_recorder_ended - the command exited
 * @max_rss: most bytes that it, or a child that it waited for, ever held
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_ended(struct mp_recorder *recorder, pid_t pid,
		      uint64_t max_rss);

/** mp_recorder_end - write the rest. Return: 0, or a negative errno */
int mp_recorder_end(struct mp_recorder *recorder);

#endif
