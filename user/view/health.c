// SPDX-License-Identifier: GPL-2.0-only
/*
 * health: computes the share of incomplete stacks
 *
 * The cost is one pass over the rows. Nothing can fail.
 */
#include "health.h"

#include <string.h>

/* Names of the first functions of threads, in C libraries and language runtimes. */
static const char * const beginnings[] = {
	"_start", "_start_c", "main", "__libc_start_main",
	"__libc_start_call_main", "__libc_start_main_impl", "start_thread",
	"clone", "clone3", "__clone", "__clone3", "thread_start", "start",
};

/*
 * Stacks with so many frames are cut because of their depth: 64 is a common limit. A stack
 * that was unwound from a copy ends where the copy ends, so fewer frames are enough.
 */
#define DEEP		60
#define DEEP_UNWOUND	5

static bool begins(const char *name)
{
	size_t i, len;

	for (i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		len = strlen(beginnings[i]);
		/* the symbol may have a suffix: a version or parameters */
		if (!strncmp(name, beginnings[i], len) &&
		    (!name[len] || name[len] == '@' || name[len] == '(' ||
		     name[len] == '.'))
			return true;
	}
	return false;
}

/*
 * Whether a stack reaches the first function of its thread without missing
 * frames.
 */
static bool reaches_begin(const struct mp_profile *profile,
			  const struct mp_frames_stack *stack)
{
	const struct mp_frame *last;
	const struct mp_line *line;
	const char *name;
	uint32_t i;

	if (stack->end)
		return stack->end == MP_STACKS_BEGIN;
	for (i = 0; i < stack->nr; i++)
		if (mp_frame_is_gap(&profile->frames.list[stack->list[i] -
							  MP_FRAMES_FIRST]))
			return false;
	if (!stack->nr)
		return false;
	last = &profile->frames.list[stack->list[stack->nr - 1] -
				     MP_FRAMES_FIRST];
	if (!last->nr)
		return false;
	line = &profile->symbols.lines[last->first + last->nr - 1];
	name = mp_symbols_text(&profile->symbols, line->function);
	return name && begins(name);
}

static bool is_deep(const struct mp_frames_stack *stack)
{
	return stack->nr >= (stack->end == MP_STACKS_CUT ? DEEP_UNWOUND : DEEP);
}

bool mp_health_of(const struct mp_profile *profile, struct mp_health *health)
{
	struct mp_frames_stack stack;
	uint64_t samples, depth = 0;
	bool deep = false;
	double missing;
	size_t i;

	*health = (struct mp_health){ .min_depth = UINT32_MAX };
	for (i = 0; i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		samples = row->value[MP_ALLOC_SAMPLES];
		if (row->kind != MP_ROW_STACK || !row->location.stack || !samples)
			continue;
		stack = mp_frames_stack(&profile->frames, row->location.stack - 1);
		deep |= stack.nr > 1 || stack.end;
		health->nr += samples;
		depth += samples * stack.nr;
		if (!reaches_begin(profile, &stack)) {
			health->nr_shallow += samples;
			health->nr_deep += is_deep(&stack) ? samples : 0;
		}
		if (stack.nr < health->min_depth)
			health->min_depth = stack.nr;
	}
	if (health->nr) {
		health->rate = (double)health->nr_shallow / (double)health->nr;
		health->unknown = (double)(health->nr_shallow - health->nr_deep) /
				  (double)health->nr;
		health->mean_depth = (double)depth / (double)health->nr;
	}
	/* a lost event is a stack that is missing whole */
	missing = health->unknown + mp_profile_lost(profile);
	health->confidence = missing < 0.05 ? "high" :
			     missing <= 0.20 ? "medium" : "low";
	return deep;
}
