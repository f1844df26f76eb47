/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apart: work on strangers' files in a child process with bounds
 */
#ifndef MP_APART_H
#define MP_APART_H

#include <stdbool.h>
#include <stddef.h>

#define MP_APART_WHY_SIZE	240

/**
 * mp_apart_run - do something in a child, and take over its result
 * @work: what; changes @result, in the child
 * @context: for it
 * @result: in and out; without pointers
 * @size: bytes of it
 * @why: out, MP_APART_WHY_SIZE bytes: what went wrong, for people
 *
 * A file that makes a library crash, loop or eat memory ends the child and
 * nothing else.
 *
 * Return: whether the child came to its end; if not, @result is unchanged or,
 * where the child was killed while it sent its own, undefined.
 */
bool mp_apart_run(void (*work)(void *context, void *result), void *context,
		  void *result, size_t size, char *why);

#endif
