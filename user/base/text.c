// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * text: escapes names
 *
 * The functions need one pass over the text, allocate nothing, and do not depend on
 * the locale. They cannot fail: a text that is too long is cut.
 */
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Patterns of a character's first byte, by the number of bytes that follow.
 * @least: smallest code point of this length; a smaller one is not valid UTF-8.
 */
static const struct {
	uint8_t mask;
	uint8_t value;
	uint32_t least;
} leads[] = {
	{ 0x80, 0x00, 0x0 },
	{ 0xe0, 0xc0, 0x80 },
	{ 0xf0, 0xe0, 0x800 },
	{ 0xf8, 0xf0, 0x10000 },
};

bool mp_text_is_seen(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	/*
	 * Invisible characters, marks that change the direction of text, and
	 * separators of lines and paragraphs. Joiners (U+200C, U+200D) are
	 * allowed, because some scripts need them.
	 */
	if (code == 0x200b || code == 0x200e || code == 0x200f ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f) || code == 0xfeff)
		return false;
	return true;
}

size_t mp_text_character(const char *text, size_t len, uint32_t *character)
{
	const uint8_t *from = (const uint8_t *)text;
	uint32_t code;
	size_t more, i;

	for (more = 0; more < 4; more++)
		if ((from[0] & leads[more].mask) == leads[more].value)
			break;
	if (more == 4 || more >= len)
		return 0;
	code = from[0] & (uint8_t)~leads[more].mask;
	for (i = 1; i <= more; i++) {
		if ((from[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (from[i] & 0x3f);
	}
	if (code < leads[more].least || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	*character = code;
	return more + 1;
}

/* Returns the bytes of the character at @from; 0 if it is invalid or not visible. */
static size_t visible_length(const char *from, size_t len)
{
	uint32_t code = 0;
	size_t nr = mp_text_character(from, len, &code);

	return nr && mp_text_is_seen(code) ? nr : 0;
}

void mp_text_escape(char *to, size_t size, const char *from, size_t len)
{
	size_t end = strnlen(from, len);
	size_t i = 0, out = 0, n;

	while (i < end) {
		n = visible_length(from + i, end - i);
		if (out + (n ? n : 4) >= size)
			break;
		if (n) {
			memcpy(to + out, from + i, n);
			out += n;
			i += n;
		} else {
			out += snprintf(to + out, 5, "\\x%02x", (uint8_t)from[i++]);
		}
	}
	to[out] = '\0';
}

bool mp_text_is_printable(const char *text, size_t size)
{
	size_t end = strnlen(text, size), i, n;

	for (i = 0; i < end; i += n) {
		n = visible_length(text + i, end - i);
		if (!n)
			return false;
	}
	return end < size;
}

size_t mp_text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}
