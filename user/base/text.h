/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * text: makes untrusted names safe to show
 *
 * A task can have any name, even one with escape sequences of terminals. Each name is
 * escaped once, when it is added to a profile.
 */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_text_escape - make bytes printable and valid UTF-8
 * @to: result, NUL-terminated; cut between characters if it is too long
 * @size: bytes at @to, at least 1
 * @from: the bytes
 * @len: number of bytes; a NUL byte ends the name earlier
 *
 * Invalid UTF-8, control characters, and invisible or direction-changing
 * characters become \xNN, byte by byte. A backslash does not change, because
 * cgroup names contain many. So escaping twice gives the same result as
 * escaping once. Each byte becomes 4 bytes at most.
 */
void mp_text_escape(char *to, size_t size, const char *from, size_t len);

/**
 * mp_text_character - decode the first UTF-8 character of a text
 * @len: bytes of the text, not 0
 * @character: out: code point of the character
 *
 * Return: bytes of the character; 0 if it is not valid UTF-8.
 */
size_t mp_text_character(const char *text, size_t len, uint32_t *character);

/** mp_text_is_seen - whether a character is visible and does not reorder text */
bool mp_text_is_seen(uint32_t character);

/**
 * mp_text_is_printable - whether mp_text_escape() could have returned a text
 * @size: bytes at @text, including its NUL
 */
bool mp_text_is_printable(const char *text, size_t size);

/**
 * mp_text_width - number of columns that an escaped name takes in a table
 *
 * Each character counts as one column, also wide and combining characters.
 */
size_t mp_text_width(const char *text);

#endif
