/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * binary-headers.h: finds program headers and segments of a mapped binary.
 */
#ifndef MEMPROF_BINARY_HEADERS_H
#define MEMPROF_BINARY_HEADERS_H

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* _dl_find_object() exists in glibc 2.35 and later. */
#ifdef DLFO_STRUCT_HAS_EH_DBASE

struct mp_headers {
	const Elf64_Phdr *list;
	int nr;
};

struct mp_headers mp_binary_headers(const struct dl_find_object *object);
bool mp_binary_segment(const struct dl_find_object *object, uintptr_t at,
		       uintptr_t *begin, uintptr_t *end);

#endif

#endif
