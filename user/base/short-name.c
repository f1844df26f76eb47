// SPDX-License-Identifier: GPL-2.0-only
/*
 * short-name: leaves out what is in brackets
 *
 * Names come from files that strangers wrote: a bracket without its partner ends with
 * the name.
 */
#include "short-name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where a name is written. @nr: bytes that the whole name needs, which may be more. */
struct output {
	char *to;
	size_t size, nr;
};

static void put(struct output *out, char c)
{
	if (out->nr + 1 < out->size)
		out->to[out->nr] = c;
	out->nr++;
}

/* Whether a bracket is a part of an operator's name, as in operator<< or operator(). */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t len = sizeof(word) - 1;

	while (at > name && (at[-1] == '<' || at[-1] == '-' || at[-1] == '='))
		at--;
	return (size_t)(at - name) >= len && !memcmp(at - len, word, len);
}

/* Returns the bracket that closes the one at @open, or the end of the name. */
static const char *partner(const char *name, const char *open, char closing)
{
	const char opening = *open, *at = open;
	size_t depth = 0;

	for (; *at; at++) {
		if (*at == opening && !is_operator(name, at))
			depth++;
		else if (*at == closing && at[-1] != '-' && !is_operator(name, at) &&
			 !--depth)
			break;
	}
	return at;
}

/* Returns the bytes of the whole name without what is in brackets of these kinds. */
static size_t without(char *to, size_t size, const char *name, const char *kinds)
{
	struct output out = { to, size, 0 };
	const char *at, *end, *dot;

	for (at = name; *at; at++) {
		put(&out, *at);
		if (!strchr(kinds, *at) || is_operator(name, at))
			continue;
		end = partner(name, at, *at == '<' ? '>' : ')');
		if (end == at + 1 || !*end)
			continue;
		for (dot = "..."; *dot; dot++)
			put(&out, *dot);
		at = end - 1;
	}
	if (size)
		to[out.nr < size ? out.nr : size - 1] = '\0';
	return out.nr;
}

void mp_short_name(char *to, size_t width, const char *name)
{
	if (without(to, width + 1, name, "") <= width ||
	    without(to, width + 1, name, "<") <= width ||
	    without(to, width + 1, name, "<(") <= width)
		return;
	memcpy(to + width - 3, "...", 3);
}
