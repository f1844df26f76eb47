// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-kind: replaces stacks by stacks of some of their frames
 *
 * The cost is a pass over the rows. Functions fail with -ENOMEM only.
 */
#include "frame-kind.h"
#include "frame-language.h"

#include <errno.h>

bool mp_frame_is_interpreted(const struct mp_profile *profile,
			     const struct mp_frame *frame)
{
	return frame->nr == 1 && mp_languages[mp_frame_language(profile, frame)].binary;
}

static int keep_in(struct mp_profile *profile, struct mp_location *location,
		   bool interpreted)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t i, nr = 0, level = 0, number;

	for (i = 0; i < stack.nr && nr < MP_STACKS_DEPTH - 1; i++) {
		if (mp_frame_is_interpreted(profile, &profile->frames.list[stack.list[i] -
					    MP_FRAMES_FIRST]) != interpreted)
			continue;
		level += i < location->level;
		frames[nr++] = stack.list[i];
	}
	if (!nr || nr == stack.nr)
		return 0;
	if (stack.end)
		frames[nr++] = stack.end;
	number = mp_stacks_add(&profile->frames.stacks, frames, nr);
	if (number == MP_STACKS_NONE)
		return -ENOMEM;
	location->stack = number + 1;
	location->level = level < nr ? level : 0;
	location->line = 0;
	return 0;
}

int mp_frame_kind_keep(struct mp_profile *profile, bool interpreted)
{
	struct mp_row *row;
	int err = 0;

	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++)
		if (mp_row_has_location(row) && row->location.stack)
			err = keep_in(profile, &row->location, interpreted);
	return err;
}
