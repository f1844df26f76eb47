/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callsites: which frame of a stack is its callsite
 */
#ifndef MP_CALLSITES_H
#define MP_CALLSITES_H

#include "profile.h"

/**
 * struct mp_callsites - functions that cannot be a callsite
 * @is_wrapper: whether a function, by its name, is an allocator or a wrapper of
 *	one
 * @is_wrapper_file: whether all functions of a binary are, by its path
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
 * @anew: rebuild all callsites from their stacks. Else unchanged callsites keep
 *	the engine's rows, whose peaks are exact
 *
 * The callsite is the first frame that is no wrapper. If functions are inlined
 * at that frame, it is the first of them that is no wrapper. If all frames are
 * wrappers, it is the innermost frame. The peak of a rebuilt callsite is the
 * highest peak of its stacks.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_callsites_choose(struct mp_profile *profile,
			const struct mp_callsites *callsites, bool anew);

#endif
