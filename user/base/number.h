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

/**
 * mp_command_duration - parse a time
 * @text: a decimal number, then ms, s, m, h, d, or nothing for seconds; such as 0.5 or 2h
 * @ms: out: the time in milliseconds; what is below one is cut
 *
 * Return: true if @text is a time from @min_ms to @max_ms.
 */
bool mp_command_duration(const char *text, uint64_t min_ms, uint64_t max_ms,
			 uint64_t *ms);

#endif
