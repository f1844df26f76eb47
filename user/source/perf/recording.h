/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording: a file as a source
 */
#ifndef MP_RECORDING_H
#define MP_RECORDING_H

#include "merge.h"
#include "profile.h"
#include "size-record.h"
#include "tallies.h"

#define MP_RECORDING_WHY_SIZE	200

/**
 * struct mp_recording - what a recording holds
 * @profile: the sums of its events
 * @tallies: the source's own sums, which are exact where the events are samples
 * @sizes: the last sizes of processes and cgroups; @profile has those of processes already
 * @why: what is wrong with the file
 */
struct mp_recording {
	struct mp_profile profile;
	struct mp_tallies tallies;
	struct mp_sizes sizes;
	char why[MP_RECORDING_WHY_SIZE];
};

/**
 * struct mp_recording_progress - how much was read
 * @bytes: of the data so far
 * @all_bytes: of the data
 */
struct mp_recording_progress {
	uint64_t bytes;
	uint64_t all_bytes;
};

/**
 * struct mp_recording_options - how to read; all zero is the minimum
 * @bins: keep histograms
 * @stacks: make rows of stacks, too
 * @ops: of the engine
 * @progress: called now and then; or NULL
 * @context: for @progress
 */
struct mp_recording_options {
	bool bins;
	bool stacks;
	struct mp_merge_ops ops;
	void (*progress)(void *context,
			 const struct mp_recording_progress *progress);
	void *context;
};

/**
 * mp_recording_read - read a recording and add it up
 * @recording: out; all zero when called
 * @path: of a file of perf or of memprofctl
 * @options: how
 *
 * If the file is damaged, what comes before the damage is in the profile, with a warning.
 *
 * Return: 0; -EBADMSG with @why, or another negative errno. mp_recording_free() follows in
 * any case.
 */
int mp_recording_read(struct mp_recording *recording, const char *path,
		      const struct mp_recording_options *options);

/** mp_recording_free - free all that it holds */
void mp_recording_free(struct mp_recording *recording);

#endif
