/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * text: names that strangers chose, made safe to show
 *
 * A task may call itself anything, escape sequences included. Every such name
 * passes through here once, on its way into a profile.
 */
#ifndef MP_TEXT_H
#define MP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * mp_text_escape - make bytes printable and valid UTF-8
 * @to: result, NUL-terminated; cut between characters where it does not fit
 * @size: bytes at @to, at least 1
 * @from: the bytes
 * @len: how many; a NUL among them ends the name
 *
 * Bytes that are not UTF-8, control characters and invisible or
 * direction-changing characters become \xNN, byte by byte. A backslash stays
 * itself (cgroup names are full of them), so the result of escaping twice is
 * that of escaping once. At most 4 bytes come out for one.
 */
void mp_text_escape(char *to, size_t size, const char *from, size_t len);

/**
 * mp_text_character - the UTF-8 character that a text begins with
 * @len: bytes of the text, not 0
 * @character: out, its number
 *
 * Return: bytes of it, 0: it is not UTF-8.
 */
size_t mp_text_character(const char *text, size_t len, uint32_t *character);

/** mp_text_is_seen - not one that controls, hides or reorders what is shown */
bool mp_text_is_seen(uint32_t character);

/**
 * mp_text_is_printable - whether a text could come from mp_text_escape()
 * @size: bytes at @text, of which one must end it
 */
bool mp_text_is_printable(const char *text, size_t size);

/**
 * mp_text_width - columns that an escaped name takes
 *
 * Counts characters; wide and combining ones are not told apart.
 */
size_t mp_text_width(const char *text);

#endif
