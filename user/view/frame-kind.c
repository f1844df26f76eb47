// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-kind: replaces stacks by stacks of some of their frames
 *
 * The cost is a pass over the rows. Functions fail with -ENOMEM only.
 */
#include "frame-kind.h"
#include "frame-language.h"
#include "runtimes.h"

#include <errno.h>
#include <string.h>

bool mp_frame_is_interpreted(const struct mp_profile *profile,
			     const struct mp_frame *frame)
{
	return frame->nr == 1 && mp_languages[mp_frame_language(profile, frame)].binary;
}

static bool is_interpreted(const struct mp_profile *profile, uint64_t frame)
{
	return mp_frame_is_interpreted(profile, &profile->frames.list[frame - MP_FRAMES_FIRST]);
}

/* Whether a frame calls main(), or the function of a thread. */
static bool is_start(const struct mp_profile *profile, uint64_t number)
{
	/* without symbols, libc's frames have no name: then they stay */
	static const char * const names[] = {
		"_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
		"clone", "clone3", "__clone", "__clone3", "start_thread",
	};
	const struct mp_frame *frame = &profile->frames.list[number - MP_FRAMES_FIRST];
	const char *name = frame->nr == 1 ?
		mp_symbols_text(&profile->symbols,
				profile->symbols.lines[frame->first].function) : NULL;
	size_t i;

	for (i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Whether a frame outside of an interpreted program is of its interpreter. */
static bool is_launcher(const struct mp_profile *profile, uint64_t number)
{
	const struct mp_frame *frame = &profile->frames.list[number - MP_FRAMES_FIRST];

	return is_start(profile, number) ||
	       (frame->binary && mp_runtimes_has_file(&profile->binaries[frame->binary - 1]));
}

/*
 * Returns the number of frames up to the outermost one of an interpreted program; 0: there is
 * none, or a native program that runs an interpreter.
 */
static uint32_t program_end(const struct mp_profile *profile,
			    const struct mp_frames_stack *stack)
{
	uint32_t nr = stack->nr;

	while (nr && !is_interpreted(profile, stack->list[nr - 1]))
		if (!is_launcher(profile, stack->list[--nr]))
			return 0;
	return nr;
}

static int trim_in(struct mp_profile *profile, struct mp_location *location)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t nr, number;

	for (nr = program_end(profile, &stack) ?: stack.nr; nr > 1 && is_start(profile, stack.list[nr - 1]); nr--)
		;
	if (nr == stack.nr || nr <= location->level || nr > MP_STACKS_DEPTH - 1)
		return 0;
	memcpy(frames, stack.list, nr * sizeof(*frames));
	if (stack.end)
		frames[nr++] = stack.end;
	number = mp_stacks_add(&profile->frames.stacks, frames, nr);
	if (number == MP_STACKS_NONE)
		return -ENOMEM;
	location->stack = number + 1;
	return 0;
}

static int keep_in(struct mp_profile *profile, struct mp_location *location,
		   bool interpreted)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t i, nr = 0, level = 0, number;

	for (i = 0; i < stack.nr && nr < MP_STACKS_DEPTH - 1; i++) {
		if (is_interpreted(profile, stack.list[i]) != interpreted)
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

/* Changes the stacks of all rows, and of what has values over time. */
static int change_all(struct mp_profile *profile,
		      int (*change)(struct mp_profile *profile, struct mp_location *location))
{
	struct mp_timeline *timeline = &profile->timeline;
	struct mp_location location;
	struct mp_row *row;
	int err = 0;
	size_t i;

	for (row = profile->rows; !err && row < profile->rows + profile->nr_rows; row++)
		if (mp_row_has_location(row) && row->location.stack)
			err = change(profile, &row->location);
	for (i = 0; !err && i < timeline->nr_owners; i++) {
		location = (struct mp_location){ .stack = timeline->owners[i].stack };
		if (location.stack)
			err = change(profile, &location);
		timeline->owners[i].stack = location.stack;
	}
	return err;
}

static int keep_interpreted(struct mp_profile *profile, struct mp_location *location)
{
	return keep_in(profile, location, true);
}

static int keep_native(struct mp_profile *profile, struct mp_location *location)
{
	return keep_in(profile, location, false);
}

int mp_frame_kind_keep(struct mp_profile *profile, bool interpreted)
{
	return change_all(profile, interpreted ? keep_interpreted : keep_native);
}

int mp_frame_kind_trim(struct mp_profile *profile)
{
	return change_all(profile, trim_in);
}
