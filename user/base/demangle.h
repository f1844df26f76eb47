/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * demangle: turns mangled symbol names into source names
 */
#ifndef MP_DEMANGLE_H
#define MP_DEMANGLE_H

#include <stddef.h>

/**
 * mp_demangle - demangle a C++ or Rust name
 * @to: result, printable and NUL-terminated; a copy of @name if it is not
 *	mangled
 * @size: bytes at @to, at least 1
 * @name: name of the symbol, as it is in the ELF file
 *
 * Return: @to.
 */
const char *mp_demangle(char *to, size_t size, const char *name);

#endif
