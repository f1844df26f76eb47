// SPDX-License-Identifier: GPL-2.0-only
/*
 * spaces: stores the mappings of each address space in a sorted array
 *
 * A program has from ten to a few thousand mappings of files. An insertion
 * moves the ranges behind it. A look-up is a binary search. Functions fail with
 * -ENOMEM.
 */
#include "spaces.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mp_space *space_of(struct mp_spaces *spaces, uint32_t process)
{
	size_t nr = spaces->nr ? spaces->nr : 64;
	struct mp_space *list;

	if (process < spaces->nr)
		return &spaces->list[process];
	while (nr <= process)
		nr *= 2;
	list = reallocarray(spaces->list, nr, sizeof(*list));
	if (!list)
		return NULL;
	memset(list + spaces->nr, 0, (nr - spaces->nr) * sizeof(*list));
	spaces->list = list;
	spaces->nr = nr;
	return &list[process];
}

/* Finds the index of the first range that ends after an address. */
static size_t find_range(const struct mp_space *space, uint64_t addr)
{
	return mp_array_above(space->list, space->nr, end, addr);
}

/* Makes room for @n ranges at index @at. */
static int make_room(struct mp_space *space, size_t at, size_t n)
{
	if (space->nr + n > space->max &&
	    !mp_array_grow(&space->list, &space->max, sizeof(*space->list)))
		return -ENOMEM;
	memmove(space->list + at + n, space->list + at,
		(space->nr - at) * sizeof(*space->list));
	space->nr += n;
	return 0;
}

/*
 * Removes a range of addresses from the mappings. Returns the index at which a new
 * mapping of this range must be inserted, or a negative errno.
 */
static ssize_t cut_hole(struct mp_space *space, uint64_t start, uint64_t end)
{
	size_t at = find_range(space, start), last;
	struct mp_range *range;

	if (!space->nr)
		return 0;
	range = at < space->nr ? &space->list[at] : NULL;
	if (range && range->start < start && range->end > end) {
		/* the removed part is inside one range: split the range in two */
		if (make_room(space, at, 1))
			return -ENOMEM;
		range = &space->list[at];
		range[0].end = start;
		range[1].offset += end - range[1].start;
		range[1].start = end;
		return at + 1;
	}
	if (range && range->start < start) {
		range->end = start;
		at++;
	}
	for (last = at; last < space->nr && space->list[last].end <= end;)
		last++;
	if (last > at)
		memmove(space->list + at, space->list + last,
			(space->nr - last) * sizeof(*space->list));
	space->nr -= last - at;
	range = at < space->nr ? &space->list[at] : NULL;
	if (range && range->start < end) {
		range->offset += end - range->start;
		range->start = end;
	}
	return at;
}

static bool is_mapped(const struct mp_spaces *spaces, uint32_t process,
		      const struct mp_range *range)
{
	const struct mp_range *known = mp_spaces_find(spaces, process, range->start);

	return known && known->start == range->start && known->end == range->end &&
	       known->offset == range->offset && known->file == range->file;
}

int mp_spaces_map(struct mp_spaces *spaces, uint32_t process,
		  const struct mp_range *range)
{
	struct mp_space *space = space_of(spaces, process);
	size_t before;
	ssize_t at;

	if (!space)
		return -ENOMEM;
	if (range->start >= range->end || is_mapped(spaces, process, range))
		return 0;
	if (space->nr >= MP_SPACES_MAX ||
	    spaces->nr_ranges >= MP_SPACES_MAX_ALL) {
		spaces->nr_dropped++;
		space->has_other_code = true;
		return 0;
	}
	before = space->nr;
	at = cut_hole(space, range->start, range->end);
	if (at >= 0 && make_room(space, at, 1))
		at = -ENOMEM;
	if (at >= 0)
		space->list[at] = *range;
	spaces->nr_ranges += space->nr - before;
	space->version = ++spaces->version;
	return at < 0 ? -ENOMEM : 0;
}

int mp_spaces_other_code(struct mp_spaces *spaces, uint32_t process)
{
	struct mp_space *space = space_of(spaces, process);

	if (!space)
		return -ENOMEM;
	space->has_other_code = true;
	return 0;
}

int mp_spaces_copy(struct mp_spaces *spaces, uint32_t from, uint32_t to)
{
	struct mp_space *copy = space_of(spaces, to > from ? to : from), *source;
	struct mp_range *list;

	if (!copy)
		return -ENOMEM;
	copy = &spaces->list[to];
	source = &spaces->list[from];
	mp_spaces_clear(spaces, to);
	if (!source->nr)
		return 0;
	if (spaces->nr_ranges + source->nr > MP_SPACES_MAX_ALL) {
		spaces->nr_dropped += source->nr;
		return 0;
	}
	list = reallocarray(NULL, source->nr, sizeof(*list));
	if (!list)
		return -ENOMEM;
	memcpy(list, source->list, source->nr * sizeof(*list));
	spaces->nr_ranges += source->nr;
	*copy = (struct mp_space){ .list = list, .nr = source->nr,
				   .max = source->nr,
				   .version = ++spaces->version,
				   .has_other_code = source->has_other_code };
	return 0;
}

void mp_spaces_clear(struct mp_spaces *spaces, uint32_t process)
{
	if (process >= spaces->nr)
		return;
	spaces->nr_ranges -= spaces->list[process].nr;
	free(spaces->list[process].list);
	spaces->list[process] = (struct mp_space){
		.version = ++spaces->version,
	};
}

const struct mp_range *mp_spaces_find(const struct mp_spaces *spaces,
				      uint32_t process, uint64_t addr)
{
	const struct mp_space *space;
	size_t at;

	if (process >= spaces->nr)
		return NULL;
	space = &spaces->list[process];
	at = find_range(space, addr);
	return at < space->nr && space->list[at].start <= addr ?
	       &space->list[at] : NULL;
}

void mp_spaces_free(struct mp_spaces *spaces)
{
	size_t i;

	for (i = 0; i < spaces->nr; i++)
		free(spaces->list[i].list);
	free(spaces->list);
	*spaces = (struct mp_spaces){ 0 };
}
