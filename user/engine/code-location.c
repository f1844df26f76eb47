// SPDX-License-Identifier: GPL-2.0-only
/*
 * code-location: finds the code location of each frame, and frees unused stacks
 *
 * A look-up costs a binary search per frame. A sweep visits all sites, threads
 * and waiting events. Functions fail with -ENOMEM only.
 */
#include "code-location.h"
#include "heap-threads.h"
#include "interpreted.h"
#include "sampler-library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE		((uint64_t)MP_CODE_NOWHERE << MP_CODE_BITS)
#define GAP		(NOWHERE | MP_STACKS_GAP)

/* With fewer stacks, a sweep costs more than the memory it would free. */
#define FEW_STACKS	4096

/*
 * Finds the location of a return address. The byte before it is looked up, because
 * after a call at the end of a mapping the return address is outside the mapping.
 */
static uint64_t location_of(const struct mp_merge *merge, uint32_t process,
			    uint64_t address)
{
	const struct mp_range *range = mp_spaces_find(&merge->spaces, process,
						      address - 1);
	const uint64_t max = (1ULL << MP_CODE_BITS) - 1;
	uint64_t file = MP_CODE_NOWHERE, offset = address;

	if (address >= MP_KERNEL_START)
		return (uint64_t)MP_CODE_KERNEL << MP_CODE_BITS |
		       (address & max);
	if (range && range->file < MP_MERGE_FILES) {
		file = range->file;
		offset = address - range->start + range->offset;
	}
	/* the offset of a mapping is untrusted: limit it to MP_CODE_BITS */
	return file << MP_CODE_BITS | (offset < max ? offset : max);
}

static bool is_in_sampler(const struct mp_merge *merge, uint64_t location)
{
	const uint32_t file = mp_code_file(location);

	return file < merge->nr_files &&
	       mp_sampler_library_is(merge->names.list[merge->files[file].path]);
}

bool mp_merge_is_sampler(const struct mp_merge *merge, uint32_t process,
			 uint32_t stack)
{
	const uint64_t *frames;
	uint32_t nr;

	if (stack == MP_EVENT_NO_STACK)
		return false;
	frames = mp_stacks_frames(&merge->stacks, stack, &nr);
	return nr && is_in_sampler(merge, location_of(merge, process, frames[0]));
}

static enum mp_merge_code kind_of(struct mp_merge *merge, uint32_t process,
				  uint64_t location)
{
	if (location == GAP || mp_code_file(location) == MP_CODE_KERNEL)
		return MP_MERGE_CODE_WRAPPER;
	return mp_code_file(location) == MP_CODE_NOWHERE ? MP_MERGE_CODE_PROGRAM :
	       merge->ops.kind_of(merge->ops.context, merge, process,
				  mp_code_file(location), mp_code_offset(location));
}

/* Whether a frame is a wrapper or a part of one. The view judges as this does. */
static bool is_wrapper(struct mp_merge *merge, uint32_t process,
		       const uint64_t *locations, uint32_t nr, uint32_t level)
{
	const uint32_t file = mp_code_file(locations[level]);
	enum mp_merge_code kind = kind_of(merge, process, locations[level]);

	while (kind == MP_MERGE_CODE_NAMELESS && ++level < nr &&
	       mp_code_file(locations[level]) == file)
		kind = kind_of(merge, process, locations[level]);
	return kind == MP_MERGE_CODE_WRAPPER;
}

static bool is_interpreted(const struct mp_merge *merge, uint64_t location)
{
	const uint32_t file = mp_code_file(location);

	return file < merge->nr_files &&
	       mp_interpreted_is(merge->names.list[merge->files[file].path]);
}

/*
 * Level of the innermost interpreted function that is not built in, else of any such
 * function; @nr if there is none. The view chooses the same one.
 */
static uint32_t interpreted_level(const struct mp_merge *merge, const uint64_t *locations,
				  uint32_t nr)
{
	uint32_t level, built_in = nr, number;
	const char *path, *file;

	for (level = 0; level < nr; level++) {
		if (!is_interpreted(merge, locations[level]))
			continue;
		number = mp_code_file(locations[level]);
		path = merge->names.list[merge->files[number].path];
		file = mp_interpreted_file(path);
		if (!file || !mp_interpreted_is_built_in(path, file))
			return level;
		built_in = built_in < level ? built_in : level;
	}
	return built_in;
}

/*
 * Level of the callsite: an interpreted function, else the innermost frame outside of
 * allocators and wrappers; 0 if there is none, or if the sampler itself did it.
 */
static uint32_t level_of(struct mp_merge *merge, uint32_t process,
			 const uint64_t *locations, uint32_t nr)
{
	uint32_t level = interpreted_level(merge, locations, nr);

	if (level < nr)
		return level;
	level = 0;
	if (!merge->ops.kind_of || (nr && is_in_sampler(merge, locations[0])))
		return 0;
	while (level < nr && is_wrapper(merge, process, locations, nr, level))
		level++;
	return level < nr ? level : 0;
}

/*
 * Keeps the frames of a frame-pointer chain up to the first address that is not
 * code. If all code of the process is in files, an address outside of all files is
 * no return address. The first frame always counts, because the probe reported
 * its address. Functions of Python follow the chain, whatever is in it.
 */
static uint32_t known_code(const struct mp_merge *merge, uint32_t process,
			   uint64_t *locations, uint32_t nr)
{
	const struct mp_space *space = mp_spaces_at(&merge->spaces, process);
	uint32_t i, to = 1;
	bool is_lost = false;

	if (!space || !space->nr || space->has_other_code || !nr)
		return nr;
	for (i = 1; i < nr; i++) {
		is_lost |= mp_code_file(locations[i]) == MP_CODE_NOWHERE;
		if (is_interpreted(merge, locations[i]))
			is_lost = false;
		if (!is_lost)
			locations[to++] = locations[i];
	}
	return to;
}

