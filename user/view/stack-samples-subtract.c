// SPDX-License-Identifier: GPL-2.0-only
/*
 * stack-samples-subtract: appends earlier samples with negative values
 *
 * Binaries, frames and stacks of the earlier profile are copied, with new numbers.
 * If memory is short, -ENOMEM is returned.
 */
#include "difference.h"
#include "sites.h"

#include <errno.h>
#include <stdlib.h>

/* Maps numbers of the earlier profile to numbers of the later profile. */
struct renumbering {
	struct mp_profile *to;
	const struct mp_profile *from;
	uint32_t *binaries;		/* the numbers begin at 1 */
	uint32_t *frames;
};

static int copy_binaries(struct renumbering *renumbering)
{
	const struct mp_profile *from = renumbering->from;
	size_t i;
	int err = 0;

	renumbering->binaries = calloc(from->nr_binaries + 1, sizeof(uint32_t));
	if (!renumbering->binaries)
		return -ENOMEM;
	for (i = 0; !err && i < from->nr_binaries; i++)
		err = mp_sites_binary(renumbering->to, &from->binaries[i],
				      &renumbering->binaries[i + 1]);
	return err;
}

static int copy_frame(struct renumbering *renumbering, size_t i)
{
	const struct mp_frame *frame = &renumbering->from->frames.list[i];
	const struct mp_spot run = { .first = frame->first, .nr = frame->nr };
	struct mp_profile *to = renumbering->to;
	struct mp_spot spot = { 0 };
	uint32_t number;

	number = mp_frames_append(&to->frames, renumbering->binaries[frame->binary],
				  frame->pid, frame->offset);
	if (number == MP_FRAMES_NONE ||
	    mp_symbols_copy(&to->symbols, &renumbering->from->symbols, &run, &spot))
		return -ENOMEM;
	to->frames.list[number].first = spot.first;
	to->frames.list[number].nr = spot.nr;
	renumbering->frames[i] = number;
	return 0;
}

static int copy_frames(struct renumbering *renumbering)
{
	size_t i, nr = renumbering->from->frames.nr;
	int err = 0;

	renumbering->frames = calloc(nr + 1, sizeof(uint32_t));
	if (!renumbering->frames)
		return -ENOMEM;
	for (i = 0; !err && i < nr; i++)
		err = copy_frame(renumbering, i);
	return err;
}

static int copy_stack(struct renumbering *renumbering, struct mp_location *location)
{
	struct mp_frames_stack stack;
	uint64_t frames[MP_STACKS_DEPTH];
	uint32_t i, number;

	if (!location->stack)
		return 0;
	stack = mp_frames_stack(&renumbering->from->frames, location->stack - 1);
	for (i = 0; i < stack.nr && i < MP_STACKS_DEPTH; i++)
		frames[i] = MP_FRAMES_FIRST + (uint64_t)renumbering->frames[
			stack.list[i] - MP_FRAMES_FIRST];
	if (stack.end && i < MP_STACKS_DEPTH)
		frames[i++] = stack.end;
	number = mp_stacks_add(&renumbering->to->frames.stacks, frames, i);
	location->stack = number + 1;
	return number == MP_STACKS_NONE ? -ENOMEM : 0;
}

static int copy_row(struct renumbering *renumbering, const struct mp_row *from,
		    struct mp_row *row)
{
	const char *path = mp_id_names_find(&renumbering->from->names,
						from->cgroup);
	int i;

	*row = *from;
	for (i = 0; i < MP_NR_METRICS; i++)
		row->value[i] = mp_metrics[i].nature == MP_PEAK ? 0 :
				-from->value[i];
	row->location.binary = renumbering->binaries[from->location.binary];
	row->location.histogram = 0;
	if (path && mp_id_names_add(&renumbering->to->names, row->cgroup, path))
		return -ENOMEM;
	return copy_stack(renumbering, &row->location);
}

static int append_rows(struct renumbering *renumbering, struct mp_stack_samples *samples,
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
			err = copy_row(renumbering, from->rows[i - samples->nr],
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
	struct renumbering renumbering = { .to = profile, .from = before };
	size_t i;
	int metric, err;

	err = copy_binaries(&renumbering) ?: copy_frames(&renumbering) ?:
	      append_rows(&renumbering, samples, from);
	for (i = 0; !err && i < samples->nr; i++)
		for (metric = 0; metric < MP_NR_METRICS; metric++)
			if (mp_metrics[metric].nature == MP_PEAK)
				samples->made[i].value[metric] = 0;
	free(renumbering.binaries);
	free(renumbering.frames);
	return err;
}
