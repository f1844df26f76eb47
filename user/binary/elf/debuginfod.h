/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debuginfod: downloads debug files from the servers in $DEBUGINFOD_URLS
 */
#ifndef MP_DEBUGINFOD_H
#define MP_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_debuginfod_hide - remove $DEBUGINFOD_URLS from the environment, so that
 * libraries ask no server without the user's request
 *
 * mp_debuginfod_find() still uses it.
 */
void mp_debuginfod_hide(void);

/**
 * mp_debuginfod_obstacle - why no server can be asked
 *
 * Return: what is missing, for a person, or NULL. The library is only looked for if there are
 * servers.
 */
const char *mp_debuginfod_obstacle(void);

/**
 * mp_debuginfod_find - download the debug file of a build-id
 * @path: out: path of the downloaded file
 * @size: bytes at @path
 * @build_id: @id_size bytes
 *
 * Call it only if the user asked for it: a server learns which programs run
 * here. It can take a minute. It loads libdebuginfod if installed.
 *
 * Return: true if there is a debug file.
 */
bool mp_debuginfod_find(char *path, size_t size, const uint8_t *build_id,
			size_t id_size);

#endif
