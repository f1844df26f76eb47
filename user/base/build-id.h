/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build-id: reads the ELF note that identifies a build of a binary
 */
#ifndef MP_BUILD_ID_H
#define MP_BUILD_ID_H

#include <stdint.h>

/* Size of the largest build-id that the kernel reports, in bytes. */
#define MP_BUILD_ID_SIZE	20

/**
 * mp_build_id_read - read the build-id that the kernel would report for a
 * mapping
 * @path: of a regular file; other kinds of files are not opened
 * @id: out, MP_BUILD_ID_SIZE bytes
 *
 * Return: number of bytes of the build-id; 0 if the file has none.
 */
uint32_t mp_build_id_read(const char *path, uint8_t *id);

/** mp_build_id_read_fd - the same of a file that is open for reading */
uint32_t mp_build_id_read_fd(int fd, uint8_t *id);

#endif
