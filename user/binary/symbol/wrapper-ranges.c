// SPDX-License-Identifier: GPL-2.0-only
/*
 * wrapper-ranges: finds wrappers in one pass over a file's symbols, in a child
 *
 * If the child fails, the file has no wrappers.
 */
#include "isolate.h"
#include "array.h"
#include "elf-file.h"
#include "known-wrappers.h"
#include "demangle.h"
#include "symbols.h"
#include "wrappers.h"

#include <stdlib.h>

struct question {
	int fd;
	const char *path;
	const struct mp_binary *binary;
	const struct mp_wrappers *wrappers;
};

/* State in the child. */
struct found {
	const struct mp_wrappers *wrappers;
	const struct mp_elf *elf;
	struct mp_wrapper_range *ranges;
	size_t nr;
	size_t max;
};

static bool matches(const struct mp_wrappers *wrappers, const char *name)
{
	enum mp_verdict verdict = mp_known_wrapper_symbol(name);
	char text[MP_SYMBOL_TEXT_SIZE];

	if (verdict == MP_VERDICT_YES)
		return true;
	if (verdict == MP_VERDICT_NO && !wrappers->nr)
		return false;
	return mp_wrappers_match(wrappers,
				 mp_demangle(text, sizeof(text), name));
}

static bool append(struct found *found, uint64_t begin, uint64_t size)
{
	if (found->nr == found->max &&
	    !mp_array_grow(&found->ranges, &found->max, sizeof(*found->ranges)))
		return false;
	found->ranges[found->nr++] = (struct mp_wrapper_range){ begin, begin + size };
	return found->nr < MP_WRAPPERS_MAX_RANGES;
}

static bool add_if_wrapper(void *context, const struct mp_symbol *symbol)
{
	struct found *found = context;
	uint64_t offset;

	if (!symbol->size || !matches(found->wrappers, symbol->name))
		return true;
	offset = mp_elf_offset(found->elf, symbol->address, true);
	if (!offset || symbol->size > UINT64_MAX - offset)
		return true;
	return append(found, offset, symbol->size);
}

static int compare_begin(const void *x, const void *y)
{
	const struct mp_wrapper_range *a = x, *b = y;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Merges sorted ranges that overlap. Returns the number of merged ranges. */
static size_t merge_ranges(struct mp_wrapper_range *ranges, size_t nr)
{
	size_t i, last = 0;

	for (i = 1; i < nr; i++) {
		if (ranges[i].begin > ranges[last].end)
			ranges[++last] = ranges[i];
		else if (ranges[i].end > ranges[last].end)
			ranges[last].end = ranges[i].end;
	}
	return nr ? last + 1 : 0;
}

static bool send_ranges(void *context, FILE *to)
{
	const struct question *question = context;
	struct mp_elf elf;
	struct found found = { .wrappers = question->wrappers, .elf = &elf };

	if (mp_elf_open(&elf, question->fd, question->path) ||
	    !mp_elf_is_build(&elf, question->binary->build_id,
			     question->binary->build_id_size))
		return false;
	mp_elf_symbols(&elf, add_if_wrapper, &found);
	mp_elf_close(&elf);
	if (found.nr)
		qsort(found.ranges, found.nr, sizeof(*found.ranges),
		      compare_begin);
	found.nr = merge_ranges(found.ranges, found.nr);
	return fwrite(found.ranges, sizeof(*found.ranges), found.nr, to) ==
	       found.nr;
}

/* Checks the child's result, which is untrusted. */
static bool are_sound(const struct mp_wrapper_range *ranges, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ranges[i].begin >= ranges[i].end ||
		    (i && ranges[i].begin <= ranges[i - 1].end))
			return false;
	return true;
}

static bool set_whole_file(struct mp_wrapper_range **ranges, size_t *nr)
{
	*ranges = malloc(sizeof(**ranges));
	if (!*ranges)
		return false;
	(*ranges)[0] = (struct mp_wrapper_range){ 0, UINT64_MAX };
	*nr = 1;
	return true;
}

bool mp_wrappers_ranges_isolated(int fd, const char *path,
				 const struct mp_binary *binary,
				 const struct mp_wrappers *wrappers,
				 struct mp_wrapper_range **ranges, size_t *nr)
{
	struct question question = { fd, path, binary, wrappers };
	const struct mp_isolate_stream stream = {
		.isolate = { .context = &question, .fd = fd },
		.send = send_ranges,
		.max = MP_WRAPPERS_MAX_RANGES * sizeof(**ranges) + 1,
	};
	struct mp_isolate_answer answer;
	char why[MP_ISOLATE_WHY_SIZE];

	*ranges = NULL;
	*nr = 0;
	if (mp_wrappers_match_file(path))
		return set_whole_file(ranges, nr);
	if (!mp_isolate_stream(&stream, &answer, why))
		return false;
	*ranges = (void *)answer.data;
	*nr = answer.size / sizeof(**ranges);
	if (answer.size % sizeof(**ranges) == 0 && are_sound(*ranges, *nr))
		return true;
	free(*ranges);
	*ranges = NULL;
	*nr = 0;
	return false;
}

bool mp_ranges_have(const struct mp_wrapper_range *ranges, size_t nr, uint64_t offset)
{
	size_t low = mp_array_above(ranges, nr, end, offset);

	return low < nr && ranges[low].begin <= offset;
}
