/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * safe-function: functions of C libraries and allocators, by name
 */
#ifndef MP_SAFE_FUNCTION_H
#define MP_SAFE_FUNCTION_H

#include <stdbool.h>

/** mp_function_is_forbidden - whether no caller of dlopen() may be inside it */
bool mp_function_is_forbidden(const char *name);

/** mp_function_is_harmless - whether a thread inside it holds no lock of the C library */
bool mp_function_is_harmless(const char *name);

/** mp_function_allocates - whether it belongs to an allocator that is part of a program */
bool mp_function_allocates(const char *name);

#endif
