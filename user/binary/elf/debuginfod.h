/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debuginfod: debug files from the servers in $DEBUGINFOD_URLS
 */
#ifndef MP_DEBUGINFOD_H
#define MP_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_debuginfod_hide - keep $DEBUGINFOD_URLS from libraries that would ask the
 * servers unasked; mp_debuginfod_find() still does
 */
void mp_debuginfod_hide(void);

/**
 * mp_debuginfod_find - fetch the debug file of a build
 * @path: out: where it is now
 * @build_id: @id_size bytes
 *
 * Only for who asked for it: tells a server what is run here, and may take a
 * minute. Needs libdebuginfod, which is looked for only now.
 *
 * Return: whether there is one.
 */
bool mp_debuginfod_find(char *path, size_t size, const uint8_t *build_id,
			size_t id_size);

#endif
