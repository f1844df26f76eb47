/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known-wrappers: names of functions that allocate for others
 */
#ifndef MP_KNOWN_WRAPPERS_H
#define MP_KNOWN_WRAPPERS_H

#include <stdbool.h>

/** mp_known_wrapper - whether a demangled name is one of them */
bool mp_known_wrapper(const char *name);

/**
 * mp_known_wrapper_may_be - whether it is worth to demangle a name for that
 * @name: as the file has it
 *
 * Return: false only where mp_known_wrapper() of the demangled name is.
 */
bool mp_known_wrapper_may_be(const char *name);

#endif
