/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file-set: a set of files, such as those that were examined
 */
#ifndef MP_FILE_SET_H
#define MP_FILE_SET_H

#include "map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of files in a set. A large machine runs fewer binaries at once. */
#define MP_FILE_SET_MAX	16384

/**
 * struct mp_file_set - the files; all zero means empty
 * @files: by device and inode number
 * @nr_refused: files refused because the set was full or memory was short
 */
struct mp_file_set {
	struct mp_map files;
	size_t nr_refused;
};

/**
 * mp_file_set_add - add a file
 *
 * Return: 1 if the file is new, 0 if the set already had it. -ENOSPC if the set
 * is full, -ENOMEM if memory is short; @nr_refused counts both.
 */
int mp_file_set_add(struct mp_file_set *set, uint64_t dev, uint64_t inode);

/** mp_file_set_has - whether a file is in the set */
bool mp_file_set_has(const struct mp_file_set *set, uint64_t dev,
		     uint64_t inode);

/** mp_file_set_free - free all; the set is empty afterwards */
void mp_file_set_free(struct mp_file_set *set);

#endif
