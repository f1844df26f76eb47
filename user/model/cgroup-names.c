// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroup-names: the hash table
 *
 * At most half full, so a lookup is a step or two. Out of memory leaves the
 * table as it was.
 */
#include "cgroup-names.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The slot that holds @id, or the free one where it belongs. */
static struct mp_cgroup_name *slot_of(const struct mp_cgroup_names *names,
				      uint64_t id)
{
	/* 2^64 / golden ratio: spreads the small numbers that inodes are */
	size_t i = (id * 0x9e3779b97f4a7c15ULL) >> 32;

	while (names->slots[i & (names->nr_slots - 1)].path &&
	       names->slots[i & (names->nr_slots - 1)].id != id)
		i++;
	return &names->slots[i & (names->nr_slots - 1)];
}

static int grow(struct mp_cgroup_names *names)
{
	struct mp_cgroup_names wide = {
		.nr_slots = names->nr_slots ? names->nr_slots * 2 : 64,
		.nr = names->nr,
	};
	size_t i;

	wide.slots = calloc(wide.nr_slots, sizeof(*wide.slots));
	if (!wide.slots)
		return -ENOMEM;
	for (i = 0; i < names->nr_slots; i++)
		if (names->slots[i].path)
			*slot_of(&wide, names->slots[i].id) = names->slots[i];
	free(names->slots);
	*names = wide;
	return 0;
}

int mp_cgroup_names_add(struct mp_cgroup_names *names, uint64_t id,
			const char *path)
{
	size_t size = strlen(path) * 4 + 1;
	struct mp_cgroup_name *slot;

	if (!id || !path[0] || mp_cgroup_names_find(names, id))
		return 0;
	if (names->nr * 2 >= names->nr_slots && grow(names))
		return -ENOMEM;
	slot = slot_of(names, id);
	slot->path = malloc(size);
	if (!slot->path)
		return -ENOMEM;
	mp_text_escape(slot->path, size, path, size);
	slot->id = id;
	names->nr++;
	return 0;
}

const char *mp_cgroup_names_find(const struct mp_cgroup_names *names,
				 uint64_t id)
{
	return names->nr_slots ? slot_of(names, id)->path : NULL;
}

void mp_cgroup_names_free(struct mp_cgroup_names *names)
{
	size_t i;

	for (i = 0; i < names->nr_slots; i++)
		free(names->slots[i].path);
	free(names->slots);
	*names = (struct mp_cgroup_names){ 0 };
}
