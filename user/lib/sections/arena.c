// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A mapping that is handed out from its begin on, in powers of two; what comes back
 * waits in a list of its size. Some 5 ns. When the mapping is used up, it is.
 */
#include "arena.h"

#include <string.h>

static unsigned int class_of(size_t size)
{
	unsigned int class = 0;

	while (class < MP_ARENA_CLASSES && (size_t)16 << class < size)
		class++;
	return class;
}

static void put(struct mp_arena *arena, void *old, size_t size)
{
	unsigned int class = class_of(size);

	*(void **)old = arena->free[class];
	arena->free[class] = old;
}

static void *take(struct mp_arena *arena, size_t size)
{
	unsigned int class = class_of(size);
	void *room;

	if (class == MP_ARENA_CLASSES)
		return NULL;
	room = arena->free[class];
	if (room) {
		arena->free[class] = *(void **)room;
		return room;
	}
	size = (size_t)16 << class;
	if (size > arena->size - arena->used)
		return NULL;
	room = arena->base + arena->used;
	arena->used += size;
	return room;
}

/**
 * mp_arena_resize() - like realloc(); as struct mp_sections_memory wants it
 * @arena: struct mp_arena
 * @old: of @old_size bytes, or NULL
 * @size: 0 frees
 *
 * Return: memory, or NULL; @old is as it was then.
 */
void *mp_arena_resize(void *arena, void *old, size_t old_size, size_t size)
{
	void *room = size ? take(arena, size) : NULL;

	if (old && room)
		memcpy(room, old, old_size < size ? old_size : size);
	if (old && (room || !size))
		put(arena, old, old_size);
	return room;
}
