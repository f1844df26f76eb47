// SPDX-License-Identifier: GPL-2.0-only
/*
 * grammar: follows the rules of RFC 8259 through a text
 *
 * A character takes about a nanosecond. Nothing is stored. The functions cannot
 * fail.
 */
#include "grammar.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define BLANKS	" \t\r\n"
#define DIGITS	"0123456789"

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, BLANKS);
}

static const char *skip_escape(const char *at)
{
	int i;

	if (*at != 'u')
		return *at && strchr("\"\\/bfnrt", *at) ? at + 1 : NULL;
	for (i = 1; i <= 4; i++)
		if (!isxdigit((unsigned char)at[i]))
			return NULL;
	return at + i;
}

static const char *skip_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (at && *at != '"') {
		if ((unsigned char)*at < ' ')
			return NULL;
		at = *at == '\\' ? skip_escape(at + 1) : at + 1;
	}
	return at ? at + 1 : NULL;
}

static const char *skip_digits(const char *at)
{
	size_t nr = strspn(at, DIGITS);

	return nr ? at + nr : NULL;
}

static const char *skip_number(const char *at)
{
	at += *at == '-';
	at = *at == '0' ? at + 1 : skip_digits(at);
	if (at && *at == '.')
		at = skip_digits(at + 1);
	if (!at || (*at != 'e' && *at != 'E'))
		return at;
	at++;
	at += *at == '-' || *at == '+';
	return skip_digits(at);
}

static const char *skip_word(const char *at)
{
	static const char * const words[] = { "true", "false", "null" };
	size_t i, len;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i]);
		if (!strncmp(at, words[i], len))
			return at + len;
	}
	return NULL;
}

static const char *skip_key(const char *at)
{
	at = skip_string(skip_blanks(at));
	if (at)
		at = skip_blanks(at);
	return at && *at == ':' ? at + 1 : NULL;
}

static const char *skip_value(const char *at, int depth);

/* @at: after the bracket that opens an object or an array; @end: the one that ends it */
static const char *skip_members(const char *at, char end, int depth)
{
	at = skip_blanks(at);
	if (*at == end)
		return at + 1;
	do {
		if (end == '}')
			at = skip_key(at);
		if (at)
			at = skip_value(at, depth);
		if (at)
			at = skip_blanks(at);
	} while (at && *at++ == ',');
	return at && at[-1] == end ? at : NULL;
}

/* @depth: how many more objects and arrays may be entered; it limits the recursion */
static const char *skip_value(const char *at, int depth)
{
	at = skip_blanks(at);
	switch (*at) {
	case '{':
		return depth ? skip_members(at + 1, '}', depth - 1) : NULL;
	case '[':
		return depth ? skip_members(at + 1, ']', depth - 1) : NULL;
	case '"':
		return skip_string(at);
	case 't':
	case 'f':
	case 'n':
		return skip_word(at);
	default:
		return skip_number(at);
	}
}

const char *mp_grammar_value(const char *text)
{
	return skip_value(text, MP_GRAMMAR_DEPTH);
}
