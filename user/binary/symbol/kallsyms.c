// SPDX-License-Identifier: GPL-2.0-only
/*
 * kallsyms: reads the list of kernel functions and sorts it by address
 *
 * The list has no sizes, so an address belongs to the last function before it.
 * The last function of a module seems to reach the next module's code, so an
 * address far after the start of a function has no name. Reading the 10 MB
 * takes tens of milliseconds.
 */
#include "kallsyms.h"
#include "array.h"
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than the size of any kernel function. */
#define MAX_FUNCTION	(1U << 20)

/* Addresses with the highest bit are kernel addresses. */
#define KERNEL		(1ULL << 63)

struct function {
	uint64_t address;
	uint32_t name;
};

struct list {
	struct function *functions;
	size_t nr;
	size_t max;
	struct mp_names names;
	uint64_t text, etext, edata;	/* 0: not found */
};

static bool append(struct list *list, uint64_t address, uint32_t name)
{
	if (list->nr == list->max &&
	    !mp_array_grow(&list->functions, &list->max, sizeof(*list->functions)))
		return false;
	list->functions[list->nr++] = (struct function){ address, name };
	return true;
}

/* Sets the addresses that distinguish kernels. perf uses one of two names for the end. */
static void set_text_range(struct list *list, uint64_t address, const char *name)
{
	if (!strcmp(name, "_text"))
		list->text = address;
	else if (!strcmp(name, "_etext"))
		list->etext = address;
	else if (!strcmp(name, "_edata"))
		list->edata = address;
}

static bool is_other_kernel(const struct list *list, const uint64_t text[2])
{
	return list->text != text[0] ||
	       (list->etext != text[1] && list->edata != text[1]);
}

/* Parses "ADDRESS TYPE NAME"; a module's line also has "\t[MODULE]". */
static bool parse_line(struct list *list, char *line)
{
	char *end, text[MP_SYMBOL_TEXT_SIZE];
	uint64_t address = strtoull(line, &end, 16);
	uint32_t name;

	if (!(address & KERNEL) || end[0] != ' ' || !end[1] || end[2] != ' ')
		return true;
	end[strcspn(end, "\n")] = '\0';
	set_text_range(list, address, end + 3);
	if (!strchr("tTwW", end[1]))
		return true;
	end += 3;
	if (strchr(end, '\t'))
		*strchr(end, '\t') = ' ';
	mp_text_escape(text, sizeof(text), end, strlen(end));
	name = mp_names_add(&list->names, text);
	return name != MP_NAMES_NONE && append(list, address, name);
}

static int compare_address(const void *x, const void *y)
{
	const struct function *a = x, *b = y;

	return (a->address > b->address) - (a->address < b->address);
}

static int read_list(struct list *list, const char *path)
{
	FILE *file = fopen(path, "re");
	bool whole = true;
	char line[1024];

	if (!file)
		return -errno;
	while (whole && fgets(line, sizeof(line), file))
		whole = parse_line(list, line);
	fclose(file);
	if (list->nr)
		qsort(list->functions, list->nr, sizeof(*list->functions),
		      compare_address);
	return whole ? 0 : -ENOMEM;
}

/* The last function at or before @address, or NULL. */
static const struct function *find_function(const struct list *list, uint64_t address)
{
	size_t low = mp_array_above(list->functions, list->nr, address, address);

	if (!low || address - list->functions[low - 1].address >= MAX_FUNCTION)
		return NULL;
	return &list->functions[low - 1];
}

static int set_name(const struct list *list, struct mp_spot *spot,
		    struct mp_symbols *symbols)
{
	/* a return address can be one byte after the end of its function */
	const struct function *function = find_function(list, spot->offset - 1);
	struct mp_line line = { .file = MP_NAMES_NONE };

	if (!function)
		return 0;
	line.distance = spot->offset - function->address;
	line.function = mp_names_add(&symbols->names,
				     list->names.list[function->name]);
	if (line.function == MP_NAMES_NONE || mp_symbols_add(symbols, &line))
		return -ENOMEM;
	spot->first = (uint32_t)symbols->nr_lines - 1;
	spot->nr = 1;
	return 0;
}

int mp_symbolise_kernel(const char *path, const uint64_t text[2],
			struct mp_spot *spots, size_t nr,
			struct mp_symbols *symbols)
{
	struct list list = { 0 };
	int err = read_list(&list, path ? path : "/proc/kallsyms");
	size_t i;

	if (!err && text && is_other_kernel(&list, text))
		err = -ESTALE;
	for (i = 0; i < nr; i++) {
		if (!(spots[i].offset & KERNEL))
			continue;
		spots[i].nr = 0;
		if (!err)
			err = set_name(&list, &spots[i], symbols);
	}
	mp_names_free(&list.names);
	free(list.functions);
	return err;
}
