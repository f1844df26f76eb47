/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks: stores each list of addresses once and gives it a number
 */
#ifndef MP_STACKS_H
#define MP_STACKS_H

#include "map.h"

#include <stdbool.h>

/* Limit of frames per stack. */
#define MP_STACKS_DEPTH	128

#define MP_STACKS_NONE	UINT32_MAX

/*
 * Marks for the end of a stack, in place of the last frame. BEGIN: the unwinder
 * reached the first function of the thread. CUT: it could not continue.
 */
#define MP_STACKS_BEGIN	1
#define MP_STACKS_CUT	2

/* A mark in a stack: a frame-pointer chain skipped a caller here. */
#define MP_STACKS_GAP	3

/* A mark as the first frame of a stack: the stack created a mapping. */
#define MP_STACKS_MAPPING	4

struct mp_stack {
	uint64_t first;			/* index in frames; if is_free: next free number */
	uint32_t nr;
	bool is_free;
};

/**
 * struct mp_stacks - all stacks; all zero means empty
 * @list: the stacks, by number
 * @nr: number of elements in @list, in use or free
 * @nr_free: number of free elements
 * @frames: frames of all stacks, innermost first
 */
struct mp_stacks {
	struct mp_stack *list;
	size_t nr, max;
	size_t nr_free;
	uint64_t free;			/* first free number, if nr_free is not 0 */
	uint64_t *frames;
	size_t nr_frames, max_frames;
	struct mp_map by_hash;
};

/**
 * mp_stacks_add - find or add a stack
 * @frames: innermost first
 * @nr: number of @frames; frames beyond MP_STACKS_DEPTH are dropped
 *
 * Return: its number, or MP_STACKS_NONE if memory is short.
 */
uint32_t mp_stacks_add(struct mp_stacks *stacks, const uint64_t *frames,
		       uint32_t nr);

/** mp_stacks_frames - get the addresses of a stack; valid until the next addition */
static inline const uint64_t *mp_stacks_frames(const struct mp_stacks *stacks,
					       uint32_t number, uint32_t *nr)
{
	*nr = stacks->list[number].nr;
	return stacks->frames + stacks->list[number].first;
}

/**
 * mp_stacks_sweep - free the stacks that are not in use
 * @marks: for each stack number: true if the stack is in use
 *
 * mp_stacks_add() uses the freed numbers again. All other numbers stay valid.
 *
 * Return: 0, or -ENOMEM if memory is short; nothing changes then.
 */
int mp_stacks_sweep(struct mp_stacks *stacks, const bool *marks);

/** mp_stacks_copy - copy everything to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_stacks_copy(struct mp_stacks *to, const struct mp_stacks *from);

/** mp_stacks_free - free all memory; the object is empty afterwards */
void mp_stacks_free(struct mp_stacks *stacks);

#endif
