/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * out-path.h: builds the names of region files.
 */
#ifndef MEMPROF_OUT_PATH_H
#define MEMPROF_OUT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#define MP_OUT_PATH_SIZE	1024
#define MP_OUT_PATH_TRIES	1000

bool mp_out_path(char *path, const char *pattern, int attempt);
bool mp_out_path_default(char *pattern);
void mp_out_path_keep(char *kept, const char *pattern);

#endif
