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

const struct mp_left_over mp_left_over_mark = { "memprof inject" };

struct region_search {
	const struct mp_inject_target *target;
	struct mp_left_overs *found;
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
	const struct region_search *search = context;

	if (!mp_map_is_executable(line) || line->inode ||
	    line->end - line->start != MP_REGION_CODE ||
	    !mp_left_over_at(search->target, line->start) ||
	    mp_any_thread_in(pid, line->start, line->start + MP_REGION_SIZE))
		return 0;
	search->found->at[search->found->nr++] = line->start;
	return search->found->nr == MP_LEFT_OVERS;
}

void mp_left_over_find(const struct mp_inject_target *target, struct mp_left_overs *found)
{
	struct region_search search = { .target = target, .found = found };

	found->nr = 0;
	mp_maps_each(target->pid, take_mapping, &search);
}
