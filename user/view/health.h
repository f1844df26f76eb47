/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * health: measures how complete the stacks of a profile are
 */
#ifndef MP_HEALTH_H
#define MP_HEALTH_H

#include "profile.h"

/**
 * struct mp_health - numbers for all samples with a stack
 * @nr: number of samples
 * @nr_shallow: number of samples whose stack has missing frames, or does not reach
 *	the first function of the thread. The unwinder reports whether it does. For
 *	a frame-pointer chain the name of the outermost function decides
 * @nr_deep: number of these that are cut only because they are deep: what called the
 *	program's functions is missing, but no function near the callsite
 * @min_depth: lowest number of frames
 * @mean_depth: mean number of frames
 * @rate: @nr_shallow / @nr, 0 to 1
 * @unknown: the same without @nr_deep
 * @confidence: "high" if less than 5 % is unknown, "medium" up to 20 %, "low" above:
 *	@unknown and the share of lost events
 */
struct mp_health {
	uint64_t nr;
	uint64_t nr_shallow;
	uint64_t nr_deep;
	uint32_t min_depth;
	double mean_depth;
	double rate, unknown;
	const char *confidence;
};

/**
 * mp_health_of - compute how complete the stacks of a profile are
 * @health: out: the numbers
 *
 * Return: true; false if no stack has more than its callsite.
 */
bool mp_health_of(const struct mp_profile *profile, struct mp_health *health);

#endif
