/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build-id: the note that names a build of a binary
 */
#ifndef MP_BUILD_ID_H
#define MP_BUILD_ID_H

#include "profile.h"

/**
 * mp_build_id_read - as the kernel would read it for a mapping
 * @path: of a regular file; nothing else is opened
 * @id: out, MP_BUILD_ID_SIZE bytes
 *
 * Return: bytes of it; 0 where there is none.
 */
uint32_t mp_build_id_read(const char *path, uint8_t *id);

#endif
