// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-answer: writes and parses the symbols of one file's addresses
 *
 * The format is a header, three arrays and texts, in native byte order. Data is
 * checked before it is used: counts against the size, indexes against counts,
 * and texts for their NUL and for control characters. Functions fail without
 * memory or with invalid data.
 */
#include "symbol-answer.h"
#include "array.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct header {
	uint64_t nr_spots;
	uint64_t nr_lines;
	uint64_t nr_texts;
	uint64_t nr_watched;
};

/* The arrays in the data, and the data after them. */
struct layout {
	struct header header;
	const struct mp_spot *spots;
	const struct mp_line *lines;
	const char *at;
	const char *end;
};

static bool write_texts(const struct mp_names *names, FILE *to)
{
	size_t i;

	for (i = 0; i < names->nr; i++)
		if (fputs(names->list[i], to) < 0 || fputc(0, to) == EOF)
			return false;
	return true;
}

static bool write_lines(const struct mp_symbols *symbols, FILE *to)
{
	struct mp_line line;
	size_t i;

	for (i = 0; i < symbols->nr_lines; i++) {
		/* padding must not contain data of this process */
		memset(&line, 0, sizeof(line));
		line.function = symbols->lines[i].function;
		line.file = symbols->lines[i].file;
		line.line = symbols->lines[i].line;
		line.distance = symbols->lines[i].distance;
		if (fwrite(&line, sizeof(line), 1, to) != 1)
			return false;
	}
	return true;
}

bool mp_symbol_answer_write(const struct mp_symbol_answer *answer, FILE *to)
{
	const struct header header = {
		.nr_spots = answer->nr,
		.nr_lines = answer->symbols.nr_lines,
		.nr_texts = answer->symbols.names.nr,
		.nr_watched = answer->watched.nr,
	};

	return fwrite(&header, sizeof(header), 1, to) == 1 &&
	       fwrite(answer->spots, sizeof(*answer->spots), answer->nr, to) ==
	       answer->nr && write_lines(&answer->symbols, to) &&
	       write_texts(&answer->symbols.names, to) &&
	       write_texts(&answer->watched, to);
}

static bool parse_header(struct layout *layout, const void *data, size_t size)
{
	const struct header *header = &layout->header;
	size_t left = size - sizeof(*header);

	if (size < sizeof(*header) || size > MP_ANSWER_MAX)
		return false;
	memcpy(&layout->header, data, sizeof(*header));
	/* an element has at least one byte, so the products below cannot overflow */
	if (header->nr_spots > left || header->nr_lines > left ||
	    header->nr_texts > left || header->nr_watched > left)
		return false;
	/* each line has only a few texts */
	if (header->nr_texts > 4 * header->nr_lines + 16 ||
	    header->nr_watched > MP_ANSWER_MAX_WATCHED)
		return false;
	if (header->nr_spots * sizeof(*layout->spots) +
	    header->nr_lines * sizeof(*layout->lines) > left)
		return false;
	layout->spots = data + sizeof(*header);
	layout->lines = (const void *)(layout->spots + header->nr_spots);
	layout->at = (const void *)(layout->lines + header->nr_lines);
	layout->end = data + size;
	return true;
}

static bool is_name(uint32_t name, const struct header *header)
{
	return name == MP_NAMES_NONE || name < header->nr_texts;
}

static bool are_sound(const struct layout *layout)
{
	const struct header *header = &layout->header;
	const struct mp_spot *spot;
	uint64_t i;

	for (i = 0; i < header->nr_spots; i++) {
		spot = &layout->spots[i];
		if (spot->nr > MP_SYMBOL_MAX_LINES ||
		    (uint64_t)spot->first + spot->nr > header->nr_lines ||
		    (i && spot->offset <= spot[-1].offset))
			return false;
	}
	for (i = 0; i < header->nr_lines; i++)
		if (!is_name(layout->lines[i].function, header) ||
		    !is_name(layout->lines[i].file, header))
			return false;
	return true;
}

