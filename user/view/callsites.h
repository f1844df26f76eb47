/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * callsites: which frame of a stack stands for it
 */
#ifndef MP_CALLSITES_H
#define MP_CALLSITES_H

#include "profile.h"

/**
 * struct mp_callsites - what a callsite is not
 * @is_wrapper: whether a function, by its name, hands on what it gets from an
 *	allocator, or is one
 * @is_wrapper_file: whether all of a binary's do, by its path
 * @context: for both
 */
struct mp_callsites {
	bool (*is_wrapper)(void *context, const char *name);
	bool (*is_wrapper_file)(void *context, const char *path);
	void *context;
};

/**
 * mp_callsites_frames - give a stack of one frame to callsites that have none
 *
 * Return: 0, or -ENOMEM.
 */
int mp_callsites_frames(struct mp_profile *profile);

/**
 * mp_callsites_choose - find the callsite of each stack, now that frames have
 * names
 * @anew: make all callsites of their stacks; else those that are the same stay
 *	as the engine made them, whose peaks are exact
 *
 * The callsite is the first frame that is no wrapper's, and of the functions that
 * are inlined there the first that is none. Where all are wrappers the innermost
 * frame is all there is. Peaks of callsites made here are those of the stack with
 * the highest.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_callsites_choose(struct mp_profile *profile,
			const struct mp_callsites *callsites, bool anew);

#endif
