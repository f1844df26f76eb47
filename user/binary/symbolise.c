// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbolise: one pass over the symbols for all addresses of a file
 *
 * A binary search for each symbol, so that a thousand addresses cost little
 * more than one. Of several symbols over an address the one that begins last
 * is taken.
 */
#include "symbolise.h"
#include "apart.h"
#include "elf-file.h"
#include "symbol-name.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct question {
	int fd;
	const char *path;
	const struct mp_binary *binary;
	const struct mp_spot *spots;
	size_t nr;
};

/* In the child only. A name for each spot is what goes through the pipe. */
struct search {
	const struct mp_spot *spots;
	struct mp_place_name *names;
	uint64_t *addresses;
	uint64_t *starts;
	size_t nr;
};

/* In place of a start: this spot is not in the file's code. */
#define NOWHERE	UINT64_MAX

static int compare_offset(const void *x, const void *y)
{
	const struct mp_spot *a = x, *b = y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Of two aliases the plainer: malloc rather than __libc_malloc. */
static bool is_better(const struct search *search, size_t i,
		      const struct mp_symbol *symbol)
{
	if (search->starts[i] == NOWHERE)
		return false;
	if (!search->names[i].function[0] ||
	    search->starts[i] < symbol->address)
		return true;
	return search->starts[i] == symbol->address &&
	       search->names[i].function[0] == '_' &&
	       symbol->name[0] != '_';
}

/* The first address at or above @address. */
static size_t lower_bound(const struct search *search, uint64_t address)
{
	size_t low = 0, high = search->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (search->addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool take_symbol(void *context, const struct mp_symbol *symbol)
{
	struct search *search = context;
	struct mp_place_name *name;
	size_t i;

	for (i = lower_bound(search, symbol->address); i < search->nr &&
	     search->addresses[i] - symbol->address < symbol->size; i++) {
		name = &search->names[i];
		if (!is_better(search, i, symbol))
			continue;
		search->starts[i] = symbol->address;
		/* of the return address, one behind what is looked up */
		name->distance = search->addresses[i] + 1 - symbol->address;
		mp_symbol_name(name->function, sizeof(name->function),
			       symbol->name);
	}
	return true;
}

/*
 * Addresses rise as offsets do, and the search relies on it: a spot for which
 * that does not hold is left without a name.
 */
static void locate(struct search *search, const struct mp_elf *elf, size_t i)
{
	uint64_t before = i ? search->addresses[i - 1] : 0;

	/* a call may be the last instruction: look where it is */
	search->addresses[i] = mp_elf_address(elf, search->spots[i].offset - 1);
	if (search->addresses[i] && search->addresses[i] >= before)
		return;
	search->addresses[i] = before;
	search->starts[i] = NOWHERE;
}

/* A name from the file's successor would be a lie. */
static bool is_same(const struct mp_elf *elf, const struct mp_binary *binary)
{
	const unsigned char *id;
	GElf_Addr address;
	int size;

	if (!binary->build_id_size)
		return true;
	size = dwfl_module_build_id(elf->mod, &id, &address);
	return size >= (int)binary->build_id_size &&
	       !memcmp(id, binary->build_id, binary->build_id_size);
}

static void work(void *context, void *result)
{
	const struct question *question = context;
	struct search search = {
		.spots = question->spots,
		.names = result,
		.addresses = calloc(question->nr, sizeof(uint64_t)),
		.starts = calloc(question->nr, sizeof(uint64_t)),
		.nr = question->nr,
	};
	struct mp_elf elf;
	size_t i;

	if (!search.addresses || !search.starts ||
	    mp_elf_open(&elf, question->fd, question->path) ||
	    !is_same(&elf, question->binary))
		return;
	for (i = 0; i < search.nr; i++)
		locate(&search, &elf, i);
	mp_elf_symbols(&elf, take_symbol, &search);
}

/* The child may send anything. */
static void take_names(struct mp_spot *spots, const struct mp_place_name *names,
		       size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (mp_text_is_printable(names[i].function,
					 sizeof(names[i].function)))
			spots[i].name = names[i];
}

bool mp_symbolise_apart(int fd, const char *path,
			const struct mp_binary *binary, struct mp_spot *spots,
			size_t nr)
{
	struct mp_place_name *names = calloc(nr, sizeof(*names));
	struct question question = { fd, path, binary, spots, nr };
	struct mp_apart apart = {
		.work = work,
		.context = &question,
		.result = names,
		.size = nr * sizeof(*names),
		.fd = fd,
	};
	char why[MP_APART_WHY_SIZE];
	bool done;
	size_t i;

	qsort(spots, nr, sizeof(*spots), compare_offset);
	for (i = 0; i < nr; i++)
		memset(&spots[i].name, 0, sizeof(spots[i].name));
	done = names && mp_apart_run(&apart, why);
	if (done)
		take_names(spots, names, nr);
	free(names);
	return done;
}
