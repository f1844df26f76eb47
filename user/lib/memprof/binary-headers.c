// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * binary-headers.c: finds the program headers of a mapped binary.
 *
 * For the main program the kernel passes the address of the headers. In other
 * binaries the ELF header is usually at the start of the first mapping. If there are
 * gaps between the segments of a binary, _dl_find_object() returns the range of one
 * segment only; then the ELF header is searched at link address 0 of the binary.
 *
 * Cost: 50 ns. If the headers are not found, an empty list is returned.
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

/* Whether the address @at is in a mapped segment of the binary. */
static bool is_in_binary(const struct dl_find_object *object, uintptr_t at)
{
	struct dl_find_object other;

	return !_dl_find_object((void *)at, &other) &&
	       other.dlfo_link_map == object->dlfo_link_map;
}

/**
 * mp_binary_headers() - find the program headers of a binary
 * @object: result of _dl_find_object()
 *
 * Return: the headers; an empty list if they are not found.
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
 * mp_binary_segment() - find the segment of a binary that contains an address
 * @object: result of _dl_find_object()
 * @at: address
 * @begin: out: first address of the segment
 * @end: out: first address after the segment's bytes from the file
 *
 * Return: true if such a segment was found and can be read.
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
	/* without headers, use the range that _dl_find_object() has returned */
	*begin = (uintptr_t)object->dlfo_map_start;
	*end = (uintptr_t)object->dlfo_map_end;
	return !headers.nr && at >= *begin && at < *end;
}

#endif