static bool keeps_frame(const struct mp_merge *merge, uint32_t process,
			uint64_t location)
{
	return mp_code_file(location) >= MP_MERGE_FILES ||
	       merge->ops.keeps_frame(merge->ops.context, merge, process,
				      mp_code_file(location),
				      mp_code_offset(location));
}

/*
 * Inserts a mark where a frame-pointer chain skipped a caller. Returns the new
 * number of frames.
 */
static uint32_t mark_gaps(const struct mp_merge *merge, uint32_t process,
			  uint64_t *locations, uint32_t nr)
{
	uint64_t marked[MP_STACKS_DEPTH];
	uint32_t i, to = 0;

	for (i = 0; i < nr && to < MP_STACKS_DEPTH; i++) {
		marked[to++] = locations[i];
		/* a function of Python is known, and not found by the chain */
		if (i + 1 < nr && to < MP_STACKS_DEPTH &&
		    !is_interpreted(merge, locations[i + 1]) &&
		    !keeps_frame(merge, process, locations[i]))
			marked[to++] = GAP;
	}
	memcpy(locations, marked, to * sizeof(*locations));
	return to;
}

int mp_merge_location(void *context, uint32_t process, const struct mp_call *call,
		      struct mp_heap_location *location)
{
	struct mp_merge *merge = context;
	uint64_t locations[MP_STACKS_DEPTH];
	const uint64_t *frames;
	uint32_t nr, i, whole;

	frames = mp_stacks_frames(&merge->stacks, call->stack, &nr);
	whole = nr && frames[nr - 1] <= MP_STACKS_CUT ? nr - 1 : nr;
	for (i = 0; i < nr; i++)
		locations[i] = i < whole ? location_of(merge, process, frames[i]) :
					frames[i];
	/* only an unwound stack ends with a mark, so this is a frame-pointer chain */
	if (whole == nr)
		whole = nr = known_code(merge, process, locations, nr);
	if (merge->ops.keeps_frame && whole == nr)
		whole = nr = mark_gaps(merge, process, locations, nr);
	location->level = level_of(merge, process, locations, whole);
	location->callsite = whole ? locations[location->level] : NOWHERE;
	location->stack = mp_stacks_add(&merge->locations, locations, nr);
	return location->stack == MP_STACKS_NONE ? -ENOMEM : 0;
}

/* Removes addresses outside of all files: they have no meaning in other processes. */
int mp_merge_sum_location(void *context, struct mp_heap_location *location)
{
	struct mp_merge *merge = context;
	uint64_t locations[MP_STACKS_DEPTH];
	const uint64_t *known;
	bool any = false;
	uint32_t nr, i;

	known = mp_stacks_frames(&merge->locations, location->stack, &nr);
	for (i = 0; i < nr; i++) {
		bool lost = mp_code_file(known[i]) == MP_CODE_NOWHERE &&
			    known[i] != GAP;

		locations[i] = lost ? NOWHERE : known[i];
		any |= lost;
	}
	if (mp_code_file(location->callsite) == MP_CODE_NOWHERE)
		location->callsite = NOWHERE;
	if (any)
		location->stack = mp_stacks_add(&merge->locations, locations, nr);
	return location->stack == MP_STACKS_NONE ? -ENOMEM : 0;
}

static void mark_sites(const struct mp_merge *merge, bool *stacks, bool *locations)
{
	const struct mp_heap *heap = &merge->heap;
	const struct mp_heap_site *site;
	size_t i;

	for (i = 0; i < heap->nr_sites; i++) {
		site = &heap->sites[i];
		if (site->callsite == MP_HEAP_NONE || i == heap->dropped)
			continue;
		locations[site->location.stack] = true;
		/*
		 * the row of a sum of exited processes has no stack of addresses
		 */
		if (!heap->processes[site->process].nr_folded)
			stacks[site->stack] = true;
	}
}

static void mark_calls(const struct mp_merge *merge, bool *stacks)
{
	const struct mp_heap *heap = &merge->heap;
	size_t i;
	uint32_t depth;

	for (i = 0; i < heap->nr_threads; i++)
		for (depth = heap->threads[i].depth; depth; depth--)
			stacks[heap->threads[i].flights[depth - 1]
			       .call.stack] = true;
	mp_syscalls_mark(&merge->syscalls, stacks, merge->stacks.nr);
}

static void mark_events(const struct mp_merge *merge, bool *stacks)
{
	const struct mp_event *event;
	size_t i;

	for (i = 0; i < merge->order.nr; i++) {
		event = &merge->order.events[i];
		/* for an event without a stack this marks stack 0, which does no harm */
		if (event->stack < merge->stacks.nr)
			stacks[event->stack] = true;
	}
}

int mp_merge_sweep(struct mp_merge *merge)
{
	size_t nr = merge->stacks.nr - merge->stacks.nr_free;
	bool *stacks, *locations;
	int err = -ENOMEM;

	if (nr < 2 * merge->swept || nr < FEW_STACKS)
		return 0;
	stacks = calloc(merge->stacks.nr + 1, sizeof(*stacks));
	locations = calloc(merge->locations.nr + 1, sizeof(*locations));
	if (stacks && locations) {
		mark_sites(merge, stacks, locations);
		mark_calls(merge, stacks);
		mark_events(merge, stacks);
		err = mp_stacks_sweep(&merge->stacks, stacks) ?:
		      mp_stacks_sweep(&merge->locations, locations);
	}
	merge->swept = merge->stacks.nr - merge->stacks.nr_free;
	free(stacks);
	free(locations);
	return err;
}
