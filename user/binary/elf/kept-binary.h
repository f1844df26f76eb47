/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kept-binary: keeps copies of recorded programs, for reports after the next build
 *
 * A recording has addresses; their names are in the program. A program that is built again
 * at the same place takes them away. So recordings leave a copy in the cache folder, under
 * the build-id.
 */
#ifndef MP_KEPT_BINARY_H
#define MP_KEPT_BINARY_H

#include "profile.h"

/* The largest program of which a copy is kept, in bytes. */
#define MP_KEPT_BINARY_MAX	(256UL << 20)

/**
 * mp_kept_binary_put - keep a copy of a program, unless there is one
 * @path: its file; it is not kept if it is another build by now, or if others can write to it
 * @id: build-id
 * @size: bytes of the build-id
 *
 * If the folder becomes too large, its oldest files are removed.
 *
 * Return: bytes that were copied, 0 if there was a copy, -1 if there is none.
 */
int64_t mp_kept_binary_put(const char *path, const uint8_t *id, size_t size);

/**
 * mp_kept_binary_open - open the copy of a binary
 * @path: out: its path, @size bytes; unchanged without a copy
 *
 * Return: a file descriptor, or -1.
 */
int mp_kept_binary_open(const struct mp_binary *binary, char *path, size_t size);

#endif
