// SPDX-License-Identifier: GPL-2.0-only
/*
 * callsites: finds the callsite of each stack, from the innermost frame
 * outwards
 *
 * The engine chose callsites by the names in symbol tables. Here inlined functions
 * and wrappers that the user named are known, too, so another callsite may be
 * chosen. Then the row of the engine's callsite is removed, and its stacks become
 * rows of callsites. The cost is a pass over the rows. Functions fail with -ENOMEM.
 */
#include "callsites.h"
#include "frame-kind.h"
#include "interpreted.h"
#include "sampler-library.h"

#include <errno.h>
#include <string.h>

int mp_callsites_frames(struct mp_profile *profile)
{
	uint64_t frame;
	uint32_t stack;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i];
		struct mp_location *location = &row->location;

		if (row->kind != MP_ROW_SITE || location->stack ||
		    row->flags & MP_ROW_OVERFLOW)
			continue;
		frame = mp_frames_add(&profile->frames, location->binary, row->pid,
				      location->binary ? location->offset :
				      location->address);
		if (frame == MP_FRAMES_NONE)
			return -ENOMEM;
		frame += MP_FRAMES_FIRST;
		stack = mp_stacks_add(&profile->frames.stacks, &frame, 1);
		if (stack == MP_STACKS_NONE)
			return -ENOMEM;
		location->stack = stack + 1;
		location->level = 0;
	}
	return 0;
}

/*
 * Finds the innermost function at a frame that is not a wrapper. Returns its index,
 * or frame->nr if all functions are wrappers.
 */
static uint32_t find_line(const struct mp_profile *profile,
			  const struct mp_callsites *callsites,
			  const struct mp_frame *frame)
{
	const struct mp_line *line = &profile->symbols.lines[frame->first];
	const char *name;
	uint32_t i;

	for (i = 0; i < frame->nr; i++) {
		name = mp_symbols_text(&profile->symbols, line[i].function);
		if (!name || !callsites->is_wrapper(callsites->context, name))
			break;
	}
	return i;
}

static bool in_wrapper_file(const struct mp_profile *profile,
			    const struct mp_callsites *callsites,
			    const struct mp_frame *frame)
{
	return frame->binary &&
	       callsites->is_wrapper_file(callsites->context,
			profile->binaries[frame->binary - 1].path);
}

/* Whether a frame is the callsite. @chosen: the engine's choice, for an unknown symbol. */
static bool is_callsite(const struct mp_profile *profile,
			const struct mp_callsites *callsites,
			const struct mp_frame *frame, bool chosen,
			uint32_t *line)
{
	*line = 0;
	if (mp_frame_is_mark(frame) || mp_frame_is_kernel(frame) ||
	    in_wrapper_file(profile, callsites, frame))
		return false;
	if (!frame->nr)
		return chosen;
	*line = find_line(profile, callsites, frame);
	return *line < frame->nr;
}

/*
 * Whether a frame is of a program that an interpreter runs: the names of such functions
 * have a mark. The interpreter's own functions are not callsites then.
 */
static bool is_interpreted(const struct mp_profile *profile,
			   const struct mp_callsites *callsites,
			   const struct mp_frame *frame)
{
	return mp_frame_is_interpreted(profile, frame) &&
	       !callsites->is_wrapper(callsites->context, mp_symbols_text(&profile->symbols,
				      profile->symbols.lines[frame->first].function));
}

/* Whether a function of an interpreted program is a part of the interpreter. */
static bool is_built_in(const struct mp_profile *profile, const struct mp_frame *frame)
{
	const struct mp_line *line = &profile->symbols.lines[frame->first];

	return mp_interpreted_is_built_in(mp_symbols_text(&profile->symbols, line->function),
					  mp_symbols_text(&profile->symbols, line->file));
}

static const struct mp_frame *frame_at(const struct mp_profile *profile,
				       const struct mp_frames_stack *stack,
				       uint32_t level)
{
	return &profile->frames.list[stack->list[level] - MP_FRAMES_FIRST];
}

