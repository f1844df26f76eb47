// SPDX-License-Identifier: GPL-2.0-only
/*
 * renamed: counts in how many runs of each side a command is
 */
#include "renamed.h"

#include <stdio.h>
#include <string.h>

/* Returns the index of a command, or the number of commands. */
static size_t find_command(const struct mp_renamed_side *side, const char *command)
{
	size_t i;

	for (i = 0; i < side->nr && strcmp(side->list[i], command); i++)
		;
	return i;
}

void mp_renamed_begin(struct mp_renamed_side *side)
{
	side->nr_runs++;
}

void mp_renamed_add(struct mp_renamed_side *side, const char *command)
{
	const size_t i = find_command(side, command);

	if (!command[0])
		return;
	if (i == MP_RENAMED_MAX) {
		side->has_more = true;
		return;
	}
	if (i == side->nr)
		snprintf(side->list[side->nr++], MP_COMM_SIZE, "%s", command);
	side->runs[i] += side->last[i] != side->nr_runs;
	side->last[i] = side->nr_runs;
}

/* The only command of all runs of a side that no run of the other one has, or NULL. */
static const char *only_command(const struct mp_renamed_side *side,
				const struct mp_renamed_side *other)
{
	const char *only = NULL;
	size_t i;

	for (i = 0; i < side->nr; i++) {
		if (side->runs[i] < side->nr_runs ||
		    find_command(other, side->list[i]) < other->nr)
			continue;
		if (only)
			return NULL;
		only = side->list[i];
	}
	return only;
}

bool mp_renamed_find(struct mp_renamed *renamed)
{
	const struct mp_renamed_side *old = &renamed->sides[0], *new = &renamed->sides[1];
	const char *was = only_command(old, new), *is = only_command(new, old);

	if (!was || !is || old->has_more || new->has_more)
		return false;
	snprintf(renamed->was, sizeof(renamed->was), "%s", was);
	snprintf(renamed->is, sizeof(renamed->is), "%s", is);
	return true;
}
