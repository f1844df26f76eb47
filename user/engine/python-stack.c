// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-stack: merges two lists, from the innermost frame on
 */
#include "python-stack.h"
#include "stacks.h"

#include <string.h>

struct merge {
	const struct mp_python_stack *python;
	uint32_t next, run;		/* function and run that come next */
	uint64_t to[MP_STACKS_DEPTH];
	uint32_t nr;
};

static void put(struct merge *merge, uint64_t frame)
{
	if (merge->nr < MP_STACKS_DEPTH)
		merge->to[merge->nr++] = frame;
}

/* Puts the functions of the next run. Returns their number. */
static uint32_t put_run(struct merge *merge)
{
	const uint32_t nr = merge->python->runs[merge->run++];
	uint32_t i;

	for (i = 0; i < nr && merge->next < merge->python->nr; i++)
		put(merge, merge->python->frames[merge->next++]);
	return nr;
}

/* Puts the functions that are left. Returns whether there were some. */
static bool put_rest(struct merge *merge)
{
	const bool has_some = merge->run < merge->python->nr_runs;

	while (merge->run < merge->python->nr_runs)
		put_run(merge);
	return has_some;
}

/* Frames are return addresses: the function's last byte is in front of one. */
static bool is_eval(const struct mp_python_stack *python, uint64_t frame)
{
	return frame > python->eval_start && frame <= python->eval_end;
}

uint32_t mp_python_stack_merge(const struct mp_python_stack *python, uint64_t *frames,
			       uint32_t nr)
{
	struct merge merge = { .python = python };
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (frames[i] == MP_STACKS_CUT && put_rest(&merge) && !python->cut)
			frames[i] = MP_STACKS_BEGIN;
		if (!is_eval(python, frames[i]) || merge.run == python->nr_runs ||
		    !put_run(&merge))
			put(&merge, frames[i]);
	}
	if (!nr || frames[nr - 1] != MP_STACKS_BEGIN)
		put_rest(&merge);
	/* the mark tells whether callers are missing */
	if (nr && frames[nr - 1] <= MP_STACKS_CUT && merge.to[merge.nr - 1] != frames[nr - 1])
		merge.to[merge.nr - 1] = MP_STACKS_CUT;
	memcpy(frames, merge.to, merge.nr * sizeof(*frames));
	return merge.nr;
}
