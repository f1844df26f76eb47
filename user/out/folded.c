// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded: names from the toplevel inwards, a blank, ticks of the innermost one
 *
 * Some 100 ns and 10 ns a name. Standard output's errors are its owner's.
 */
#include "folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A stack is as deep as its writer allows: no recursion. */
static void put_stack(FILE *file, const struct mp_calls *calls, uint32_t node,
		      uint64_t ticks, uint32_t *path)
{
	uint32_t depth = calls->nodes[node - 1].depth, i;

	for (i = depth + 1; i--; node = calls->nodes[node - 1].parent)
		path[i] = calls->nodes[node - 1].name;
	for (i = 0; i <= depth; i++) {
		if (i)
			putc_unlocked(';', file);
		fputs_unlocked(calls->names.list[path[i]], file);
	}
	fprintf(file, " %" PRIu64 "\n", ticks);
}

static uint32_t *new_path(const struct mp_calls *calls)
{
	return malloc((calls->deepest + 1UL) * sizeof(uint32_t));
}

int mp_folded_chart(FILE *file, const struct mp_calls *calls,
		    const struct mp_calls_top *top)
{
	uint32_t *path = new_path(calls);
	size_t i;

	if (!path)
		return -ENOMEM;
	for (i = 0; i < top->nr_calls; i++)
		put_stack(file, calls, top->calls[i].node, top->calls[i].ticks,
			  path);
	free(path);
	return 0;
}

int mp_folded_graph(FILE *file, const struct mp_calls *calls)
{
	uint32_t *sorted, *path = new_path(calls);
	long nr = mp_calls_sort(calls, &sorted), i;

	for (i = 0; path && i < nr; i++)
		put_stack(file, calls, sorted[i],
			  calls->nodes[sorted[i] - 1].ticks, path);
	if (nr >= 0)
		free(sorted);
	free(path);
	return path && nr >= 0 ? 0 : -ENOMEM;
}

/* Every digit that there is, and none that says nothing. */
static void put_time(FILE *file, const struct mp_calls_time *took)
{
	uint64_t part = took->ns % 1000000000;
	int digits = 9;

	fprintf(file, ": %" PRIu64 " ticks", took->tick);
	if (took->known) {
		fprintf(file, " in %" PRIu64, took->ns / 1000000000);
		for (; part && part % 10 == 0; part /= 10)
			digits--;
		if (part)
			fprintf(file, ".%0*" PRIu64, digits, part);
		fputs(" s", file);
	}
	fputc('\n', file);
}

/* What only the grammar of folded stacks minds is itself again. */
static void put_name(FILE *file, const char *name)
{
	for (; *name; name++) {
		if (!strncmp(name, "\\x20", 4))
			putc_unlocked(' ', file);
		else if (!strncmp(name, "\\x3b", 4))
			putc_unlocked(';', file);
		else if (!strncmp(name, "\\x5c", 4))
			putc_unlocked('\\', file);
		else {
			putc_unlocked(*name, file);
			continue;
		}
		name += 3;
	}
}

void mp_folded_top(FILE *file, const struct mp_calls *calls,
		   const struct mp_calls_top *top)
{
	put_name(file, calls->names.list[top->name]);
	put_time(file, &top->took);
}

void mp_folded_total(FILE *file, const struct mp_calls *calls)
{
	fputs("Full execution", file);
	put_time(file, &calls->total);
}
