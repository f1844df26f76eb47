// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel-names: a map from addresses to functions, of the running kernel
 *
 * An agent and a page of a history look up the same few addresses again and again, and the
 * kernel takes a tenth of a second to write its list. If there is no memory to keep
 * something, it is looked up again.
 */
#include "kernel-names.h"
#include "kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#define MAX_KNOWN	(1U << 16)
#define KERNEL		(1ULL << 63)

/**
 * struct known - what was found
 * @by_address: spot's offset to a number of @symbols' lines; MP_MAP_NEW: it has no name
 * @symbols: one line for each address
 * @text: range of code that a recording had of this kernel; 0: none was looked up
 * @modules: checksum of the list of modules
 */
static struct {
	struct mp_map by_address;
	struct mp_symbols symbols;
	uint64_t text[2];
	uint64_t modules;
} known;

static void forget(void)
{
	mp_map_free(&known.by_address);
	mp_symbols_free(&known.symbols);
	known.text[0] = known.text[1] = 0;
}

/* The names, sizes and addresses of the modules; 0: the kernel has none. */
static uint64_t modules_now(void)
{
	FILE *file = fopen("/proc/modules", "re");
	uint64_t sum = 0;
	char line[512];
	size_t i;

	while (file && fgets(line, sizeof(line), file))
		for (i = 0; line[i]; i++)
			sum = (sum ^ (unsigned char)line[i]) * 0x100000001b3ULL;
	if (file)
		fclose(file);
	return sum;
}

static bool knows_all(const struct mp_spot *spots, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (spots[i].offset & KERNEL &&
		    !mp_map_find(&known.by_address, spots[i].offset, 0))
			return false;
	return true;
}

static void keep(const struct mp_spot *spot, const struct mp_symbols *symbols)
{
	const struct mp_line *from = spot->nr ? &symbols->lines[spot->first] : NULL;
	struct mp_line line = { .file = MP_NAMES_NONE };
	uint32_t *number;

	if (!(spot->offset & KERNEL))
		return;
	if (from) {
		line.distance = from->distance;
		line.function = mp_names_add(&known.symbols.names,
					     mp_symbols_text(symbols, from->function));
		if (line.function == MP_NAMES_NONE || mp_symbols_add(&known.symbols, &line))
			return;
	}
	number = mp_map_add(&known.by_address, spot->offset, 0);
	if (number)
		*number = from ? (uint32_t)known.symbols.nr_lines - 1 : MP_MAP_NEW;
}

/* Appends the line of a known address. */
static int take(struct mp_spot *spot, struct mp_symbols *symbols)
{
	const uint32_t *number = mp_map_find(&known.by_address, spot->offset, 0);
	struct mp_line line;

	spot->nr = 0;
	if (*number == MP_MAP_NEW)
		return 0;
	line = known.symbols.lines[*number];
	line.function = mp_names_add(&symbols->names,
				     mp_symbols_text(&known.symbols, line.function));
	if (line.function == MP_NAMES_NONE || mp_symbols_add(symbols, &line))
		return -ENOMEM;
	spot->first = (uint32_t)symbols->nr_lines - 1;
	spot->nr = 1;
	return 0;
}

static bool is_known_kernel(const uint64_t text[2])
{
	return !text || (text[0] == known.text[0] && text[1] == known.text[1]);
}

int mp_kernel_names_find(const uint64_t text[2], struct mp_spot *spots, size_t nr,
			 struct mp_symbols *symbols)
{
	const uint64_t modules = modules_now();
	size_t i;
	int err;

	if (modules != known.modules || known.by_address.nr + nr > MAX_KNOWN)
		forget();
	known.modules = modules;
	if (!is_known_kernel(text) || !knows_all(spots, nr)) {
		err = mp_symbolise_kernel(NULL, text, spots, nr, symbols);
		for (i = 0; !err && i < nr; i++)
			keep(&spots[i], symbols);
		if (!err && text) {
			known.text[0] = text[0];
			known.text[1] = text[1];
		}
		return err;
	}
	for (i = 0, err = 0; !err && i < nr; i++)
		if (spots[i].offset & KERNEL)
			err = take(&spots[i], symbols);
	return err;
}
