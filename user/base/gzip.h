/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gzip: compresses files, and unpacks them within a limit
 */
#ifndef MP_GZIP_H
#define MP_GZIP_H

#include <stdbool.h>
#include <stdint.h>

/** mp_gzip_is - whether an open file begins like a compressed one; reads from offset 0 */
bool mp_gzip_is(int fd);

/**
 * mp_gzip_pack - compress a file
 * @from: file to read, from its begin
 * @to: file to write, from its current offset
 *
 * Both descriptors stay open.
 *
 * Return: 0, or a negative errno.
 */
int mp_gzip_pack(int from, int to);

/**
 * mp_gzip_unpack - unpack a file that mp_gzip_pack() or gzip(1) made
 * @from: file to read, from its begin
 * @to: file to write, from its current offset
 * @max_bytes: limit of what is written
 *
 * Both descriptors stay open.
 *
 * Return: 0; -EBADMSG if the file is damaged or incomplete; -EFBIG if there is more than
 * @max_bytes in it; another negative errno.
 */
int mp_gzip_unpack(int from, int to, uint64_t max_bytes);

#endif