/* The number of a text is its position, so no text may occur twice. */
static bool read_texts(struct mp_names *names, uint64_t nr, size_t max_size,
		       struct layout *layout)
{
	size_t left;
	uint64_t i;

	for (i = 0; i < nr; i++) {
		left = layout->end - layout->at;
		left = left < max_size ? left : max_size;
		if (!left || !mp_text_is_printable(layout->at, left) ||
		    mp_names_add(names, layout->at) != i)
			return false;
		layout->at += strlen(layout->at) + 1;
	}
	return true;
}

static bool read_arrays(struct mp_symbol_answer *answer, const struct layout *layout)
{
	size_t nr = layout->header.nr_spots, i;

	answer->spots = calloc(nr + 1, sizeof(*answer->spots));
	if (!answer->spots)
		return false;
	memcpy(answer->spots, layout->spots, nr * sizeof(*answer->spots));
	answer->nr = nr;
	for (i = 0; i < layout->header.nr_lines; i++)
		if (mp_symbols_add(&answer->symbols, &layout->lines[i]))
			return false;
	return true;
}

bool mp_symbol_answer_parse(struct mp_symbol_answer *answer, const void *data, size_t size)
{
	struct layout layout;

	*answer = (struct mp_symbol_answer){ 0 };
	if (parse_header(&layout, data, size) && are_sound(&layout) &&
	    read_arrays(answer, &layout) &&
	    read_texts(&answer->symbols.names, layout.header.nr_texts,
		       MP_SYMBOL_TEXT_SIZE, &layout) &&
	    read_texts(&answer->watched, layout.header.nr_watched,
		       MP_ANSWER_PATH_SIZE, &layout) &&
	    layout.at == layout.end)
		return true;
	mp_symbol_answer_free(answer);
	return false;
}

const struct mp_spot *mp_symbol_answer_find(const struct mp_symbol_answer *answer,
					    uint64_t offset)
{
	size_t low = offset ? mp_array_above(answer->spots, answer->nr, offset,
					     offset - 1) : 0;

	return low < answer->nr && answer->spots[low].offset == offset ?
	       &answer->spots[low] : NULL;
}

/* Returns the number of @other's spots that were added. */
static ssize_t append_new(struct mp_symbol_answer *answer, const struct mp_symbol_answer *other)
{
	struct mp_spot spot;
	size_t i, nr = answer->nr;

	for (i = 0; i < other->nr; i++) {
		spot = other->spots[i];
		if (mp_symbol_answer_find(answer, spot.offset))
			continue;
		if (mp_symbols_copy(&answer->symbols, &other->symbols,
				    &other->spots[i], &spot))
			return -ENOMEM;
		answer->spots[nr++] = spot;
	}
	return nr - answer->nr;
}

static int merge_watched(struct mp_symbol_answer *answer,
			 const struct mp_symbol_answer *other)
{
	size_t i;

	for (i = 0; i < other->watched.nr; i++)
		if (mp_names_add(&answer->watched, other->watched.list[i]) ==
		    MP_NAMES_NONE)
			return -ENOMEM;
	return 0;
}

int mp_symbol_answer_merge(struct mp_symbol_answer *answer, const struct mp_symbol_answer *other)
{
	struct mp_spot *spots = reallocarray(answer->spots,
					     answer->nr + other->nr + 1,
					     sizeof(*spots));
	ssize_t nr;

	if (!spots)
		return -ENOMEM;
	answer->spots = spots;
	nr = append_new(answer, other);
	if (nr < 0 || merge_watched(answer, other))
		return -ENOMEM;
	answer->nr += nr;
	mp_spots_sort(answer->spots, answer->nr);
	return 0;
}

void mp_symbol_answer_free(struct mp_symbol_answer *answer)
{
	free(answer->spots);
	mp_symbols_free(&answer->symbols);
	mp_names_free(&answer->watched);
	*answer = (struct mp_symbol_answer){ 0 };
}
