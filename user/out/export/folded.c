// SPDX-License-Identifier: GPL-2.0-only
/*
 * folded: writes stacks as lines: names (outermost first), a space, and ticks
 *
 * A line costs about 100 ns, and 10 ns per name. The caller checks the stream
 * for errors.
 */
#include "folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A stack: a list of numbers in @names, outermost function first. */
struct path {
	char * const *names;
	const uint32_t *list;
	size_t nr;
};

/* Writes the names of a stack, separated by semicolons. */
static void put_path(FILE *file, const struct path *path)
{
	size_t i;

	for (i = 0; i < path->nr; i++) {
		if (i)
			putc_unlocked(';', file);
		fputs_unlocked(path->names[path->list[i]], file);
	}
}

/* Writes a stack. @list: array with room for the deepest stack. */
static void put_stack(FILE *file, const struct mp_stack_tree *flame, uint32_t node,
		      char * const *names, uint32_t *list)
{
	uint32_t i = flame->nodes[node].depth;
	const struct path path = { names, list, i };

	for (; i--; node = flame->nodes[node].parent)
		list[i] = flame->nodes[node].name;
	put_path(file, &path);
}

static void put_call(const struct mp_calls *calls, uint32_t node,
		     uint64_t ticks, uint32_t *list)
{
	FILE *file = calls->context;

	put_stack(file, &calls->flame, node, calls->flame.names.list, list);
	fprintf(file, " %" PRIu64 "\n", ticks);
}

static uint32_t *new_path(const struct mp_calls *calls)
{
	return malloc((calls->flame.deepest + 1UL) * sizeof(uint32_t));
}

int mp_folded_chart(const struct mp_calls *calls, const struct mp_calls_top *top)
{
	const struct mp_call_spool_call *call;
	uint32_t *path = new_path(calls);
	size_t i;

	for (i = 0; path && i < top->calls->nr; i++) {
		call = mp_call_spool_at(top->calls, i);
		if (!call)
			break;
		put_call(calls, call->node, call->ticks, path);
	}
	free(path);
	if (path && i < top->calls->nr)
		return -EIO;
	return path ? 0 : -ENOMEM;
}

int mp_folded_graph(const struct mp_calls *calls)
{
	uint32_t *sorted, *path = new_path(calls);
	long nr = mp_stack_tree_sort(&calls->flame, calls->flame.names.list, &sorted), i;

	for (i = 0; path && i < nr; i++)
		put_call(calls, sorted[i],
			 (uint64_t)mp_stack_tree_self(&calls->flame, sorted[i], 0),
			 path);
	if (nr >= 0)
		free(sorted);
	free(path);
	return path && nr >= 0 ? 0 : -ENOMEM;
}

/* Writes a duration in seconds, with nanoseconds but without trailing zeros. */
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

/* Writes a name without the escapes that only folded stacks need. */
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

int mp_folded_top(const struct mp_calls *calls, const struct mp_calls_top *top)
{
	put_name(calls->context, calls->flame.names.list[top->name]);
	put_time(calls->context, &top->took);
	return 0;
}

int mp_folded_total(const struct mp_calls *calls)
{
	fputs("Full execution", calls->context);
	put_time(calls->context, &calls->total);
	return 0;
}

/* Unlike mp_calls_escape(), this keeps single spaces inside of a name. */
void mp_folded_escape(char *to, const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < len; i++) {
		if (name[i] == ' ' && i && i + 1 < len && name[i - 1] != ' ') {
			*to++ = ' ';
			continue;
		}
		mp_calls_escape(to, name + i, 1);
		to += strlen(to);
	}
	*to = '\0';
}

static char **escape_all(const struct mp_names *names)
{
	char **list = calloc(names->nr + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < names->nr; i++) {
		list[i] = malloc(4 * strlen(names->list[i]) + 1);
		if (!list[i])
			break;
		mp_folded_escape(list[i], names->list[i]);
	}
	return list;
}

static void free_all(char **list, size_t nr)
{
	size_t i;

	for (i = 0; list && i < nr; i++)
		free(list[i]);
	free(list);
}

/* Writes a stack with all values from @value on (in a difference: before, after). */
static void put_line(FILE *file, const struct mp_stack_tree *flame, uint32_t node,
		     uint32_t value, char * const *names, uint32_t *list)
{
	uint32_t i;

	for (i = value; i < flame->nr_values; i++)
		if (mp_stack_tree_self(flame, node, i))
			break;
	if (i == flame->nr_values)
		return;
	put_stack(file, flame, node, names, list);
	for (i = value; i < flame->nr_values; i++)
		fprintf(file, " %" PRId64, mp_stack_tree_self(flame, node, i));
	putc('\n', file);
}

int mp_folded_flame(FILE *file, const struct mp_stack_tree *flame, uint32_t value)
{
	uint32_t *list = malloc((flame->deepest + 1UL) * sizeof(*list)), *sorted;
	char **names = escape_all(&flame->names);
	int err = list && names &&
		  (!flame->names.nr || names[flame->names.nr - 1]) ? 0 :
								     -ENOMEM;
	long nr = err ? err : mp_stack_tree_sort(flame, names, &sorted), i;

	for (i = 0; i < nr; i++)
		put_line(file, flame, sorted[i], value, names, list);
	if (nr >= 0)
		free(sorted);
	free_all(names, flame->names.nr);
	free(list);
	return nr < 0 ? (int)nr : 0;
}
