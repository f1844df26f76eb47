/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file-set: the files that were examined already
 */
#ifndef MP_FILE_SET_H
#define MP_FILE_SET_H

#include "map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Then the set is full. More binaries than a large machine runs at once. */
#define MP_FILE_SET_MAX	16384

/**
 * struct mp_file_set - the files; all zero is an empty set
 * @files: by file system and inode number
 * @nr_refused: files that found the set full
 */
struct mp_file_set {
	struct mp_map files;
	size_t nr_refused;
};

/**
 * mp_file_set_add - remember a file
 *
 * Return: 1 if it is new, 0 if it was there; -ENOSPC where the set is full and
 * -ENOMEM without memory, and it is counted.
 */
int mp_file_set_add(struct mp_file_set *set, uint64_t dev, uint64_t inode);

/** mp_file_set_has - whether a file is in it */
bool mp_file_set_has(const struct mp_file_set *set, uint64_t dev,
		     uint64_t inode);

/** mp_file_set_free - free all; the set is empty afterwards */
void mp_file_set_free(struct mp_file_set *set);

#endif
