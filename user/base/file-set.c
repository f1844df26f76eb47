// SPDX-License-Identifier: GPL-2.0-only
/*
 * file-set: the hash table
 *
 * At most half full and at most MP_FILE_SET_MAX files, 512 KB then.
 */
#include "file-set.h"

#include <errno.h>
#include <stdlib.h>

static struct mp_file_id *slot_of(const struct mp_file_set *set,
				  const struct mp_file_id *id)
{
	/* 2^64 / golden ratio: spreads the small numbers that inodes are */
	size_t i = ((id->inode ^ id->dev << 32) * 0x9e3779b97f4a7c15ULL) >> 32;
	struct mp_file_id *slot;

	for (;; i++) {
		slot = &set->slots[i & (set->nr_slots - 1)];
		if (!slot->inode ||
		    (slot->inode == id->inode && slot->dev == id->dev))
			return slot;
	}
}

static int grow(struct mp_file_set *set)
{
	struct mp_file_set wide = *set;
	size_t i;

	wide.nr_slots = set->nr_slots ? set->nr_slots * 2 : 256;
	wide.slots = calloc(wide.nr_slots, sizeof(*wide.slots));
	if (!wide.slots)
		return -ENOMEM;
	for (i = 0; i < set->nr_slots; i++)
		if (set->slots[i].inode)
			*slot_of(&wide, &set->slots[i]) = set->slots[i];
	free(set->slots);
	*set = wide;
	return 0;
}

int mp_file_set_add(struct mp_file_set *set, uint64_t dev, uint64_t inode)
{
	struct mp_file_id id = { dev, inode }, *slot;
	int err = 0;

	if (!set->nr_slots)
		err = grow(set);
	slot = err ? NULL : slot_of(set, &id);
	if (slot && slot->inode)
		return 0;
	if (!err && set->nr == MP_FILE_SET_MAX)
		err = -ENOSPC;
	if (!err && set->nr * 2 >= set->nr_slots)
		err = grow(set);
	if (err) {
		set->nr_refused++;
		return err;
	}
	*slot_of(set, &id) = id;
	set->nr++;
	return 1;
}

bool mp_file_set_has(const struct mp_file_set *set, uint64_t dev,
		     uint64_t inode)
{
	const struct mp_file_id id = { dev, inode };

	return set->nr_slots && slot_of(set, &id)->inode;
}

void mp_file_set_free(struct mp_file_set *set)
{
	free(set->slots);
	*set = (struct mp_file_set){ 0 };
}
