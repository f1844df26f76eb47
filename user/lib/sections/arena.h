/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * arena.h: memory of one thread.
 *
 * It does not use malloc: a signal handler may have interrupted malloc, and a
 * program's own malloc may be what is measured.
 */
#ifndef MEMPROF_ARENA_H
#define MEMPROF_ARENA_H

#include <stddef.h>

/* Powers of two, from 16 bytes on. */
#define MP_ARENA_CLASSES 24

/* An empty arena: all fields are zero except base and size. */
struct mp_arena {
	char *base;
	size_t size, used;
	void *free[MP_ARENA_CLASSES];
};

void *mp_arena_resize(void *arena, void *old, size_t old_size, size_t size);

#endif
