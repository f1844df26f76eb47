/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * write-all: writes all bytes to a file
 */
#ifndef MP_WRITE_ALL_H
#define MP_WRITE_ALL_H

#include <stddef.h>

/**
 * mp_write_all - write @size bytes at the file's offset, in as many calls as it takes
 *
 * Return: 0, or a negative errno.
 */
int mp_write_all(int fd, const void *data, size_t size);

#endif
