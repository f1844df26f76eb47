/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame-profile: turns a profile's stacks into a flame tree
 */
#ifndef MP_FLAME_PROFILE_H
#define MP_FLAME_PROFILE_H

#include "call-tree.h"
#include "flame.h"
#include "profile.h"
#include "stack-samples.h"

/**
 * struct mp_flame_input - what to add of a profile
 * @metrics: metrics to add
 * @nr: number of @metrics
 * @first: index of the value that the first metric is added to
 * @factor: 1 to add, -1 to subtract
 * @whose: MP_OWNER_* bits: frames for the owner, below which the stack begins
 * @name: writes the name of a function to @text, which has @size bytes; NULL:
 *	the name without a location is used
 */
struct mp_flame_input {
	const enum mp_metric *metrics;
	uint32_t nr;
	uint32_t first;
	int factor;
	unsigned int whose;
	void (*name)(const struct mp_profile *profile,
		     const struct mp_call_point *point, char *text,
		     size_t size);
};

/**
 * mp_flame_add - add samples of a profile
 * @samples: of @profile
 * @input: what to add
 *
 * Return: 0, or -ENOMEM.
 */
int mp_flame_add(struct mp_flame *flame, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_flame_input *input);

#endif
