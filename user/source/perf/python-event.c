// SPDX-License-Identifier: GPL-2.0-only
/*
 * python-event: reads the module's event memprof:python
 */
#include "python-event.h"

#include <string.h>

/* Above each address of code on x86-64 and arm64, and below the kernel's. */
#define FIRST_FRAME	(1ULL << 55)

static uint64_t number(const struct mp_perf_event *event, const struct mp_perf_sample *sample,
		       const char *name)
{
	return mp_field_read(mp_format_field(&event->format, name), sample->raw,
			     sample->raw_size);
}

static void end_run(struct mp_python_stack *stack, uint32_t *nr)
{
	if (stack->nr_runs < MP_PYTHON_STACK_DEPTH)
		stack->runs[stack->nr_runs++] = (uint8_t)*nr;
	*nr = 0;
}

static void add_place(struct mp_python_event *to, const struct mp_python_place *place)
{
	to->places[to->stack.nr] = *place;
	to->stack.frames[to->stack.nr++] = mp_python_place_frame(place);
}

bool mp_python_event_parse(const struct mp_perf_event *event,
			   const struct mp_perf_sample *sample, struct mp_python_event *to)
{
	const uint64_t flags = number(event, sample, "flags");
	struct mp_python_place place;
	uint32_t in_run = 0;
	const char *words;
	size_t i, size = 0;
	bool is_last;

	words = mp_field_bytes(mp_format_field(&event->format, "frames"), sample->raw,
			       sample->raw_size, &size);
	if (!words || size > MP_PYTHON_STACK_DEPTH * sizeof(place))
		return false;
	*to = (struct mp_python_event){
		.key = number(event, sample, "key"),
		.stack = {
			.eval_start = number(event, sample, "eval_start"),
			.eval_end = number(event, sample, "eval_end"),
			.cut = flags & MEMPROF_PYTHON_CUT,
		},
	};
	for (i = 0; i + sizeof(place) <= size; i += sizeof(place)) {
		memcpy(&place, words + i, sizeof(place));
		is_last = place.code & MEMPROF_PYTHON_LAST;
		place.code &= ~(uint64_t)MEMPROF_PYTHON_LAST;
		if (!is_last || flags & MEMPROF_PYTHON_RUNS) {
			add_place(to, &place);
			in_run++;
		}
		if (is_last)
			end_run(&to->stack, &in_run);
	}
	if (in_run)
		end_run(&to->stack, &in_run);
	return true;
}

/* The same in each program that reads a recording. */
uint64_t mp_python_place_frame(const struct mp_python_place *place)
{
	uint64_t hash = place->code * 0x9e3779b97f4a7c15ULL;

	hash = (hash ^ hash >> 29 ^ place->instr) * 0xbf58476d1ce4e5b9ULL;
	return FIRST_FRAME | (hash ^ hash >> 31) >> 9;
}
