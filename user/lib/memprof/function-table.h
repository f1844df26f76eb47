/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * function-table.h: frames of stacks that stand for interpreted functions.
 */
#ifndef MEMPROF_FUNCTION_TABLE_H
#define MEMPROF_FUNCTION_TABLE_H

#include <memprof/region.h>

#include <stdint.h>

/* Bytes of a name, with its NUL. */
#define MP_FUNCTION_TEXT	sizeof(((struct memprof_region_function *)0)->text)

#pragma GCC visibility push(hidden)

uintptr_t mp_functions_find(uint64_t digest);
uintptr_t mp_functions_add(uint64_t digest, const char *text, uint32_t line);
const struct memprof_region_function *mp_functions_at(uintptr_t frame);
void mp_functions_begin(void);

#pragma GCC visibility pop

#endif
