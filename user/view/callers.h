/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callers: divides what a function allocated among the functions that called it
 */
#ifndef MP_CALLERS_H
#define MP_CALLERS_H

#include "profile.h"

/* Callers that are told apart. What more of them hold is not counted. */
#define MP_CALLERS_MAX	32

/**
 * struct mp_callers - the callers of one function
 * @rows: for each, the row of the stack with most bytes of @held, whose location is the
 *	caller; its values are sums of all stacks
 * @nr: number of @rows
 */
struct mp_callers {
	struct mp_row rows[MP_CALLERS_MAX];
	size_t nr;
};

/**
 * mp_callers_find - add up the stacks in which a function is the callsite
 * @profile: has rows of stacks, with symbols
 * @location: the function, by any of its callsites
 * @pid: of the stacks; 0: all of the profile
 * @depth: 1: the callers of the function; 2: their callers, and so on
 * @held: the metric by which a stack is chosen to stand for its caller
 *
 * A caller is the next function outwards with another name; of an interpreted function,
 * the next interpreted one. Functions without a name, of stripped programs, are passed over.
 */
void mp_callers_find(const struct mp_profile *profile, const struct mp_location *location,
		     uint32_t pid, unsigned int depth, enum mp_metric held,
		     struct mp_callers *callers);

#endif