/*
 * Finds the innermost function of an interpreted program that is not built in, else any
 * such function. Returns its level, or @stack->nr.
 */
static uint32_t find_interpreted(const struct mp_profile *profile,
				 const struct mp_callsites *callsites,
				 const struct mp_frames_stack *stack)
{
	uint32_t level, built_in = stack->nr;
	const struct mp_frame *frame;

	for (level = 0; level < stack->nr; level++) {
		frame = frame_at(profile, stack, level);
		if (!is_interpreted(profile, callsites, frame))
			continue;
		if (!is_built_in(profile, frame))
			return level;
		built_in = built_in < level ? built_in : level;
	}
	return built_in;
}

/* Whether a stack begins in the sampler: what it does there is its own. */
static bool is_sampler(const struct mp_profile *profile,
		       const struct mp_frames_stack *stack)
{
	const struct mp_frame *frame = stack->nr ? frame_at(profile, stack, 0) : NULL;

	return frame && frame->binary &&
	       mp_sampler_library_is(profile->binaries[frame->binary - 1].path);
}

/*
 * Whether a frame is a function without a name that a wrapper of the same binary calls:
 * it is a part of the wrapper. Stripped programs have such functions.
 */
static bool is_in_wrapper(const struct mp_profile *profile,
			  const struct mp_callsites *callsites,
			  const struct mp_frames_stack *stack, uint32_t level)
{
	const struct mp_frame *inner = frame_at(profile, stack, level), *outer = inner;

	while (!outer->nr && outer->binary == inner->binary && ++level < stack->nr)
		outer = frame_at(profile, stack, level);
	return !inner->nr && outer->nr && outer->binary == inner->binary &&
	       find_line(profile, callsites, outer) == outer->nr;
}

/* Whether a frame is in the place of a caller, which may follow nevertheless. */
static bool hides_caller(const struct mp_profile *profile,
			 const struct mp_frames_stack *stack, uint32_t level)
{
	const struct mp_frame *frame = frame_at(profile, stack, level);

	return level + 1 < stack->nr && !frame->binary &&
	       mp_address_is_trampoline(frame->offset);
}

/*
 * The level of the outermost function with a name, outside of the files of wrappers: of a stack
 * that was cut within wrappers it is nearest to who called them. 0 if there is none.
 */
static uint32_t find_outermost(const struct mp_profile *profile,
			       const struct mp_callsites *callsites,
			       const struct mp_frames_stack *stack)
{
	const struct mp_frame *frame;
	uint32_t level;

	for (level = stack->nr; level > 0; level--) {
		frame = frame_at(profile, stack, level - 1);
		if (frame->nr && frame->binary && !mp_frame_is_mark(frame) &&
		    !mp_frame_is_kernel(frame) && !in_wrapper_file(profile, callsites, frame))
			return level - 1;
	}
	return 0;
}

static void choose_callsite(const struct mp_profile *profile,
		   const struct mp_callsites *callsites, struct mp_location *location)
{
	struct mp_frames_stack stack = mp_frames_stack(&profile->frames,
						       location->stack - 1);
	uint32_t level = find_interpreted(profile, callsites, &stack), line = 0;
	bool found = level < stack.nr, own = is_sampler(profile, &stack);

	for (level = found ? level : 0; !found && !own && level < stack.nr; level += !found)
		found = !hides_caller(profile, &stack, level) &&
			!is_in_wrapper(profile, callsites, &stack, level) &&
			is_callsite(profile, callsites, frame_at(profile, &stack, level),
				    level >= location->level, &line);
	if (!found) {
		level = own ? 0 : find_outermost(profile, callsites, &stack);
		line = stack.nr ? frame_at(profile, &stack, level)->nr : 0;
		line -= !!line;
	}
	location->level = level;
	location->line = line;
}

