/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording: reads a recorded file into a profile
 */
#ifndef MP_RECORDING_H
#define MP_RECORDING_H

#include "merge.h"
#include "profile.h"
#include "size-record.h"
#include "tallies.h"

#define MP_RECORDING_WHY_SIZE	200

/**
 * struct mp_recording - contents of a recording
 * @profile: the sums of its events
 * @tallies: the source's own sums, which are exact even if the events are
 *	samples
 * @sizes: the last sizes of processes and cgroups; those of processes are also
 *	in @profile
 * @origin: where and when the file was recorded
 * @at_ns: time since the begin up to which it was read; 0: all of it
 * @all_ns: how long the recording is; set if @at_ns is
 * @has_moment: the pages are of @at_ns
 * @has_looks: pages of moments were not used, because all was read
 * @why: what is wrong with the file
 */
struct mp_recording {
	struct mp_profile profile;
	struct mp_tallies tallies;
	struct mp_sizes sizes;
	struct mp_origin origin;
	uint64_t at_ns, all_ns;
	bool has_moment, has_looks;
	char why[MP_RECORDING_WHY_SIZE];
};

/**
 * struct mp_recording_progress - how much was read
 * @bytes: bytes of the data that were read
 * @all_bytes: bytes of the data
 */
struct mp_recording_progress {
	uint64_t bytes;
	uint64_t all_bytes;
};

/**
 * struct mp_recording_options - how to read; all zero reads the minimum
 * @bins: keep histograms
 * @timeline: keep who had how much over time
 * @stacks: also make rows of stacks
 * @at_ns: read what happened up to this time after the begin; 0: all. If the recording has
 *	moments at which pages were looked at, it is read up to the last one before. Or
 *	MP_RECORDING_LAST_LOOK
 * @ops: callbacks of the engine
 * @progress: called from time to time; or NULL
 * @context: for @progress
 */
struct mp_recording_options {
	bool bins;
	bool timeline;
	bool stacks;
	uint64_t at_ns;
	struct mp_merge_ops ops;
	void (*progress)(void *context,
			 const struct mp_recording_progress *progress);
	void *context;
};

/**
 * mp_recording_read - read a recording and sum up its events
 * @recording: out; all zero when called
 * @path: path of a file of perf or of memprofctl
 * @options: how to read
 *
 * If the file is damaged, the profile contains the data before the damage, and
 * a warning.
 *
 * Return: 0; -ERANGE if it ends before @at_ns; -EOPNOTSUPP if it has only sums of its end, and
 * @at_ns is given; -EBADMSG with @why, or another negative errno. Call
 * mp_recording_free() in any case.
 */
int mp_recording_read(struct mp_recording *recording, const char *path,
		      const struct mp_recording_options *options);

/** mp_recording_free - free everything in the recording */
void mp_recording_free(struct mp_recording *recording);

#endif
