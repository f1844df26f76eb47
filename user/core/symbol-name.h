/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-name: the names that compilers make, as programmers wrote them
 */
#ifndef MP_SYMBOL_NAME_H
#define MP_SYMBOL_NAME_H

#include <stddef.h>

/**
 * mp_symbol_name - demangle C++ and Rust
 * @to: result, printable and NUL-terminated; the name itself where it is not
 *	mangled
 * @size: bytes at @to, at least 1
 * @name: of the symbol
 *
 * Return: @to.
 */
const char *mp_symbol_name(char *to, size_t size, const char *name);

#endif
