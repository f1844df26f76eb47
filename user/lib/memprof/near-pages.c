// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * near-pages.c: maps near-code.S near the code that calls it. Only libmemprof.so contains
 * it.
 *
 * CPUs predict an indirect jump worse if its target is more than 4 GB away. A program at
 * a fixed address is that far from its libraries, and each call of an allocator and its
 * way on are such jumps. So two pages are mapped below the program: the page of code of
 * this library, and its data.
 *
 * No code is written, and no file is opened: mremap() with MREMAP_DONTUNMAP (Linux 5.13)
 * maps the same page of the same file a second time. So this works with a library in a
 * memfd, or in another mount namespace, and where memory may not be both writable and
 * executable. The kernel forgets the page tables of the first mapping, and fills them again
 * when it is used. It also ends mlockall() for this library's code.
 *
 * The pages stay after a detach, as the library does: threads may be in them.
 *
 * Cost: four system calls, once, and 8 KB. If one fails, or the process has confined itself,
 * there are no pages, and the functions in the library are used.
 */
#include "near-pages.h"

#ifdef __x86_64__

#include "confinement.h"
#include "loaded-object.h"
#include "own-syscall.h"
#include "stack-walk.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE	0x100000
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP	4
#endif

/* Distances below the caller's object that are tried: not its neighbours' 64 KB. */
#define STEP		0x10000UL
#define NR_STEPS	64
/* The lowest address that unprivileged processes may map, as a rule. */
#define LOWEST		0x10000UL
/* At smaller distances no jump is far. */
#define FAR		(2UL << 30)

_Static_assert(sizeof(struct mp_near_data) <= MP_NEAR_PAGE &&
	       sizeof(struct mp_near_data) % sizeof(uintptr_t) == 0, "it is copied by words");

/* The mapped pages, or NULL. Written once; attach.c runs one attach at a time. */
static char *pages;

static bool is_far(uintptr_t a, uintptr_t b)
{
	return (a > b ? a - b : b - a) >= FAR;
}

/* The lowest address of the object that contains @function. */
struct search {
	uintptr_t function;
	uintptr_t lowest;
};

static int find_lowest(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct mp_object o = { .info = info };
	struct search *search = arg;
	uintptr_t at;
	int i;

	(void)size;
	if (!mp_object_has(&o, search->function, 1, PF_X))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && at < search->lowest)
			search->lowest = at;
	}
	return 1;
}

/* Takes two pages at an address where nothing is. Older kernels take them elsewhere. */
static char *reserve(uintptr_t at)
{
	char *got = mp_own_mmap((void *)at, 2 * MP_NEAR_PAGE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);

	if (mp_own_failed(got))
		return NULL;
	if ((uintptr_t)got == at)
		return got;
	mp_own_munmap(got, 2 * MP_NEAR_PAGE);
	return NULL;
}

static char *reserve_below(uintptr_t lowest)
{
	uintptr_t at = lowest & ~(STEP - 1);
	char *got = NULL;
	int i;

	for (i = 0; i < NR_STEPS && !got && at >= LOWEST + STEP; i++) {
		at -= STEP;
		got = reserve(at);
	}
	return got;
}

/* Puts the page of code over the first of the pages. */
static bool map_code(char *to)
{
	const long got = mp_own_syscall(SYS_mremap, (long)mp_near_code, MP_NEAR_PAGE,
					MP_NEAR_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED |
					MREMAP_DONTUNMAP, (long)to, 0);

	return got == (long)to;
}

static bool protect_data(int protection)
{
	return !mp_own_syscall(SYS_mprotect, (long)(pages + MP_NEAR_PAGE), MP_NEAR_PAGE,
			       protection, 0, 0, 0);
}

/* Threads may run the code meanwhile, so each word is written at once. */
static bool write_data(const struct mp_near_data *data)
{
	const uintptr_t *from = (const uintptr_t *)data;
	uintptr_t *to = (uintptr_t *)(pages + MP_NEAR_PAGE);
	bool is_writable = false;
	size_t i;

	for (i = 0; i < sizeof(*data) / sizeof(*from); i++) {
		if (to[i] == from[i])
			continue;
		if (!is_writable && (mp_confinement != MP_FREE ||
				     !protect_data(PROT_READ | PROT_WRITE)))
			return false;
		is_writable = true;
		__atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
	}
	return !is_writable || protect_data(PROT_READ);
}

static bool make_pages(uintptr_t function)
{
	struct search search = { function, UINTPTR_MAX };
	char *got;

	if (mp_confinement != MP_FREE || !is_far((uintptr_t)mp_near_code, function) ||
	    !dl_iterate_phdr(find_lowest, &search))
		return false;
	got = reserve_below(search.lowest);
	if (!got)
		return false;
	if (!map_code(got)) {
		mp_own_munmap(got, 2 * MP_NEAR_PAGE);
		return false;
	}
	mp_unwind_copy((uintptr_t)got, (uintptr_t)mp_near_code, MP_NEAR_PAGE);
	pages = got;
	return true;
}

/**
 * mp_near_pages_map() - map near-code.S near a function
 * @function: a replaced function
 * @data: what the code needs
 *
 * If the pages exist, only their data is changed.
 *
 * Return: the page of code; NULL if it is not needed, or cannot be mapped.
 */
const char *mp_near_pages_map(const void *function, const struct mp_near_data *data)
{
	const uintptr_t at = (uintptr_t)function;

	if (!pages && !make_pages(at))
		return NULL;
	return !is_far((uintptr_t)pages, at) && write_data(data) ? pages : NULL;
}

#else

const char *mp_near_pages_map(const void *function, const struct mp_near_data *data)
{
	(void)function;
	(void)data;
	return NULL;
}

#endif
