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
 * A longer name loses its template arguments ("<...>"). If it is still too long, it loses
 * its parameters, too ("(...)"), and then its end ("...").
 */
void mp_short_name(char *to, size_t width, const char *name);

#endif
