/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * number: numbers that users give
 */
#ifndef MP_NUMBER_H
#define MP_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_command_number - a number that a user gave
 * @text: decimal digits and nothing else
 *
 * Return: whether it is one from @min to @max.
 */
bool mp_command_number(const char *text, uint64_t min, uint64_t max,
		       uint64_t *number);

/**
 * mp_command_bytes - a size that a user gave
 * @text: decimal digits, then K, M, G (powers of 1024) or nothing
 *
 * Return: whether it is one from @min to @max.
 */
bool mp_command_bytes(const char *text, uint64_t min, uint64_t max,
		      uint64_t *bytes);

#endif
