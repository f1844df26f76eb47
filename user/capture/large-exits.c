// SPDX-License-Identifier: GPL-2.0-only
/*
 * large-exits: reads the processes of a profile, and remembers commands
 *
 * It costs one pass over the rows. If there are more commands than it remembers, one that was
 * forgotten is reported once more.
 */
#include "large-exits.h"

#include <stdio.h>
#include <string.h>

/* As long as a capture reaches back. */
#define QUIET_NS	(600 * 1000000000ULL)

/* Finds the place of a command, or of the one that was seen least recently. */
static struct mp_large_exit *place_of(struct mp_large_exits *exits, const struct mp_row *row)
{
	struct mp_large_exit *oldest = exits->list, *exit;

	for (exit = exits->list; exit < exits->list + MP_LARGE_EXITS_MAX; exit++) {
		if (exit->time_ns && exit->cgroup == row->cgroup &&
		    !strcmp(exit->comm, row->comm))
			return exit;
		if (exit->time_ns < oldest->time_ns)
			oldest = exit;
	}
	*oldest = (struct mp_large_exit){ .cgroup = row->cgroup };
	strcpy(oldest->comm, row->comm);
	return oldest;
}

/* Remembers an exit. Returns whether it is the first one for some time. */
static bool is_first(struct mp_large_exits *exits, const struct mp_row *row)
{
	struct mp_large_exit *exit = place_of(exits, row);
	const bool first = !exit->time_ns || row->exit_ns > exit->time_ns + QUIET_NS;

	if (row->exit_ns > exit->time_ns)
		exit->time_ns = row->exit_ns;
	return first;
}

static void describe(struct mp_memory_trouble *trouble, const struct mp_profile *profile,
		     const struct mp_row *row, uint64_t bound)
{
	char id[MP_CGROUP_ID_SIZE];

	trouble->event = MP_MEMORY_EXIT;
	snprintf(trouble->cgroup, sizeof(trouble->cgroup), "%s",
		 mp_profile_cgroup(profile, row->cgroup, id));
	trouble->cause = (struct mp_memory_cause){
		.value = row->value[MP_RESIDENT], .bound = bound, .pid = row->pid,
	};
	snprintf(trouble->cause.comm, sizeof(trouble->cause.comm), "%s", row->comm);
}

bool mp_large_exits_look(struct mp_large_exits *exits, const struct mp_profile *profile,
			 uint64_t bound, bool (*is_known)(void *context, uint32_t pid),
			 void *context, struct mp_memory_trouble *trouble)
{
	const struct mp_row *row;
	uint64_t last_ns = exits->seen_ns;

	*trouble = (struct mp_memory_trouble){ .event = MP_NR_MEMORY_EVENTS };
	for (row = profile->rows; row < profile->rows + profile->nr_rows; row++) {
		if (row->kind != MP_ROW_PROCESS || !(row->flags & MP_ROW_EXITED) ||
		    row->exit_ns <= exits->seen_ns)
			continue;
		if (row->exit_ns > last_ns)
			last_ns = row->exit_ns;
		if (row->value[MP_RESIDENT] < bound || is_known(context, row->pid) ||
		    !is_first(exits, row))
			continue;
		trouble->counts[MP_MEMORY_EXIT]++;
		if (row->value[MP_RESIDENT] > trouble->cause.value)
			describe(trouble, profile, row, bound);
	}
	exits->seen_ns = last_ns;
	return trouble->event == MP_MEMORY_EXIT;
}
