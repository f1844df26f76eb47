/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * short-name: shortens names of C++ functions for tables
 */
#ifndef MP_SHORT_NAME_H
#define MP_SHORT_NAME_H

#include <stddef.h>

/**
 * mp_short_name - write a name with at most a number of characters
 * @to: out; @width + 1 bytes, @width is 4 at least
 * @name: demangled
 *
 * If the name is longer, what template arguments there are becomes "<...>". If that is not
 * enough, parameters become "(...)"; and then the end becomes "...".
 */
void mp_short_name(char *to, size_t width, const char *name);

#endif
