// SPDX-License-Identifier: GPL-2.0-only
/*
 * file-set: a bounded hash table of files
 *
 * A set of MP_FILE_SET_MAX files takes 600 KB. A file that is refused is
 * counted.
 */
#include "file-set.h"

#include <errno.h>

int mp_file_set_add(struct mp_file_set *set, uint64_t dev, uint64_t inode)
{
	uint32_t *known;

	if (mp_map_find(&set->files, dev, inode))
		return 0;
	if (set->files.nr == MP_FILE_SET_MAX) {
		set->nr_refused++;
		return -ENOSPC;
	}
	known = mp_map_add(&set->files, dev, inode);
	if (!known) {
		set->nr_refused++;
		return -ENOMEM;
	}
	*known = 1;
	return 1;
}

bool mp_file_set_has(const struct mp_file_set *set, uint64_t dev,
		     uint64_t inode)
{
	return mp_map_find(&set->files, dev, inode);
}

void mp_file_set_free(struct mp_file_set *set)
{
	mp_map_free(&set->files);
	*set = (struct mp_file_set){ 0 };
}
