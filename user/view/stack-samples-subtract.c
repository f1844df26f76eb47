// SPDX-License-Identifier: GPL-2.0-only
/*
 * leaves-subtract: frames get new numbers, rows the other sign
 */
#include "difference.h"
#include "sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in the later profile, by those in the earlier. */
struct moving {
	struct mp_profile *to;
	const struct mp_profile *from;
	uint32_t *binaries;		/* from 1 */
	uint32_t *frames;
};

static int move_binaries(struct moving *moving)
{
	const struct mp_profile *from = moving->from;
	size_t i;
	int err = 0;

	moving->binaries = calloc(from->nr_binaries + 1, sizeof(uint32_t));
	if (!moving->binaries)
		return -ENOMEM;
	for (i = 0; !err && i < from->nr_binaries; i++)
		err = mp_sites_binary(moving->to, &from->binaries[i],
				      &moving->binaries[i + 1]);
	return err;
}

static int move_frame(struct moving *moving, size_t i)
{
	const struct mp_frame *frame = &moving->from->frames.list[i];
	const struct mp_spot run = { .first = frame->first, .nr = frame->nr };
	struct mp_profile *to = moving->to;
	struct mp_spot spot = { 0 };
	uint32_t number;

	number = mp_frames_append(&to->frames, moving->binaries[frame->binary],
				  frame->pid, frame->offset);
	if (number == MP_FRAMES_NONE ||
	    mp_symbols_copy(&to->symbols, &moving->from->symbols, &run, &spot))
		return -ENOMEM;
	to->frames.list[number].first = spot.first;
	to->frames.list[number].nr = spot.nr;
	moving->frames[i] = number;
	return 0;
}

static int move_frames(struct moving *moving)
{
	size_t i, nr = moving->from->frames.nr;
	int err = 0;

	moving->frames = calloc(nr + 1, sizeof(uint32_t));
	if (!moving->frames)
		return -ENOMEM;
	for (i = 0; !err && i < nr; i++)
		err = move_frame(moving, i);
	return err;
}

static int move_stack(struct moving *moving, struct mp_location *location)
{
	struct mp_frames_stack stack;
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t i, number;

	if (!location->stack)
		return 0;
	stack = mp_frames_stack(&moving->from->frames, location->stack - 1);
	for (i = 0; i < stack.nr && i < MP_STACKS_DEPTH; i++)
		frames[i] = MP_FRAMES_FIRST + (uint64_t)moving->frames[
			stack.list[i] - MP_FRAMES_FIRST];
	if (stack.end && i < MP_STACKS_DEPTH)
		frames[i++] = stack.end;
	number = mp_stacks_add(&moving->to->frames.stacks, frames, i);
	location->stack = number + 1;
	return number == MP_STACKS_NONE ? -ENOMEM : 0;
}

static int move_row(struct moving *moving, const struct mp_row *from,
		    struct mp_row *row)
{
	const char *path = mp_cgroup_names_find(&moving->from->names,
						from->cgroup);
	int i;

	*row = *from;
	for (i = 0; i < MP_NR_METRICS; i++)
		row->value[i] = mp_metrics[i].nature == MP_PEAK ? 0 :
				-from->value[i];
	row->location.binary = moving->binaries[from->location.binary];
	row->location.histogram = 0;
	if (path && mp_cgroup_names_add(&moving->to->names, row->cgroup, path))
		return -ENOMEM;
	return move_stack(moving, &row->location);
}

static int move_rows(struct moving *moving, struct mp_stack_samples *samples,
		     const struct mp_stack_samples *from)
{
	size_t i, nr = samples->nr + from->nr;
	struct mp_row *made = calloc(nr + 1, sizeof(*made));
	const struct mp_row **rows = calloc(nr + 1, sizeof(*rows));
	int err = made && rows ? 0 : -ENOMEM;

	for (i = 0; !err && i < nr; i++) {
		if (i < samples->nr)
			made[i] = *samples->rows[i];
		else
			err = move_row(moving, from->rows[i - samples->nr],
				       &made[i]);
		rows[i] = &made[i];
	}
	if (err) {
		free(made);
		free(rows);
		return err;
	}
	mp_stack_samples_free(samples);
	*samples = (struct mp_stack_samples){ .rows = rows, .nr = nr, .made = made };
	return 0;
}

int mp_stack_samples_subtract(struct mp_stack_samples *samples, struct mp_profile *profile,
		       const struct mp_stack_samples *from,
		       const struct mp_profile *before)
{
	struct moving moving = { .to = profile, .from = before };
	size_t i;
	int metric, err;

	err = move_binaries(&moving) ?: move_frames(&moving) ?:
	      move_rows(&moving, samples, from);
	for (i = 0; !err && i < samples->nr; i++)
		for (metric = 0; metric < MP_NR_METRICS; metric++)
			if (mp_metrics[metric].nature == MP_PEAK)
				samples->made[i].value[metric] = 0;
	free(moving.binaries);
	free(moving.frames);
	return err;
}
