// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * binary-headers.c: finds the program headers of a mapped binary.
 *
 * The kernel passes those of the main program. In other binaries the ELF header
 * is at the start of the first mapping, except after unusual linkers. If the
 * segments of a binary do not touch, _dl_find_object() has the range of one of
 * them; then the ELF header is looked for where it is linked to address 0.
 *
 * Cost: 50 ns. If the headers are not found: none, and the caller does without.
 */
#include "binary-headers.h"

#ifdef DLFO_STRUCT_HAS_EH_DBASE

#include <string.h>
#include <sys/auxv.h>

#pragma weak _dl_find_object

static bool is_header(const void *at)
{
	const Elf64_Ehdr *elf = at;

	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) &&
	       elf->e_phentsize == sizeof(Elf64_Phdr) && elf->e_phoff <= 2048 &&
	       elf->e_phoff + elf->e_phnum * sizeof(Elf64_Phdr) <= 4096;
}

/* Whether @at is in a mapped segment of the binary. */
static bool is_in_binary(const struct dl_find_object *object, uintptr_t at)
{
	struct dl_find_object other;

	return !_dl_find_object((void *)at, &other) &&
	       other.dlfo_link_map == object->dlfo_link_map;
}

/**
 * mp_binary_headers() - find the program headers of a binary
 * @object: from _dl_find_object()
 *
 * Return: the headers, or none.
 */
struct mp_headers mp_binary_headers(const struct dl_find_object *object)
{
	struct mp_headers headers = { 0 };
	const uintptr_t first = object->dlfo_link_map->l_addr;
	const Elf64_Ehdr *elf = object->dlfo_map_start;

	if (!*object->dlfo_link_map->l_name) {
		headers.nr = getauxval(AT_PHNUM);
		headers.list = (const void *)getauxval(AT_PHDR);
		return headers;
	}
	if (!is_header(elf) && first && is_in_binary(object, first))
		elf = (const void *)first;
	if (!is_header(elf))
		return headers;
	headers.nr = elf->e_phnum;
	headers.list = (const void *)((uintptr_t)elf + elf->e_phoff);
	return headers;
}

/**
 * mp_binary_segment() - find the part of the file that an address is in
 * @object: from _dl_find_object()
 * @at: address
 * @begin: receives where the segment starts
 * @end: receives where its bytes of the file end
 *
 * Return: whether there is such a segment, and it can be read.
 */
bool mp_binary_segment(const struct dl_find_object *object, uintptr_t at,
		       uintptr_t *begin, uintptr_t *end)
{
	const struct mp_headers headers = mp_binary_headers(object);
	int i;

	for (i = 0; i < headers.nr; i++) {
		const Elf64_Phdr *p = &headers.list[i];

		*begin = object->dlfo_link_map->l_addr + p->p_vaddr;
		*end = *begin + p->p_filesz;
		if (p->p_type == PT_LOAD && p->p_flags & PF_R &&
		    at >= *begin && at < *end)
			return true;
	}
	/* of one mapping at least its own range is known */
	*begin = (uintptr_t)object->dlfo_map_start;
	*end = (uintptr_t)object->dlfo_map_end;
	return !headers.nr && at >= *begin && at < *end;
}

#endif
