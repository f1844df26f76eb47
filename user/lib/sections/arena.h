/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h: allocates memory for one thread, without malloc.
 *
 * malloc cannot be used: a signal handler may have interrupted it, or a section may
 * measure the program's own malloc.
 */
#ifndef MEMPROF_ARENA_H
#define MEMPROF_ARENA_H

#include <stddef.h>

/* Number of block sizes, which are powers of two from 16 bytes on. */
#define MP_ARENA_CLASSES 24

/* An arena. To initialise it, set base and size, and all other fields to zero. */
struct mp_arena {
	char *base;
	size_t size, used;
	void *free[MP_ARENA_CLASSES];
};

void *mp_arena_resize(void *arena, void *old, size_t old_size, size_t size);

#endif
