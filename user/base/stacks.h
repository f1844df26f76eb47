/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks: lists of addresses, each once, by number
 */
#ifndef MP_STACKS_H
#define MP_STACKS_H

#include "map.h"

#include <stdbool.h>

/* Frames of a stack that are kept. */
#define MP_STACKS_DEPTH	128

#define MP_STACKS_NONE	UINT32_MAX

/*
 * In place of a last frame: what is known of the end. The unwinder came to where
 * the thread began, or it could not go on.
 */
#define MP_STACKS_BEGIN	1
#define MP_STACKS_CUT	2

/* In place of frames that are missing: a chain of frame pointers went by them. */
#define MP_STACKS_GAP	3

/* In front of the frames of a mapping, where others are of the heap. */
#define MP_STACKS_MAPPING	4

struct mp_stack {
	uint64_t first;			/* in frames; of a free one, the next */
	uint32_t nr;
	bool is_free;
};

/**
 * struct mp_stacks - all of them; all zero is none
 * @list: by number
 * @nr: numbers that were given out
 * @nr_free: of them, that were taken back
 * @frames: of all, innermost first
 */
struct mp_stacks {
	struct mp_stack *list;
	size_t nr, max;
	size_t nr_free;
	uint64_t free;			/* the first, if there is one */
	uint64_t *frames;
	size_t nr_frames, max_frames;
	struct mp_map by_hash;
};

/**
 * mp_stacks_add - the number of a stack, a new one if it is not known
 * @frames: innermost first
 * @nr: how many; those beyond MP_STACKS_DEPTH are cut
 *
 * Return: the number, or MP_STACKS_NONE without memory.
 */
uint32_t mp_stacks_add(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr);

/** mp_stacks_frames - the addresses of a stack; valid until the next addition */
static inline const uint64_t *mp_stacks_frames(const struct mp_stacks *stacks,
					       uint32_t number, uint32_t *nr)
{
	*nr = stacks->list[number].nr;
	return stacks->frames + stacks->list[number].first;
}

/**
 * mp_stacks_sweep - forget the stacks that nobody asks about any more
 * @marks: by number, of those that are still in use
 *
 * Their numbers are given out again. The others keep theirs.
 *
 * Return: 0, or -ENOMEM and nothing has changed.
 */
int mp_stacks_sweep(struct mp_stacks *stacks, const bool *marks);

/** mp_stacks_copy - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_stacks_copy(struct mp_stacks *to, const struct mp_stacks *from);

/** mp_stacks_free - free all; none is left afterwards */
void mp_stacks_free(struct mp_stacks *stacks);

#endif
