// SPDX-License-Identifier: GPL-2.0-only
/*
 * grouping: clears the fields of rows that are not keys
 *
 * The cost is one pass over the rows. Nothing can fail.
 */
#include "grouping.h"
#include "sampler-library.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned int key;
} keys[] = {
	{ "pid", MP_GROUP_PID }, { "process", MP_GROUP_PID },
	{ "comm", MP_GROUP_COMM }, { "cgroup", MP_GROUP_CGROUP },
	{ "host", MP_GROUP_HOST },
	{ "callsite", MP_GROUP_CALLSITE }, { "line", MP_GROUP_LINE },
	{ "symbol", MP_GROUP_SYMBOL },
	{ "source", MP_GROUP_SOURCE }, { "binary", MP_GROUP_BINARY },
};

unsigned int mp_grouping_find(const char *text)
{
	unsigned int found = 0, key;
	size_t i, len;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		for (i = 0, key = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strlen(keys[i].name) == len &&
			    !strncmp(keys[i].name, text, len))
				key = keys[i].key;
		if (!key)
			return 0;
		found |= key;
		if (!text[len])
			return found;
	}
}

static enum mp_location_scope scope_of(unsigned int keys)
{
	return keys & MP_GROUP_CALLSITE ? MP_SCOPE_ADDRESS :
	       keys & MP_GROUP_LINE ? MP_SCOPE_LINE :
	       keys & MP_GROUP_SYMBOL ? MP_SCOPE_FUNCTION :
	       keys & MP_GROUP_SOURCE ? MP_SCOPE_SOURCE :
	       keys & MP_GROUP_BINARY ? MP_SCOPE_BINARY : MP_SCOPE_ANY;
}

/* What the sampler touches for itself is one row, unless addresses are asked for. */
static enum mp_location_scope scope_of_row(const struct mp_profile *profile,
					   const struct mp_row *row, unsigned int keys)
{
	const enum mp_location_scope scope = scope_of(keys);
	const uint32_t binary = row->location.binary;

	return scope > MP_SCOPE_ADDRESS && scope < MP_SCOPE_BINARY && binary &&
	       mp_sampler_library_is(profile->binaries[binary - 1].path) ?
	       MP_SCOPE_BINARY : scope;
}

void mp_grouping_apply(struct mp_profile *profile, unsigned int keys)
{
	const unsigned int whose = MP_GROUP_PID | MP_GROUP_COMM |
				   MP_GROUP_CGROUP;
	size_t i;

	for (i = 0; i < profile->nr_rows; i++) {
		struct mp_row *row = &profile->rows[i];

		if (!mp_row_has_location(row) || row->flags & MP_ROW_OVERFLOW)
			continue;
		if (!(keys & MP_GROUP_PID)) {
			row->only_pid = row->pid;
			row->pid = 0;
			row->start_ns = 0;
		}
		/*
		 * the owner is no key: merge running processes with sums of
		 * exited processes
		 */
		if ((keys & whose) != whose)
			row->flags &= ~MP_ROW_FOLDED;
		if (!(keys & MP_GROUP_COMM))
			memset(row->comm, 0, sizeof(row->comm));
		if (!(keys & MP_GROUP_HOST))
			row->host = 0;
		if (!(keys & MP_GROUP_CGROUP))
			row->cgroup = 0;
		row->location.scope = scope_of_row(profile, row, keys);
	}
}
