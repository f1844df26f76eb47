/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame-profile: a profile's stacks as a flame tree
 */
#ifndef MP_FLAME_PROFILE_H
#define MP_FLAME_PROFILE_H

#include "call-tree.h"
#include "flame.h"
#include "profile.h"
#include "stack-samples.h"

/**
 * struct mp_flame_input - what to add of a profile
 * @metrics: one for each value
 * @nr: of them
 * @first: the value that the first metric is added to
 * @factor: 1, or -1 to take away
 * @whose: MP_OWNER_* bits: frames that stacks begin with
 * @name: what a function in a stack is called, @size bytes at @text; NULL: by its
 *	name alone
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
 * mp_flame_add - add rows of a profile
 * @samples: of @profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_flame_add(struct mp_flame *flame, const struct mp_profile *profile,
		 const struct mp_stack_samples *samples,
		 const struct mp_flame_input *input);

#endif
