// SPDX-License-Identifier: GPL-2.0-only
/*
 * wrapper-ranges: finds wrappers, and code without names, in one pass over a file's
 * symbols, in a child
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

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Without expressions in @wrappers it has no pointers. */
struct question {
	int fd;
	char path[PATH_MAX];
	struct mp_binary binary;
	struct mp_wrappers wrappers;
};

/* Gaps between functions that are not larger are padding. */
#define PADDING		15

struct ranges {
	struct mp_wrapper_range *list;
	size_t nr;
	size_t max;
};

/* State in the child. */
struct found {
	const struct mp_wrappers *wrappers;
	const struct mp_elf *elf;
	struct ranges wrapping;
	struct ranges named;	/* all functions */
	bool too_many;
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

static bool append(struct ranges *ranges, uint64_t begin, uint64_t end,
		   enum mp_code_kind kind)
{
	if (ranges->nr == MP_WRAPPERS_MAX_RANGES ||
	    (ranges->nr == ranges->max &&
	     !mp_array_grow(&ranges->list, &ranges->max, sizeof(*ranges->list))))
		return false;
	ranges->list[ranges->nr++] = (struct mp_wrapper_range){ begin, end, kind };
	return true;
}

static bool add_function(void *context, const struct mp_symbol *symbol)
{
	struct found *found = context;
	uint64_t offset, end;

	if (!symbol->size)
		return true;
	offset = mp_elf_offset(found->elf, symbol->address, true);
	if (!offset || symbol->size > UINT64_MAX - offset)
		return true;
	end = offset + symbol->size;
	found->too_many |= !append(&found->named, offset, end, MP_CODE_FUNCTION);
	return !matches(found->wrappers, symbol->name) ||
	       append(&found->wrapping, offset, end, MP_CODE_WRAPPER);
}

static int compare_begin(const void *x, const void *y)
{
	const struct mp_wrapper_range *a = x, *b = y;

	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Sorts, and merges ranges with at most @gap bytes between them. */
static void merge_ranges(struct ranges *ranges, uint64_t gap)
{
	struct mp_wrapper_range *list = ranges->list;
	size_t i, last = 0;

	if (!ranges->nr)
		return;
	qsort(list, ranges->nr, sizeof(*list), compare_begin);
	for (i = 1; i < ranges->nr; i++) {
		if (list[i].begin > list[last].end &&
		    list[i].begin - list[last].end > gap)
			list[++last] = list[i];
		else if (list[i].end > list[last].end)
			list[last].end = list[i].end;
	}
	ranges->nr = last + 1;
}

/* Adds what is between the functions to the wrappers. */
static void add_nameless(struct found *found)
{
	const struct mp_wrapper_range *named = found->named.list;
	const size_t nr = found->wrapping.nr;
	bool added = true;
	uint64_t end = 0;
	size_t i;

	/* a file without functions has no wrapper that could call them */
	if (found->too_many || !found->wrapping.nr)
		return;
	merge_ranges(&found->named, PADDING);
	for (i = 0; i < found->named.nr; end = named[i++].end)
		added &= append(&found->wrapping, end, named[i].begin, MP_CODE_NAMELESS);
	added &= append(&found->wrapping, end, UINT64_MAX, MP_CODE_NAMELESS);
	if (!added)
		found->wrapping.nr = nr;
	qsort(found->wrapping.list, found->wrapping.nr, sizeof(*named), compare_begin);
}

static bool send_ranges(void *context, FILE *to)
{
	const struct question *question = context;
	struct mp_elf elf;
	struct found found = { .wrappers = &question->wrappers, .elf = &elf };

	if (mp_elf_open(&elf, question->fd, question->path) ||
	    !mp_elf_is_build(&elf, question->binary.build_id,
			     question->binary.build_id_size))
		return false;
	mp_elf_symbols(&elf, add_function, &found);
	mp_elf_close(&elf);
	merge_ranges(&found.wrapping, 0);
	add_nameless(&found);
	return fwrite(found.wrapping.list, sizeof(*found.wrapping.list),
		      found.wrapping.nr, to) == found.wrapping.nr;
}

/* Checks the child's result, which is untrusted. */
static bool are_sound(const struct mp_wrapper_range *ranges, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ranges[i].begin >= ranges[i].end || ranges[i].kind > MP_CODE_NAMELESS ||
		    (i && ranges[i].begin < ranges[i - 1].end))
			return false;
	return true;
}

static bool set_whole_file(struct mp_wrapper_range **ranges, size_t *nr)
{
	*ranges = malloc(sizeof(**ranges));
	if (!*ranges)
		return false;
	(*ranges)[0] = (struct mp_wrapper_range){ 0, UINT64_MAX, MP_CODE_WRAPPER };
	*nr = 1;
	return true;
}

bool mp_wrappers_ranges_isolated(int fd, const char *path,
				 const struct mp_binary *binary,
				 const struct mp_wrappers *wrappers,
				 struct mp_wrapper_range **ranges, size_t *nr)
{
	struct question question = { .fd = fd, .binary = *binary, .wrappers = *wrappers };
	const struct mp_isolate_stream stream = {
		.isolate = {
			.context = &question,
			.context_size = wrappers->nr || *path != '/' ? 0 : sizeof(question),
			.fd = fd,
		},
		.send = send_ranges,
		.max = MP_WRAPPERS_MAX_RANGES * sizeof(**ranges) + 1,
	};
	struct mp_isolate_answer answer;
	char why[MP_ISOLATE_WHY_SIZE];

	*ranges = NULL;
	*nr = 0;
	snprintf(question.path, sizeof(question.path), "%s", path);
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

enum mp_code_kind mp_ranges_kind(const struct mp_wrapper_range *ranges, size_t nr,
				 uint64_t offset)
{
	size_t low = mp_array_above(ranges, nr, end, offset);

	return low < nr && ranges[low].begin <= offset ?
	       (enum mp_code_kind)ranges[low].kind : MP_CODE_FUNCTION;
}
