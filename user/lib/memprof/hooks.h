/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hooks.h: functions of hooks.c that not all versions of <stdlib.h> declare.
 */
#ifndef MEMPROF_HOOKS_H
#define MEMPROF_HOOKS_H

#include <stddef.h>

void free_sized(void *p, size_t size);
void free_aligned_sized(void *p, size_t alignment, size_t size);

#endif
