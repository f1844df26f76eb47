/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder: writes the events of a session into a file
 */
#ifndef MP_RECORDER_H
#define MP_RECORDER_H

#include "container-recorder.h"
#include "perf-writer.h"
#include "session.h"
#include "sums.h"
#include "titles.h"
#include "living.h"
#include "page-recorder.h"
#include "python-recorder.h"
#include "rss-sampler.h"

/**
 * struct mp_recorder - a recording that is being made
 * @session: the session that is recorded
 * @writer: the file
 * @sampler: reads the sizes of targets
 * @argv, @argc: our command line, which the file contains
 * @nr_events, @nr_ids: number of events, and of their ids, that the file describes
 *	so far
 * @launched: the target is a command that is not running yet
 * @ended_ns: when that command ended, CLOCK_MONOTONIC; 0: it has not
 * @begin_ns: when the recording began, CLOCK_MONOTONIC
 * @next_cgroups_ns: time of the next look for new cgroups, CLOCK_MONOTONIC
 * @nr_anew: cgroups made anew that the file describes
 * @sums: writes rows: the module's tallies, or sizes
 * @nr_lost: events that were lost because a ring was full
 * @living: processes that run, as far as the records show
 * @containers: names of containers
 * @python: names of functions of Python
 * @pages: pages of processes; the caller sets its @regions
 */
struct mp_recorder {
	struct mp_session *session;
	struct mp_perf_writer writer;
	struct mp_rss_sampler sampler;
	struct mp_titles titles;
	char * const *argv;
	int argc;
	size_t nr_events;
	size_t nr_ids;
	size_t nr_anew;
	uint64_t next_cgroups_ns;
	bool launched;
	uint64_t ended_ns;
	uint64_t begin_ns;
	struct mp_sums sums;
	uint64_t nr_lost;
	struct mp_living living;
	struct mp_container_recorder containers;
	struct mp_python_recorder python;
	struct mp_page_recorder pages;
};

/**
 * mp_recorder_begin - write the description of the session and of running
 * processes
 * @recorder: the caller sets session, writer, argv, argc and launched
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_begin(struct mp_recorder *recorder);

/** mp_recorder_work - write new records. Return: 0, or a negative errno */
int mp_recorder_work(struct mp_recorder *recorder);

/**
 * mp_recorder_snapshot - add the module's current tallies
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_snapshot(struct mp_recorder *recorder);

/**
 * mp_recorder_ended - add the peak RSS of the command, which exited, and its signal
 * @max_rss: peak RSS in bytes of the command or of a child that it waited for; 0: not known
 * @signal: the one that killed it, or 0
 *
 * Return: 0, or a negative errno.
 */
int mp_recorder_ended(struct mp_recorder *recorder, pid_t pid,
		      uint64_t max_rss, int signal);

/** mp_recorder_end - write the remaining records. Return: 0, or a negative errno */
int mp_recorder_end(struct mp_recorder *recorder);

#endif
