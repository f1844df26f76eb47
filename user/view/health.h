/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * health: how whole the stacks of a profile are
 */
#ifndef MP_HEALTH_H
#define MP_HEALTH_H

#include "profile.h"

/**
 * struct mp_health - of all samples that have a stack
 * @nr: samples
 * @nr_shallow: of them, whose stack does not reach a thread's first function:
 *	the unwinder says so or, of chains of frame pointers, which say nothing,
 *	their last function is none that begins a thread; or frames are missing
 * @min_depth: frames
 * @mean_depth: frames
 * @rate: share of those that are shallow, 0 to 1
 * @confidence: "high" below 5 %, "medium" up to 20 %, "low" above
 */
struct mp_health {
	uint64_t nr;
	uint64_t nr_shallow;
	uint32_t min_depth;
	double mean_depth;
	double rate;
	const char *confidence;
};

/**
 * mp_health_of - look at all stacks
 * @health: out
 *
 * Return: whether there are stacks of more than callsites.
 */
bool mp_health_of(const struct mp_profile *profile, struct mp_health *health);

#endif
