// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * hook-table.c: lists the functions that are replaced in a running program. Only
 * libmemprof.so contains it.
 */
#include "hooks.h"
#include "loader-hooks.h"
#include "operators.h"
#include "redirect.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define OF(kind, name) { #name, MP_HOOK_##kind, (void *)name, NULL, NULL, 0 },
#define OPERATOR(name) \
	{ #name, MP_HOOK_OPERATOR, (void *)mp_hook##name, (void **)&mp_next##name, NULL, 0 },
#define LOADER(name) \
	{ #name, MP_HOOK_LOADER, (void *)mp_hook_##name, (void **)&mp_loader.name, NULL, 0 },

struct mp_hook mp_hooks[] = {
	OF(ALLOCATOR, malloc)
	OF(ALLOCATOR, free)
	OF(ALLOCATOR, calloc)
	OF(ALLOCATOR, realloc)
	OF(ALLOCATOR, reallocarray)
	OF(ALLOCATOR, posix_memalign)
	OF(ALLOCATOR, aligned_alloc)
	OF(ALLOCATOR, memalign)
	OF(ALLOCATOR, valloc)
	OF(ALLOCATOR, pvalloc)
	OF(ALLOCATOR, free_sized)
	OF(ALLOCATOR, free_aligned_sized)
	OF(MAPPING, mmap)
	OF(MAPPING, mmap64)
	OF(MAPPING, munmap)
	OF(MAPPING, mremap)
	OF(LOADER, dlclose)
	OF(LOADER, prctl)
	LOADER(dlopen)
	LOADER(dlsym)
	MP_OPERATORS_NEW(OPERATOR, MP_NOTHING)
	MP_OPERATORS_DELETE(OPERATOR, MP_NOTHING)
	MP_OPERATORS_MOVE(OPERATOR, MP_NOTHING)
};

const size_t mp_nr_hooks = sizeof(mp_hooks) / sizeof(*mp_hooks);
