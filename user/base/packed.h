/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed: compresses files with zstd, and unpacks those of zstd and of gzip within a limit
 */
#ifndef MP_PACKED_H
#define MP_PACKED_H

#include <stdbool.h>
#include <stdint.h>

/** mp_packed_is - whether an open file begins like a compressed one; reads from offset 0 */
bool mp_packed_is(int fd);

/**
 * mp_packed_write - compress a file as zstd(1) does
 * @from: file to read, from its begin
 * @to: file to write, from its current offset
 *
 * Both descriptors stay open. The file has a checksum.
 *
 * Return: 0, or a negative errno.
 */
int mp_packed_write(int from, int to);

/**
 * mp_packed_read - unpack a file of mp_packed_write(), zstd(1) or gzip(1)
 * @from: file to read, from its begin
 * @to: file to write, from its current offset
 * @max_bytes: limit of what is written
 *
 * Both descriptors stay open.
 *
 * Return: 0; -EBADMSG if the file is damaged or incomplete; -EFBIG if there is more than
 * @max_bytes in it; another negative errno.
 */
int mp_packed_read(int from, int to, uint64_t max_bytes);

#endif
