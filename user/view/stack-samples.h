/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack-samples: lists stacks with their values, and values that belong to no stack
 */
#ifndef MP_STACK_SAMPLES_H
#define MP_STACK_SAMPLES_H

#include "profile.h"

/*
 * Names of rows without a stack: values of a process that no callsite has, and
 * values of callsites that were dropped because a table was full.
 */
#define MP_SAMPLE_REST	"[no callsite]"
#define MP_SAMPLE_DROPPED	"[dropped]"

/* Bits for frames that name the owner of a stack, outermost first, in this order. */
#define MP_OWNER_CGROUP		(1 << 0)
#define MP_OWNER_COMM		(1 << 1)
#define MP_OWNER_PID		(1 << 2)

/* Size of the buffer for a cgroup's path or a command name. Longer texts are cut. */
#define MP_OWNER_SIZE		512

/**
 * struct mp_stack_samples - rows whose sum is the profile's total; all zero means
 * empty
 * @rows: the profile's rows of stacks (of callsites if it has no stacks), followed
 *	by the rows of @made
 * @nr: number of @rows
 * @made: rows for the remainders of processes, and for dropped callsites
 */
struct mp_stack_samples {
	const struct mp_row **rows;
	size_t nr;
	struct mp_row *made;
};

/**
 * mp_stack_samples_gather - collect the rows of a profile
 * @profile: the profile; rows of callsites must not be merged over processes
 * @rests: also add the remainders of processes
 *
 * If a process's value is higher than the sum of its callsites, a row is added for
 * the remainder. Remainders include the values of dropped callsites; if these are
 * higher than all remainders, a row is added for the difference. The levels of
 * exited processes have no remainder. So the sum of all rows is the sum of the
 * processes, or of the callsites if that is higher. Peaks have no sum.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_gather(struct mp_stack_samples *samples,
			    const struct mp_profile *profile, bool rests);

/**
 * mp_stack_samples_unite - add up the rows of processes with the same name in one cgroup
 *
 * The rows have no process id afterwards.
 *
 * Return: 0, or -ENOMEM, and then nothing has changed.
 */
int mp_stack_samples_unite(struct mp_stack_samples *samples);

/** mp_stack_sample_name - name of a row without a stack; NULL if the row has a stack */
const char *mp_stack_sample_name(const struct mp_row *row);

/**
 * mp_stack_sample_owner - write the text of a frame for the owner of a row
 * @bit: one MP_OWNER_* bit; the text for MP_OWNER_PID includes the command name
 * @text: out: the text, printable; MP_OWNER_SIZE bytes
 *
 * Return: true, or false if the row has no such owner.
 */
bool mp_stack_sample_owner(const struct mp_profile *profile, const struct mp_row *row,
			   unsigned int bit, char *text);

/**
 * mp_stack_samples_total - sum of a metric over all rows
 *
 * Return: the sum; 0 for metrics of nature MP_PEAK.
 */
int64_t mp_stack_samples_total(const struct mp_stack_samples *samples, enum mp_metric metric);

/** mp_stack_samples_have - whether any row has a value of a metric that is not 0 */
bool mp_stack_samples_have(const struct mp_stack_samples *samples, enum mp_metric metric);

/** mp_stack_samples_free - free all memory; the object is empty afterwards */
void mp_stack_samples_free(struct mp_stack_samples *samples);

#endif
