// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbols: stores lines in an array, and each text once
 *
 * A line costs 24 bytes. An address in optimised C++ has about five lines.
 * If memory is short, a function returns -ENOMEM.
 */
#include "symbols.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mp_symbols_add(struct mp_symbols *symbols, const struct mp_line *line)
{
	if (symbols->nr_lines == symbols->max_lines &&
	    !mp_array_grow(&symbols->lines, &symbols->max_lines, sizeof(*symbols->lines)))
		return -ENOMEM;
	symbols->lines[symbols->nr_lines++] = *line;
	return 0;
}

const char *mp_symbols_text(const struct mp_symbols *symbols, uint32_t name)
{
	return name < symbols->names.nr ? symbols->names.list[name] : NULL;
}

/* Copies the text of a name and changes its number. Return: 0, or -ENOMEM. */
static int copy_name(struct mp_symbols *symbols, const struct mp_symbols *from,
		     uint32_t *name)
{
	const char *text = mp_symbols_text(from, *name);

	*name = text ? mp_names_add(&symbols->names, text) : MP_NAMES_NONE;
	return text && *name == MP_NAMES_NONE ? -ENOMEM : 0;
}

int mp_symbols_copy(struct mp_symbols *symbols, const struct mp_symbols *from,
		    const struct mp_spot *run, struct mp_spot *spot)
{
	uint32_t first = (uint32_t)symbols->nr_lines, nr = run->nr, i;
	struct mp_line line;

	spot->nr = 0;
	for (i = 0; i < nr; i++) {
		line = from->lines[run->first + i];
		if (copy_name(symbols, from, &line.function) ||
		    copy_name(symbols, from, &line.file) ||
		    mp_symbols_add(symbols, &line))
			return -ENOMEM;
	}
	spot->first = first;
	spot->nr = nr;
	return 0;
}

int mp_symbols_copy_all(struct mp_symbols *to, const struct mp_symbols *from)
{
	to->lines = malloc(from->max_lines * sizeof(*to->lines) + 1);
	if (!to->lines || mp_names_copy(&to->names, &from->names))
		return -ENOMEM;
	if (from->nr_lines)
		memcpy(to->lines, from->lines,
		       from->nr_lines * sizeof(*to->lines));
	to->nr_lines = from->nr_lines;
	to->max_lines = from->max_lines;
	return 0;
}

void mp_symbols_free(struct mp_symbols *symbols)
{
	mp_names_free(&symbols->names);
	free(symbols->lines);
	*symbols = (struct mp_symbols){ 0 };
}

static int compare_offset(const void *x, const void *y)
{
	const struct mp_spot *a = x, *b = y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

void mp_spots_sort(struct mp_spot *spots, size_t nr)
{
	if (nr)
		qsort(spots, nr, sizeof(*spots), compare_offset);
}
