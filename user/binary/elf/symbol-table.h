/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-table: finds the symbols that contain given addresses
 */
#ifndef MP_SYMBOL_TABLE_H
#define MP_SYMBOL_TABLE_H

#include "elf-file.h"

/**
 * struct mp_cover - the symbol that contains an address
 * @name: name in the file; NULL if no symbol contains the address
 * @start: address of the symbol
 */
struct mp_cover {
	const char *name;
	uint64_t start;
};

/**
 * mp_symbol_table_cover - find the symbols of addresses
 * @addresses: virtual addresses in the file, ascending
 * @covers: out; one per address; names are valid as long as @elf
 * @nr: number of both
 */
void mp_symbol_table_cover(const struct mp_elf *elf, const uint64_t *addresses,
			   struct mp_cover *covers, size_t nr);

/**
 * mp_addresses_from - find the first of ascending addresses that is >= @address
 *
 * Return: its index, or @nr.
 */
size_t mp_addresses_from(const uint64_t *addresses, size_t nr,
			 uint64_t address);

/**
 * mp_symbol_is_plainer - check whether to prefer @name to its alias @other:
 * malloc is preferred to __libc_malloc
 */
static inline bool mp_symbol_is_plainer(const char *name, const char *other)
{
	return name[0] != '_' && other[0] == '_';
}

#endif
