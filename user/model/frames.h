/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames: the places in a profile's stacks, each once, and the stacks
 */
#ifndef MP_FRAMES_H
#define MP_FRAMES_H

#include "stacks.h"

#define MP_FRAMES_NONE	UINT32_MAX

/* Where the kernel is, on 64-bit machines. */
#define MP_KERNEL_START	(1ULL << 63)

/* In a stack, frames stand behind the marks of stacks.h. */
#define MP_FRAMES_FIRST	16

/**
 * struct mp_frame - a place that a stack leads through
 * @binary: in mp_profile.binaries, from 1; 0: in none
 * @pid: of an address in none, whose; 0: of several, or of one that is gone
 * @offset: in the binary's file, or the address
 * @first: of its lines in symbols
 * @nr: lines; 0: nothing is known
 */
struct mp_frame {
	uint32_t binary;
	uint32_t pid;
	uint64_t offset;
	uint32_t first;
	uint32_t nr;
};

/**
 * struct mp_frames - all of them; all zero is none
 * @list: frames by number
 * @nr_named: frames, from the first on, whose names were looked up
 * @stacks: lists of frames, innermost first, each number above MP_FRAMES_FIRST
 */
struct mp_frames {
	struct mp_frame *list;
	size_t nr, max;
	size_t nr_named;
	struct mp_map by_location;
	struct mp_stacks stacks;
};

/**
 * mp_frames_add - the number of a place, a new one if it is not known
 *
 * Return: the number, or MP_FRAMES_NONE without memory.
 */
uint32_t mp_frames_add(struct mp_frames *frames, uint32_t binary, uint32_t pid,
		       uint64_t offset);

/**
 * mp_frames_append - the same, for one that has its number already
 *
 * There may be another one of its place, and mp_frames_add() will not find it.
 *
 * Return: the number, the next one, or MP_FRAMES_NONE without memory.
 */
uint32_t mp_frames_append(struct mp_frames *frames, uint32_t binary,
			  uint32_t pid, uint64_t offset);

/**
 * struct mp_frames_stack - a stack, to walk
 * @list: frames; subtract MP_FRAMES_FIRST
 * @nr: of them
 * @end: MP_STACKS_BEGIN, MP_STACKS_CUT, or 0: not known
 */
struct mp_frames_stack {
	const uint64_t *list;
	uint32_t nr;
	uint32_t end;
};

/** mp_frames_stack - a stack by its number; valid until the next addition */
struct mp_frames_stack mp_frames_stack(const struct mp_frames *frames,
				       uint32_t number);

/** mp_frames_at - the frame at a level of a stack, 0 the innermost; or NULL */
struct mp_frame *mp_frames_at(const struct mp_frames *frames, uint32_t stack,
			      uint32_t level);

/** mp_frame_is_gap - whether it stands for frames that are missing */
static inline bool mp_frame_is_gap(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset == MP_STACKS_GAP;
}

/** mp_frame_is_mapping - whether it says that what its stack made is a mapping */
static inline bool mp_frame_is_mapping(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset == MP_STACKS_MAPPING;
}

/** mp_frame_is_mark - whether it is no code, but says something of its stack */
static inline bool mp_frame_is_mark(const struct mp_frame *frame)
{
	return mp_frame_is_gap(frame) || mp_frame_is_mapping(frame);
}

/** mp_frame_is_kernel - whether it is code of the kernel's */
static inline bool mp_frame_is_kernel(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset >= MP_KERNEL_START;
}

/** mp_frames_copy - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_frames_copy(struct mp_frames *to, const struct mp_frames *from);

/** mp_frames_free - free all; none is left afterwards */
void mp_frames_free(struct mp_frames *frames);

#endif
