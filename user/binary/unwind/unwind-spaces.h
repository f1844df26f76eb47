/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind-spaces: unwinds by libdwfl, with one Dwfl per address space
 */
#ifndef MP_UNWIND_SPACES_H
#define MP_UNWIND_SPACES_H

#include "unwind.h"
#include "unwind-walk.h"

/**
 * mp_unwind_spaces_at - get a process's address space
 *
 * Return: NULL without memory, or without time to read what the process has mapped.
 */
struct mp_unwind_space *mp_unwind_spaces_at(struct mp_unwind *unwind,
					    struct mp_merge *merge, uint32_t process);

/** mp_unwind_spaces_walk - unwind a sample. Return: whether the stack is whole */
bool mp_unwind_spaces_walk(struct mp_unwind *unwind, struct mp_unwind_space *space,
			   struct mp_unwind_walk *walk);

/** mp_unwind_spaces_close - close all address spaces, and the files that they use */
void mp_unwind_spaces_close(struct mp_unwind *unwind);

#endif
