/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number: parses numbers that users give
 */
#ifndef MP_NUMBER_H
#define MP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_command_number - parse a number
 * @text: decimal digits and nothing else
 * @number: out: the number
 *
 * Return: true if @text is a number from @min to @max.
 */
bool mp_command_number(const char *text, uint64_t min, uint64_t max,
		       uint64_t *number);

/**
 * mp_command_bytes - parse a size
 * @text: decimal digits, then K, M, G (powers of 1024) or nothing
 * @bytes: out: the size in bytes
 *
 * Return: true if @text is a size from @min to @max.
 */
bool mp_command_bytes(const char *text, uint64_t min, uint64_t max,
		      uint64_t *bytes);

#endif
