/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * container-recorder: writes the names of containers into a recording
 */
#ifndef MP_CONTAINER_RECORDER_H
#define MP_CONTAINER_RECORDER_H

#include "perf-writer.h"
#include "profile.h"

/**
 * struct mp_container_recorder - containers of a recording; the caller sets @writer
 * @seen: ids of the cgroups that records told of
 * @profile: cgroups of containers that records told of, and their names so far
 * @nr_written: by enum mp_container_text: texts that are in the file
 * @is_due: a container may have no names yet
 * @is_slow: a look-up took too long: the next one is at the end
 * @next_ns: time of the next look-up, CLOCK_MONOTONIC
 */
struct mp_container_recorder {
	struct mp_perf_writer *writer;
	struct mp_map seen;
	struct mp_profile profile;
	size_t nr_written[MP_NR_CONTAINER_TEXTS];
	bool is_due;
	bool is_slow;
	uint64_t next_ns;
};

/** mp_container_recorder_take - look at a record. Return: 0, or -ENOMEM */
int mp_container_recorder_take(struct mp_container_recorder *recorder,
			       const struct perf_event_header *record);

/** mp_container_recorder_knows - whether a record is of a cgroup that is in the file */
bool mp_container_recorder_knows(const struct mp_container_recorder *recorder,
				 const struct perf_event_header *record);

/**
 * mp_container_recorder_work - look up names, and write those that are new
 * @now: at the begin and at the end; else at most every two seconds
 *
 * A container that ends takes its names with it, so they are looked up while it runs.
 *
 * Return: 0, or a negative errno.
 */
int mp_container_recorder_work(struct mp_container_recorder *recorder, bool now);

/** mp_container_recorder_free - free all memory */
void mp_container_recorder_free(struct mp_container_recorder *recorder);

#endif
