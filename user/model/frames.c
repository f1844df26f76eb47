// SPDX-License-Identifier: GPL-2.0-only
/*
 * frames: an array of frames and a hash map to their numbers
 *
 * A frame costs 24 bytes once, and 8 bytes in each stack. If memory is short, a
 * function fails and changes nothing.
 */
#include "frames.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t append(struct mp_frames *frames, const struct mp_frame *frame)
{
	if (frames->nr == frames->max &&
	    !mp_array_grow(&frames->list, &frames->max, sizeof(*frames->list)))
		return MP_FRAMES_NONE;
	frames->list[frames->nr] = *frame;
	return (uint32_t)frames->nr++;
}

uint32_t mp_frames_append(struct mp_frames *frames, uint32_t binary,
			  uint32_t pid, uint64_t offset)
{
	const struct mp_frame frame = {
		.binary = binary, .pid = binary ? 0 : pid, .offset = offset,
	};

	return append(frames, &frame);
}

uint32_t mp_frames_add(struct mp_frames *frames, uint32_t binary, uint32_t pid,
		       uint64_t offset)
{
	const struct mp_frame frame = {
		.binary = binary, .pid = binary ? 0 : pid, .offset = offset,
	};
	uint64_t whose = (uint64_t)frame.pid << 32 | binary;
	uint32_t *known = mp_map_add(&frames->by_location, whose, offset);

	if (!known)
		return MP_FRAMES_NONE;
	if (*known == MP_MAP_NEW)
		*known = append(frames, &frame);
	if (*known != MP_FRAMES_NONE)
		return *known;
	mp_map_remove(&frames->by_location, whose, offset);
	return MP_FRAMES_NONE;
}

struct mp_frames_stack mp_frames_stack(const struct mp_frames *frames,
				       uint32_t number)
{
	struct mp_frames_stack stack = { 0 };

	stack.list = mp_stacks_frames(&frames->stacks, number, &stack.nr);
	if (stack.nr && stack.list[stack.nr - 1] < MP_FRAMES_FIRST)
		stack.end = (uint32_t)stack.list[--stack.nr];
	return stack;
}

struct mp_frame *mp_frames_at(const struct mp_frames *frames, uint32_t stack,
			      uint32_t level)
{
	struct mp_frames_stack all = mp_frames_stack(frames, stack);

	return level < all.nr ?
	       &frames->list[all.list[level] - MP_FRAMES_FIRST] : NULL;
}

int mp_frames_copy(struct mp_frames *to, const struct mp_frames *from)
{
	to->list = malloc(from->max * sizeof(*to->list) + 1);
	if (!to->list || mp_map_copy(&to->by_location, &from->by_location) ||
	    mp_stacks_copy(&to->stacks, &from->stacks))
		return -ENOMEM;
	if (from->nr)
		memcpy(to->list, from->list, from->nr * sizeof(*to->list));
	to->nr = from->nr;
	to->max = from->max;
	to->nr_named = from->nr_named;
	return 0;
}

void mp_frames_free(struct mp_frames *frames)
{
	free(frames->list);
	mp_map_free(&frames->by_location);
	mp_stacks_free(&frames->stacks);
	*frames = (struct mp_frames){ 0 };
}
