/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frames: stores the distinct frames of a profile, and its stacks
 */
#ifndef MP_FRAMES_H
#define MP_FRAMES_H

#include "stacks.h"

#define MP_FRAMES_NONE	UINT32_MAX

/* Addresses from here on are the kernel's, on 64-bit machines. */
#define MP_KERNEL_START	(1ULL << 63)

/*
 * Value of frame number 0 in a stack. Smaller values in a stack are marks, see
 * stacks.h.
 */
#define MP_FRAMES_FIRST	16

/**
 * struct mp_frame - a code location in a stack
 * @binary: number in mp_profile.binaries, from 1; 0: code in no file
 * @pid: process id, for code in no file; 0: several processes, or an exited one
 * @offset: offset in the file; for code in no file the address
 * @first: number of the frame's first line in mp_profile.symbols
 * @nr: number of the frame's lines; 0: no symbol is known
 */
struct mp_frame {
	uint32_t binary;
	uint32_t pid;
	uint64_t offset;
	uint32_t first;
	uint32_t nr;
};

/**
 * struct mp_frames - all frames; all zero means empty
 * @list: frames by number
 * @nr_named: the symbols of all frames below this number were looked up
 * @stacks: stacks of frames, innermost first; each value is a frame's number
 *	plus MP_FRAMES_FIRST
 */
struct mp_frames {
	struct mp_frame *list;
	size_t nr, max;
	size_t nr_named;
	struct mp_map by_location;
	struct mp_stacks stacks;
};

/**
 * mp_frames_add - find or add a frame
 *
 * Return: its number, or MP_FRAMES_NONE if memory is short.
 */
uint32_t mp_frames_add(struct mp_frames *frames, uint32_t binary, uint32_t pid,
		       uint64_t offset);

/**
 * mp_frames_append - add a frame without a search
 *
 * Another frame may have the same location. mp_frames_add() does not find the
 * appended frame.
 *
 * Return: number of the frame, the highest so far, or MP_FRAMES_NONE if memory is
 * short.
 */
uint32_t mp_frames_append(struct mp_frames *frames, uint32_t binary,
			  uint32_t pid, uint64_t offset);

/**
 * struct mp_frames_stack - the frames of one stack
 * @list: numbers of frames plus MP_FRAMES_FIRST
 * @nr: number of frames
 * @end: how the stack ends: MP_STACKS_BEGIN, MP_STACKS_CUT, or 0: not known
 */
struct mp_frames_stack {
	const uint64_t *list;
	uint32_t nr;
	uint32_t end;
};

/** mp_frames_stack - get a stack by its number; valid until the next addition */
struct mp_frames_stack mp_frames_stack(const struct mp_frames *frames,
				       uint32_t number);

/** mp_frames_at - get the frame at a level of a stack, or NULL; level 0 is innermost */
struct mp_frame *mp_frames_at(const struct mp_frames *frames, uint32_t stack,
			      uint32_t level);

/** mp_frame_is_gap - whether a frame is only a mark for missing frames */
static inline bool mp_frame_is_gap(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset == MP_STACKS_GAP;
}

/** mp_frame_is_mapping - whether a frame marks the stack that created a mapping */
static inline bool mp_frame_is_mapping(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset == MP_STACKS_MAPPING;
}

/** mp_frame_is_mark - whether a frame is a mark and not code */
static inline bool mp_frame_is_mark(const struct mp_frame *frame)
{
	return mp_frame_is_gap(frame) || mp_frame_is_mapping(frame);
}

/**
 * mp_address_is_trampoline - whether code at an address is the kernel's return trampoline
 *
 * It is in the place of a return address while a function runs on whose return a probe is, and
 * is no function's. The kernel places it in the highest page of the address space, on x86-64
 * and on arm64, unless it is taken.
 */
static inline bool mp_address_is_trampoline(uint64_t address)
{
	const uint64_t page = address & ~0xfffULL;

	return page == 0x7fffffffe000 || page == 0xffffffffffe000 ||
	       page == 0xfffffffff000 || page == 0xffffffffff000;
}

/** mp_frame_is_kernel - whether a frame is kernel code */
static inline bool mp_frame_is_kernel(const struct mp_frame *frame)
{
	return !frame->binary && frame->offset >= MP_KERNEL_START;
}

/** mp_frames_copy - copy everything to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_frames_copy(struct mp_frames *to, const struct mp_frames *from);

/** mp_frames_free - free all memory; the object is empty afterwards */
void mp_frames_free(struct mp_frames *frames);

#endif
