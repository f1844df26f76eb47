/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaves: what stacks end in, with what no stack accounts for
 */
#ifndef MP_STACK_SAMPLES_H
#define MP_STACK_SAMPLES_H

#include "profile.h"

/* Of a process, but of none of its callsites; and of callsites, but of which? */
#define MP_SAMPLE_REST	"[no callsite]"
#define MP_SAMPLE_DROPPED	"[dropped]"

/* Whose a stack is, as frames that come before its own; in this order. */
#define MP_OWNER_CGROUP		(1 << 0)
#define MP_OWNER_COMM		(1 << 1)
#define MP_OWNER_PID		(1 << 2)

/* Room for a cgroup's path or a command's name, cut to it. */
#define MP_OWNER_SIZE		512

/**
 * struct mp_stack_samples - rows whose sums are those of the profile; all zero is none
 * @rows: the profile's finest ones, and those made here
 * @nr: how many
 * @made: a rest for each process, and what callsites dropped
 */
struct mp_stack_samples {
	const struct mp_row **rows;
	size_t nr;
	struct mp_row *made;
};

/**
 * mp_stack_samples_gather - find them
 * @profile: in which rows of callsites are told apart by process
 * @rests: what processes have besides their callsites is wanted, too
 *
 * Where a process has more of a metric than its callsites have together, a row
 * has the rest. Callsites that found the table full are in those rests; where
 * there are none, or less, they have a row. What exited processes held last is
 * no rest. A sum over all rows is then that of the processes, or of the callsites
 * where these have more; peaks have no sum.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_stack_samples_gather(struct mp_stack_samples *samples,
		     const struct mp_profile *profile, bool rests);

/** mp_stack_sample_name - what a row without a stack is called; NULL of one with a stack */
const char *mp_stack_sample_name(const struct mp_row *row);

/**
 * mp_stack_sample_owner - a frame that says whose a row is
 * @bit: MP_OWNER_*; that of a pid has the name as well
 * @text: out, printable, MP_OWNER_SIZE bytes
 *
 * Return: whether there is one.
 */
bool mp_stack_sample_owner(const struct mp_profile *profile, const struct mp_row *row,
		   unsigned int bit, char *text);

/**
 * mp_stack_samples_total - the sum of a metric
 *
 * Return: 0 for metrics of nature MP_PEAK.
 */
int64_t mp_stack_samples_total(const struct mp_stack_samples *samples, enum mp_metric metric);

/** mp_stack_samples_free - free all; none is left afterwards */
void mp_stack_samples_free(struct mp_stack_samples *samples);

#endif
