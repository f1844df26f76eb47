// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-table: finds the symbols of many addresses in one pass
 *
 * The cost is a binary search per symbol, so a thousand addresses take little
 * more time than one. If several symbols contain an address, the one with the
 * highest start is used.
 */
#include "symbol-table.h"

#include <string.h>

struct search {
	const uint64_t *addresses;
	struct mp_cover *covers;
	size_t nr;
};

size_t mp_addresses_from(const uint64_t *addresses, size_t nr,
			 uint64_t address)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_better(const struct mp_cover *cover,
		      const struct mp_symbol *symbol)
{
	if (!cover->name || cover->start < symbol->address)
		return true;
	return cover->start == symbol->address &&
	       mp_symbol_is_plainer(symbol->name, cover->name);
}

static bool cover_addresses(void *context, const struct mp_symbol *symbol)
{
	struct search *search = context;
	const uint64_t *addresses = search->addresses;
	size_t i = mp_addresses_from(addresses, search->nr, symbol->address);

	for (; i < search->nr &&
	     addresses[i] - symbol->address < symbol->size; i++) {
		if (!is_better(&search->covers[i], symbol))
			continue;
		search->covers[i].name = symbol->name;
		search->covers[i].start = symbol->address;
	}
	return true;
}

void mp_symbol_table_cover(const struct mp_elf *elf, const uint64_t *addresses,
			   struct mp_cover *covers, size_t nr)
{
	struct search search = { addresses, covers, nr };

	memset(covers, 0, nr * sizeof(*covers));
	mp_elf_symbols(elf, cover_addresses, &search);
}
