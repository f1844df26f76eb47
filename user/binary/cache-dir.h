/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache-dir: opens, writes and trims the folder of symbols and of programs
 */
#ifndef MP_CACHE_DIR_H
#define MP_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Limit of all files together, in bytes. */
#define MP_CACHE_DIR_MAX	(1UL << 30)

/**
 * mp_cache_dir_open - open the folder, if it belongs to the user
 * @create: create it if it does not exist
 *
 * Return: a file descriptor, or -1.
 */
int mp_cache_dir_open(bool create);

/** mp_cache_dir_put - write a file; the file is either complete or not created */
void mp_cache_dir_put(int dir, const char *name, const void *data,
		      size_t size);

/**
 * mp_cache_dir_copy - write a file with what is read from @from
 * @max: the most bytes; of a longer file none is written
 *
 * Blocks are shared, where the file system can do that.
 *
 * Return: true if the file is there, and complete.
 */
bool mp_cache_dir_copy(int dir, const char *name, int from, size_t max);

/** mp_cache_dir_trim - remove the oldest files until at most @max bytes are left */
void mp_cache_dir_trim(int dir, size_t max);

#endif
