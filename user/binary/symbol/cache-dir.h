/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache-dir: opens, writes and trims the folder of the symbol cache
 */
#ifndef MP_CACHE_DIR_H
#define MP_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>

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

/** mp_cache_dir_trim - remove the oldest files until at most @max bytes are left */
void mp_cache_dir_trim(int dir, size_t max);

#endif
