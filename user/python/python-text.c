// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * python-text: reads tables of lines, and strings
 */
#include "python-text.h"

#include <string.h>

/* A table of lines, as it is read. */
struct table {
	const unsigned char *at, *end;
};

static uint32_t next_byte(struct table *table)
{
	return table->at < table->end ? *table->at++ : 0;
}

/* Numbers have six bits in a byte, the lowest first; the seventh says that more follow. */
static int64_t next_number(struct table *table)
{
	uint64_t number = 0;
	uint32_t byte, shift = 0;

	do {
		byte = next_byte(table);
		if (shift < 60)
			number |= (uint64_t)(byte & 63) << shift;
		shift += 6;
	} while (byte & 64);
	return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

/* Kinds of entries, in the bits 3 to 6 of their first byte. */
enum { ONE_LINE_0 = 10, ONE_LINE_2 = 12, NO_COLUMNS = 13, LONG = 14, NO_PLACE = 15 };

static int64_t next_delta(struct table *table, uint32_t kind)
{
	if (kind == NO_COLUMNS || kind == LONG)
		return next_number(table);
	return kind >= ONE_LINE_0 && kind <= ONE_LINE_2 ? kind - ONE_LINE_0 : 0;
}

/* The table of 3.11 and later: each entry stands for some words of code. */
uint32_t mp_python_line(const void *lines, size_t size, uint64_t at, uint32_t first_line)
{
	struct table all = { lines, (const unsigned char *)lines + size }, *table = &all;
	uint64_t line = first_line, end = 0;
	uint32_t first, kind;

	while (table->at < table->end) {
		first = next_byte(table);
		kind = first >> 3 & 15;
		line += (uint64_t)next_delta(table, kind);
		end += 2 * ((first & 7) + 1);
		if (at < end)
			return kind != NO_PLACE && line && line <= INT32_MAX ?
			       (uint32_t)line : first_line;
		/* the first byte of each entry has the highest bit */
		while (table->at < table->end && !(*table->at & 128))
			table->at++;
	}
	return first_line;
}

/* Writes a character in UTF-8. Returns its bytes. */
static size_t encode(uint32_t c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 63));
		to[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 63));
	to[2] = (char)(0x80 | (c >> 6 & 63));
	to[3] = (char)(0x80 | (c & 63));
	return 4;
}

static uint32_t character(const void *characters, uint32_t width, uint64_t i)
{
	const char *at = (const char *)characters + i * width;
	uint16_t half;
	uint32_t word;

	if (width == 1)
		return *(const uint8_t *)at;
	memcpy(&half, at, sizeof(half));
	if (width == 2)
		return half;
	memcpy(&word, at, sizeof(word));
	return word;
}

size_t mp_python_utf8(const void *characters, uint32_t width, uint64_t length, char *to,
		      size_t room)
{
	size_t len = 0;
	uint64_t i;

	for (i = 0; i < length && room - len >= 4; i++)
		len += encode(character(characters, width, i) ?: '?', to + len);
	return len;
}
