/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-name: the names that compilers make, as programmers wrote them
 */
#ifndef MP_DEMANGLE_H
#define MP_DEMANGLE_H

#include <stddef.h>

/**
 * mp_demangle - demangle C++ and Rust
 * @to: result, printable and NUL-terminated; the name itself where it is not
 *	mangled
 * @size: bytes at @to, at least 1
 * @name: of the symbol
 *
 * Return: @to.
 */
const char *mp_demangle(char *to, size_t size, const char *name);

#endif
