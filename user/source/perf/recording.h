/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recording: a file as a source
 */
#ifndef MP_RECORDING_H
#define MP_RECORDING_H

#include "merge.h"
#include "profile.h"
#include "size-record.h"

#define MP_RECORDING_WHY_SIZE	200

/**
 * struct mp_recording - what a recording holds
 * @profile: what its events add up to
 * @tallies: the module's own sums, as JSON lines, where they were recorded: these
 *	are exact where the events are samples; or NULL
 * @tallies_size: bytes of them
 * @sizes: the last that processes and cgroups had; @profile's processes have them
 *	already
 * @why: what is wrong with the file
 */
struct mp_recording {
	struct mp_profile profile;
	char *tallies;
	size_t tallies_size;
	struct mp_sizes sizes;
	char why[MP_RECORDING_WHY_SIZE];
};

/**
 * struct mp_recording_progress - how far it is
 * @bytes: that were read
 * @all_bytes: that there are
 */
struct mp_recording_progress {
	uint64_t bytes;
	uint64_t all_bytes;
};

/**
 * struct mp_recording_options - how to read it; all zero is the least
 * @bins: keep histograms
 * @stacks: rows of stacks, too
 * @ops: of the engine
 * @progress: told now and then how far it is; or NULL
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
 * @path: of a file of perf's or of memprofctl's
 * @options: how
 *
 * What was read before a file's fault is in the profile, with a warning.
 *
 * Return: 0; -EBADMSG with why, or another negative errno; mp_recording_free()
 * follows in any case.
 */
int mp_recording_read(struct mp_recording *recording, const char *path,
		      const struct mp_recording_options *options);

/** mp_recording_free - free all that it holds */
void mp_recording_free(struct mp_recording *recording);

#endif
