// SPDX-License-Identifier: GPL-2.0-only
/*
 * callers: a pass over the rows of stacks, and a short walk outwards in each
 */
#include "callers.h"
#include "frame-kind.h"
#include "sites.h"

#include <string.h>

static const struct mp_frame *frame_of(const struct mp_profile *profile,
				       const struct mp_location *location)
{
	return mp_frames_at(&profile->frames, location->stack - 1, location->level);
}

/* Moves a location one function outwards. Returns false at the end of the stack. */
static bool step_out(const struct mp_profile *profile, struct mp_location *location)
{
	const struct mp_frame *frame = frame_of(profile, location);

	if (frame && location->line + 1 < frame->nr) {
		location->line++;
		return true;
	}
	location->level++;
	location->line = 0;
	return frame_of(profile, location);
}

/* Moves a location to the next caller of its function that has a name. Returns false if none has. */
static bool find_caller(const struct mp_profile *profile, struct mp_location *location)
{
	const uint32_t function = mp_profile_line(profile, location)->function;
	const bool is_interpreted = mp_frame_is_interpreted(profile,
							    frame_of(profile, location));
	const struct mp_line *line;

	while (step_out(profile, location)) {
		line = mp_profile_line(profile, location);
		if (is_interpreted &&
		    !mp_frame_is_interpreted(profile, frame_of(profile, location)))
			continue;
		if (line && line->function != MP_NAMES_NONE && line->function != function)
			return true;
	}
	return false;
}

static struct mp_row *caller_row(const struct mp_profile *profile, struct mp_callers *callers,
				 const struct mp_location *location)
{
	const uint32_t name = mp_profile_line(profile, location)->function;
	struct mp_row *row = callers->rows;

	while (row < callers->rows + callers->nr &&
	       mp_profile_line(profile, &row->location)->function != name)
		row++;
	if (row < callers->rows + callers->nr)
		return row;
	if (callers->nr == MP_CALLERS_MAX)
		return NULL;
	callers->nr++;
	*row = (struct mp_row){ .kind = MP_ROW_SITE, .location = *location };
	return row;
}

static void add(struct mp_row *to, const struct mp_row *row, const struct mp_location *caller,
		uint64_t *most, enum mp_metric held)
{
	size_t i;

	for (i = 0; i < MP_NR_METRICS; i++)
		to->value[i] += row->value[i];
	if (row->value[held] < *most)
		return;
	*most = row->value[held];
	to->location = *caller;
}

void mp_callers_find(const struct mp_profile *profile, const struct mp_location *location,
		     uint32_t pid, unsigned int depth, enum mp_metric held,
		     struct mp_callers *callers)
{
	const struct mp_line *line = mp_profile_line(profile, location), *of_row;
	const uint32_t function = line ? line->function : MP_NAMES_NONE;
	uint64_t most[MP_CALLERS_MAX] = { 0 };
	struct mp_location caller;
	const struct mp_row *row;
	struct mp_row *to;
	unsigned int i;

	callers->nr = 0;
	if (function == MP_NAMES_NONE)
		return;
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		of_row = row->kind == MP_ROW_STACK && row->location.stack ?
			 mp_profile_line(profile, &row->location) : NULL;
		if (!of_row || of_row->function != function ||
		    (pid && (row->pid ?: row->only_pid) != pid))
			continue;
		caller = row->location;
		for (i = 0; i < depth && find_caller(profile, &caller); i++)
			;
		to = i == depth ? caller_row(profile, callers, &caller) : NULL;
		if (to)
			add(to, row, &caller, &most[to - callers->rows], held);
	}
}
