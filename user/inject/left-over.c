// SPDX-License-Identifier: GPL-2.0-only
/*
 * left-over: looks for the code of dead injections among the mappings of a process
 *
 * The page of code is a mapping of its own, because it is the only executable part. A
 * process may show a mapping with the same mark: then it loses memory of its own. At
 * most 16 regions are found at once.
 */
#include "left-over.h"
#include "maps.h"
#include "thread-place.h"

#include <string.h>

#define MAX_REGIONS	16

const struct mp_left_over mp_left_over_mark = { "memprof inject" };

struct region_search {
	const struct mp_inject_target *target;
	uint64_t own;
	uint64_t found[MAX_REGIONS];
	size_t nr;
};

bool mp_left_over_at(const struct mp_inject_target *target, uint64_t address)
{
	uint64_t code = address & ~(MP_REGION_CODE - 1);
	struct mp_left_over mark;

	return mp_target_get(target, code + MP_LEFT_OVER_AT, &mark, sizeof(mark)) &&
	       !memcmp(&mark, &mp_left_over_mark, sizeof(mark));
}

static int take_mapping(void *context, pid_t pid, const struct mp_map_line *line)
{
	struct region_search *search = context;

	(void)pid;
	if (!mp_map_is_executable(line) || line->inode || line->start == search->own ||
	    line->end - line->start != MP_REGION_CODE ||
	    !mp_left_over_at(search->target, line->start))
		return 0;
	search->found[search->nr++] = line->start;
	return search->nr == MAX_REGIONS;
}

void mp_left_over_each(const struct mp_inject_target *target, uint64_t own,
		       void (*take)(void *context, uint64_t region), void *context)
{
	struct region_search search = { .target = target, .own = own };
	size_t i;

	mp_maps_each(target->pid, take_mapping, &search);
	for (i = 0; i < search.nr; i++)
		if (!mp_any_thread_in(target->pid, search.found[i],
				      search.found[i] + MP_REGION_SIZE))
			take(context, search.found[i]);
}
