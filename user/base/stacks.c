// SPDX-License-Identifier: GPL-2.0-only
/*
 * stacks: finds stacks by their hash, like names.c
 *
 * A stack costs 16 bytes, and 8 bytes per frame. A sweep copies all stacks that
 * are in use. If memory is short, a function fails and changes nothing.
 */
#include "stacks.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const struct mp_stacks *stacks, uint32_t number,
		    const uint64_t *frames, uint32_t nr)
{
	uint32_t known_nr;
	const uint64_t *known = mp_stacks_frames(stacks, number, &known_nr);

	return known_nr == nr &&
	       (!nr || !memcmp(known, frames, nr * sizeof(*frames)));
}

static bool reserve(struct mp_stacks *stacks, uint32_t nr)
{
	if (stacks->nr == stacks->max && !stacks->nr_free &&
	    !mp_array_grow(&stacks->list, &stacks->max, sizeof(*stacks->list)))
		return false;
	while (stacks->nr_frames + nr > stacks->max_frames)
		if (!mp_array_grow(&stacks->frames, &stacks->max_frames,
				   sizeof(*stacks->frames)))
			return false;
	return true;
}

static uint32_t append(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr)
{
	uint32_t number;

	if (!reserve(stacks, nr))
		return MP_STACKS_NONE;
	if (stacks->nr_free) {
		number = (uint32_t)stacks->free;
		stacks->free = stacks->list[number].first;
		stacks->nr_free--;
	} else {
		number = (uint32_t)stacks->nr++;
	}
	stacks->list[number] = (struct mp_stack){
		.first = stacks->nr_frames, .nr = nr,
	};
	if (nr)
		memcpy(stacks->frames + stacks->nr_frames, frames,
		       nr * sizeof(*frames));
	stacks->nr_frames += nr;
	return number;
}

static uint64_t hash_of(const uint64_t *frames, uint32_t nr)
{
	uint64_t hash = nr;
	uint32_t i;

	for (i = 0; i < nr; i++)
		hash = mp_map_hash(hash, frames[i]);
	return hash;
}

uint32_t mp_stacks_add(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr)
{
	uint64_t hash, n;
	uint32_t *known;

	if (nr > MP_STACKS_DEPTH)
		nr = MP_STACKS_DEPTH;
	hash = hash_of(frames, nr);
	for (n = 0;; n++) {
		known = mp_map_add(&stacks->by_hash, hash, n);
		if (!known)
			return MP_STACKS_NONE;
		if (*known == MP_MAP_NEW)
			break;
		if (is_same(stacks, *known, frames, nr))
			return *known;
	}
	*known = append(stacks, frames, nr);
	if (*known == MP_STACKS_NONE) {
		mp_map_remove(&stacks->by_hash, hash, n);
		return MP_STACKS_NONE;
	}
	return *known;
}

/* Copies a stack into the new array during a sweep. */
static bool copy_stack(struct mp_map *by_hash, uint64_t *frames, size_t nr_frames,
		       const struct mp_stacks *stacks, uint32_t number)
{
	const struct mp_stack *stack = &stacks->list[number];
	const uint64_t *from = stacks->frames + stack->first;
	uint64_t hash = hash_of(from, stack->nr), n;
	uint32_t *known;

	for (n = 0;; n++) {
		known = mp_map_add(by_hash, hash, n);
		if (!known)
			return false;
		if (*known == MP_MAP_NEW)
			break;
	}
	*known = number;
	if (stack->nr)
		memcpy(frames + nr_frames, from, stack->nr * sizeof(*from));
	return true;
}

/* Ends a sweep: sets the new offsets of stacks, and rebuilds the list of free numbers. */
static void renumber(struct mp_stacks *stacks, const bool *marks)
{
	size_t at = 0, i;

	stacks->nr_free = 0;
	for (i = 0; i < stacks->nr; i++) {
		struct mp_stack *stack = &stacks->list[i];

		stack->is_free |= !marks[i];
		if (stack->is_free) {
			stack->nr = 0;
			stack->first = stacks->free;
			stacks->free = i;
			stacks->nr_free++;
			continue;
		}
		stack->first = at;
		at += stack->nr;
	}
	stacks->nr_frames = at;
}

int mp_stacks_sweep(struct mp_stacks *stacks, const bool *marks)
{
	struct mp_map by_hash = { 0 };
	uint64_t *frames;
	size_t i, at = 0;

	if (!stacks->nr)
		return 0;
	frames = reallocarray(NULL, stacks->max_frames, sizeof(*frames));
	for (i = 0; frames && i < stacks->nr; i++) {
		if (!marks[i] || stacks->list[i].is_free)
			continue;
		if (!copy_stack(&by_hash, frames, at, stacks, (uint32_t)i)) {
			free(frames);
			frames = NULL;
			break;
		}
		at += stacks->list[i].nr;
	}
	if (!frames) {
		mp_map_free(&by_hash);
		return -ENOMEM;
	}
	free(stacks->frames);
	stacks->frames = frames;
	mp_map_free(&stacks->by_hash);
	stacks->by_hash = by_hash;
	renumber(stacks, marks);
	return 0;
}

int mp_stacks_copy(struct mp_stacks *to, const struct mp_stacks *from)
{
	*to = *from;
	to->list = malloc(from->max * sizeof(*to->list) + 1);
	to->frames = malloc(from->max_frames * sizeof(*to->frames) + 1);
	if (mp_map_copy(&to->by_hash, &from->by_hash) ||
	    !to->list || !to->frames)
		return -ENOMEM;
	if (from->nr)
		memcpy(to->list, from->list, from->nr * sizeof(*to->list));
	if (from->nr_frames)
		memcpy(to->frames, from->frames,
		       from->nr_frames * sizeof(*to->frames));
	return 0;
}

void mp_stacks_free(struct mp_stacks *stacks)
{
	free(stacks->list);
	free(stacks->frames);
	mp_map_free(&stacks->by_hash);
	*stacks = (struct mp_stacks){ 0 };
}
