/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loaded-object.h: the symbols and relocations of a binary that is loaded.
 */
#ifndef MEMPROF_LOADED_OBJECT_H
#define MEMPROF_LOADED_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Tables of an object. All of them are inside its segments; a table that is missing,
 * or not inside, is NULL.
 * @relocations: DT_RELA and DT_JMPREL
 * @relro_begin, @relro_end: pages that the loader made read-only
 */
struct mp_object {
	const struct dl_phdr_info *info;
	const Elf64_Sym *symbols;
	const char *names;
	size_t names_size;
	struct mp_relocations {
		const Elf64_Rela *list;
		size_t nr;
	} relocations[2];
	const uint32_t *gnu_hash;
	const uint32_t *hash;
	uintptr_t relro_begin;
	uintptr_t relro_end;
};

#pragma GCC visibility push(hidden)

bool mp_object_read(struct mp_object *o, const struct dl_phdr_info *info);
bool mp_object_has(const struct mp_object *o, uintptr_t at, size_t size, uint32_t flags);
bool mp_object_is_own(const struct mp_object *o);
const Elf64_Sym *mp_object_symbol(const struct mp_object *o, size_t nr);
const char *mp_object_name(const struct mp_object *o, const Elf64_Sym *symbol);
const Elf64_Sym *mp_object_find(const struct mp_object *o, const char *name);
void *mp_object_function(const struct mp_object *o, const char *name);
bool mp_object_is_loaded_late(void);
void *mp_object_definition(const char *name);

#pragma GCC visibility pop

#endif
