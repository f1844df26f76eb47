/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * python-text: the lines of a code object, and the characters of a string, of Python
 */
#ifndef MP_PYTHON_TEXT_H
#define MP_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

/**
 * mp_python_line - the line of an instruction, of Python 3.11 and later
 * @lines, @size: co_linetable of its code object; untrusted
 * @at: distance of the instruction from the first one, in bytes
 * @first_line: of the function; it is returned if the line is not known
 */
uint32_t mp_python_line(const void *lines, size_t size, uint64_t at, uint32_t first_line);

/**
 * mp_python_utf8 - write characters in UTF-8, without a NUL behind them
 * @characters: of @width bytes each; may not be aligned
 * @width: 1, 2 or 4
 * @length: number of characters
 * @to, @room: as many are written as have room; a NUL becomes a question mark
 *
 * Return: bytes written.
 */
size_t mp_python_utf8(const void *characters, uint32_t width, uint64_t length, char *to,
		      size_t room);

#endif
