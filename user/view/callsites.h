/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callsites: finds the frame of each stack that is its callsite
 */
#ifndef MP_CALLSITES_H
#define MP_CALLSITES_H

#include "profile.h"

/**
 * struct mp_callsites - functions that cannot be a callsite
 * @is_wrapper: whether the function of a name is an allocator, or a wrapper of an
 *	allocator
 * @is_wrapper_file: whether all functions in the binary of a path are such functions
 * @context: passed to both callbacks
 */
struct mp_callsites {
	bool (*is_wrapper)(void *context, const char *name);
	bool (*is_wrapper_file)(void *context, const char *path);
	void *context;
};

/**
 * mp_callsites_frames - add a stack of one frame to each callsite without a
 * stack
 *
 * Return: 0, or -ENOMEM.
 */
int mp_callsites_frames(struct mp_profile *profile);

/**
 * mp_callsites_choose - find the callsite of each stack, using symbols
 * @anew: rebuild all callsites from their stacks. If false, callsites that do not
 *	change keep the engine's rows, whose peaks are exact
 *
 * The callsite is the innermost function of a program that an interpreter runs, if the
 * stack has one. Else it is the innermost function that is not a wrapper; it may be an inlined
 * function. If all functions are wrappers, the callsite is the innermost frame. The
 * peak of a rebuilt callsite is the highest peak of its stacks.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_callsites_choose(struct mp_profile *profile,
			const struct mp_callsites *callsites, bool anew);

#endif
