/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache-dir: the folder of the symbol cache
 */
#ifndef MP_CACHE_DIR_H
#define MP_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/**
 * mp_cache_dir_open - the folder, if it is our own
 * @create: make it where it is not there
 *
 * Return: a file descriptor, or -1.
 */
int mp_cache_dir_open(bool create);

/** mp_cache_dir_put - write a file at once, or not at all */
void mp_cache_dir_put(int dir, const char *name, const void *data,
		      size_t size);

/** mp_cache_dir_trim - remove the oldest files until @max bytes are left */
void mp_cache_dir_trim(int dir, size_t max);

#endif
