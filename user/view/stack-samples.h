/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack-samples: stacks with their values, and values that belong to no stack
 */
#ifndef MP_STACK_SAMPLES_H
#define MP_STACK_SAMPLES_H

#include "profile.h"

/*
 * Names for values of a process without a callsite, and for callsites that were
 * dropped because a table was full.
 */
#define MP_SAMPLE_REST	"[no callsite]"
#define MP_SAMPLE_DROPPED	"[dropped]"

/* Frames for the owner of a stack. They come before its own, in this order. */
#define MP_OWNER_CGROUP		(1 << 0)
#define MP_OWNER_COMM		(1 << 1)
#define MP_OWNER_PID		(1 << 2)

/* Size of a cgroup's path or a command name. Longer ones are cut. */
#define MP_OWNER_SIZE		512

/**
 * struct mp_stack_samples - rows that add up to the profile; all zero means
 * empty
 * @rows: the profile's rows of stacks, or of callsites if it has no stacks;
 *	then @made
 * @nr: number of @rows
 * @made: a remainder for each process, and one for dropped callsites
 */
struct mp_stack_samples {
	const struct mp_row **rows;
	size_t nr;
	struct mp_row *made;
};

/**
 * mp_stack_samples_gather - collect the rows of a profile
 * @profile: its callsites must be separate for each process
 * @rests: also add the remainders of processes
 *
 * If a process has more of a metric than its callsites together, a row is added
 * for the remainder. Dropped callsites are part of these remainders; a row is
 * added for what exceeds them. The levels of exited processes have no
 * remainder. So the sum of all rows is the sum of the processes, or of the
 * callsites if that is higher. Peaks have no sum.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_gather(struct mp_stack_samples *samples,
			    const struct mp_profile *profile, bool rests);

/** mp_stack_sample_name - name of a row without a stack; NULL for one with a stack */
const char *mp_stack_sample_name(const struct mp_row *row);

/**
 * mp_stack_sample_owner - text of a frame for the owner of a row
 * @bit: MP_OWNER_*; MP_OWNER_PID includes the command name
 * @text: out, printable, MP_OWNER_SIZE bytes
 *
 * Return: whether the row has such an owner.
 */
bool mp_stack_sample_owner(const struct mp_profile *profile, const struct mp_row *row,
			   unsigned int bit, char *text);

/**
 * mp_stack_samples_total - sum of a metric
 *
 * Return: the sum; 0 for metrics of nature MP_PEAK.
 */
int64_t mp_stack_samples_total(const struct mp_stack_samples *samples, enum mp_metric metric);

/** mp_stack_samples_have - whether a metric of any row is not 0 */
bool mp_stack_samples_have(const struct mp_stack_samples *samples, enum mp_metric metric);

/** mp_stack_samples_free - free all; the result is empty */
void mp_stack_samples_free(struct mp_stack_samples *samples);

#endif