/* Sets binary and offset (or address) of a location to those of its callsite's frame. */
static void set_address(const struct mp_profile *profile, struct mp_location *location)
{
	const struct mp_frame *frame = mp_frames_at(&profile->frames,
						    location->stack - 1,
						    location->level);

	if (!frame)
		return;
	location->binary = frame->binary;
	location->offset = frame->binary ? frame->offset : 0;
	location->address = frame->binary ? 0 : frame->offset;
}

/*
 * Hash of a row's process and binary. It is equal for a callsite of the engine and
 * for the stacks of this callsite.
 */
static uint64_t owner_of(const struct mp_row *row)
{
	uint64_t halves[sizeof(row->comm) / sizeof(uint64_t)], hash;
	size_t i;

	memcpy(halves, row->comm, sizeof(halves));
	hash = mp_map_hash(row->start_ns, (uint64_t)row->pid << 32 |
			   row->location.binary);
	/* a row of exited processes has no pid: use the name and cgroup, too */
	for (i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		hash = mp_map_hash(hash, halves[i]);
	return mp_map_hash(mp_map_hash(hash, row->host), row->cgroup);
}

static uint64_t key_of(const struct mp_row *row)
{
	return row->location.offset ^ row->location.address;
}

static int mark_split(struct mp_map *split, const struct mp_row *row)
{
	uint32_t *known = mp_map_add(split, owner_of(row), key_of(row));

	if (!known)
		return -ENOMEM;
	*known = 0;
	return 0;
}

/*
 * Chooses a callsite for each stack. If the choice differs from the engine's,
 * the engine's callsite is added to @split. @anew: add all callsites to @split.
 */
static int choose_all(struct mp_profile *profile,
		      const struct mp_callsites *callsites, bool anew,
		      struct mp_map *split)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i];
		uint32_t level = row->location.level;

		if (row->kept && row->keeper.stack)
			choose_callsite(profile, callsites, &row->keeper);
		if (!mp_row_has_location(row) || !row->location.stack)
			continue;
		choose_callsite(profile, callsites, &row->location);
		if (row->kind == MP_ROW_STACK &&
		    (anew || row->location.level != level))
			err = mark_split(split, row);
	}
	return err;
}

/*
 * Removes the callsites in @split. Their stacks become rows of callsites; equal rows
 * are merged later.
 */
static int replace_split(struct mp_profile *profile, struct mp_map *split)
{
	size_t i, nr = profile->nr_rows, kept = 0;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		struct mp_row row = profile->rows[i];

		if (row.kind == MP_ROW_STACK && row.location.stack &&
		    mp_map_find(split, owner_of(&row), key_of(&row))) {
			row.kind = MP_ROW_SITE;
			set_address(profile, &row.location);
			err = mp_profile_add(profile, &row);
		}
	}
	for (i = 0; !err && i < profile->nr_rows; i++) {
		const struct mp_row *row = &profile->rows[i];

		if (i < nr && row->kind == MP_ROW_SITE &&
		    mp_map_find(split, owner_of(row), key_of(row)))
			continue;
		profile->rows[kept++] = *row;
	}
	profile->nr_rows = err ? profile->nr_rows : kept;
	return err;
}

/* Whether a profile has rows of callsites. Some sources have only stacks. */
static bool has_sites(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_SITE &&
		    profile->rows[i].location.stack)
			return true;
	return false;
}

int mp_callsites_choose(struct mp_profile *profile,
			const struct mp_callsites *callsites, bool anew)
{
	struct mp_map split = { 0 };
	size_t i;
	int err = choose_all(profile, callsites, anew || !has_sites(profile),
			     &split);

	if (!err && split.nr)
		err = replace_split(profile, &split);
	mp_map_free(&split);
	for (i = 0; !err && i < profile->nr_rows; i++)
		if (mp_row_has_location(&profile->rows[i]) &&
		    profile->rows[i].location.stack)
			set_address(profile, &profile->rows[i].location);
	for (i = 0; !err && i < profile->nr_rows; i++)
		if (profile->rows[i].kept && profile->rows[i].keeper.stack)
			set_address(profile, &profile->rows[i].keeper);
	return err;
}
