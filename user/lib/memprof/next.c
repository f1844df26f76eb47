// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * next.c: finds the allocator's functions that the host would call without this
 * library.
 *
 * The first call of any of these functions looks up all of them with
 * dlsym(RTLD_NEXT), or in the symbol tables if this library was opened late. They are
 * functions of the C library, or of an allocator that the host links. The pointers are
 * in this library's own data, so a call costs as much as a call through the global
 * offset table.
 */
#include "next.h"

#include "bloom.h"
#include "bootstrap.h"
#include "c-library.h"
#include "loaded-object.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum { UNKNOWN, LOOKING, KNOWN } state;

/* Allocates from the arena. The block is added to the filter before any free of it. */
static void *early_block(size_t alignment, size_t size)
{
	void *p = mp_bootstrap_alloc(alignment, size);

	if (p)
		bloom_add((uintptr_t)p);
	return p;
}

static void *early_malloc(size_t size)
{
	if (mp_next_resolve())
		return mp_next.malloc(size);
	return early_block(0, size);
}

static void early_free(void *p)
{
	if (mp_next_resolve())
		mp_next.free(p);
}

static void *early_calloc(size_t n, size_t size)
{
	size_t bytes;

	if (mp_next_resolve())
		return mp_next.calloc(n, size);
	/* no memset(): the arena is zero, and each byte of it is used only once */
	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return early_block(0, bytes);
}

static void *early_realloc(void *p, size_t size)
{
	if (mp_next_resolve())
		return mp_next.realloc(p, size);
	/*
	 * fail if there is an old block: hooks.c itself reallocates blocks of
	 * the arena, and no other blocks exist yet
	 */
	return p ? NULL : early_block(0, size);
}

static int early_posix_memalign(void **p, size_t alignment, size_t size)
{
	if (mp_next_resolve())
		return mp_next.posix_memalign(p, alignment, size);
	*p = early_block(alignment, size);
	return *p ? 0 : ENOMEM;
}

static void *early_aligned_alloc(size_t alignment, size_t size)
{
	if (mp_next_resolve())
		return mp_next.aligned_alloc(alignment, size);
	return early_block(alignment, size);
}

static void *early_memalign(size_t alignment, size_t size)
{
	if (mp_next_resolve())
		return mp_next.memalign(alignment, size);
	return early_block(alignment, size);
}

static void *early_valloc(size_t size)
{
	if (mp_next_resolve())
		return mp_next.valloc(size);
	return early_block(4096, size);
}

static void *early_pvalloc(size_t size)
{
	if (mp_next_resolve())
		return mp_next.pvalloc(size);
	return early_block(4096, (size + 4095) & ~4095UL);
}

static size_t early_usable_size(void *p)
{
	return mp_next_resolve() ? mp_next.malloc_usable_size(p) : 0;
}

static int early_dlclose(void *handle)
{
	return mp_next_resolve() ? mp_next.dlclose(handle) : -1;
}

/*
 * Initial function for mmap(). It does not start the look-up, because the look-up
 * itself calls mmap().
 */
static void *early_mmap(void *addr, size_t size, int prot, int flags, int fd,
			off_t at)
{
	return (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, at);
}

static int early_munmap(void *p, size_t size)
{
	return syscall(SYS_munmap, p, size);
}

static void *early_mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
	va_list args;
	void *to;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	return (void *)syscall(SYS_mremap, old, old_size, size, flags, to);
}

static int early_prctl(int option, ...)
{
	unsigned long list[4];
	va_list args;
	int i;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		list[i] = va_arg(args, unsigned long);
	va_end(args);
	return syscall(SYS_prctl, option, list[0], list[1], list[2], list[3]);
}

struct mp_next mp_next = {
	.malloc = early_malloc,
	.free = early_free,
	.calloc = early_calloc,
	.realloc = early_realloc,
	.posix_memalign = early_posix_memalign,
	.aligned_alloc = early_aligned_alloc,
	.memalign = early_memalign,
	.valloc = early_valloc,
	.pvalloc = early_pvalloc,
	.malloc_usable_size = early_usable_size,
	.dlclose = early_dlclose,
	.mmap = early_mmap,
	.mmap64 = early_mmap,
	.munmap = early_munmap,
	.mremap = early_mremap,
	.prctl = early_prctl,
};

/*
 * Stands in for a function that was not found, so that no hook calls itself without
 * end.
 */
static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static int no_posix_memalign(void **p, size_t alignment, size_t size)
{
	(void)p;
	(void)alignment;
	(void)size;
	return ENOMEM;
}

static size_t no_size(void *p)
{
	(void)p;
	return 0;
}

static void no_free(void *p)
{
	(void)p;
}

static int no_dlclose(void *handle)
{
	(void)handle;
	return -1;
}

/*
 * A calloc() for musl. musl's own calloc() calls malloc(), which is this library's, and
 * the call would be counted twice. Pages that are zero already are not written, so
 * that they do not become resident.
 */
static void *calloc_by_malloc(size_t n, size_t size)
{
	size_t i, bytes;
	uint64_t *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		return no_memory();
	p = mp_next.malloc(bytes);
	if (!p)
		return NULL;
	for (i = 0; i < bytes / sizeof(*p); i++)
		if (p[i])
			p[i] = 0;
	memset(&p[i], 0, bytes % sizeof(*p));
	return p;
}

static int posix_memalign_by_aligned_alloc(void **p, size_t alignment, size_t size)
{
	int saved = errno, error;
	void *block;

	if (alignment < sizeof(void *))
		return EINVAL;
	block = mp_next.aligned_alloc(alignment, size);
	error = block ? 0 : errno;
	errno = saved;
	if (block)
		*p = block;
	return error;
}

static void *memalign_by_aligned_alloc(size_t alignment, size_t size)
{
	return mp_next.aligned_alloc(alignment, size);
}

static void *valloc_by_aligned_alloc(size_t size)
{
	return mp_next.aligned_alloc(4096, size);
}

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Whether calloc() is musl's, and not that of another allocator. */
static bool are_musls(void *(*find)(const char *name))
{
	Dl_info calloc_info, exit_info;

	return !mp_is_glibc() && dladdr((void *)mp_next.calloc, &calloc_info) &&
	       dladdr(find("_Exit"), &exit_info) &&
	       calloc_info.dli_fbase == exit_info.dli_fbase;
}

static void call_nobody_twice(void)
{
	mp_next.calloc = calloc_by_malloc;
	mp_next.posix_memalign = posix_memalign_by_aligned_alloc;
	mp_next.memalign = memalign_by_aligned_alloc;
	mp_next.valloc = valloc_by_aligned_alloc;
}

/* Stores a function, or what stands in for it. */
#define LOOK_UP(name, otherwise) do {					\
		void *function = find(#name);				\
									\
		if (!function)						\
			function = otherwise;				\
		__atomic_store_n((void **)&mp_next.name, function, __ATOMIC_RELEASE); \
	} while (0)

static bool resolve(void *(*find)(const char *name))
{
	int unknown = UNKNOWN;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == KNOWN)
		return true;
	if (!__atomic_compare_exchange_n((int *)&state, &unknown, LOOKING, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return unknown == KNOWN;
	LOOK_UP(calloc, no_memory);
	LOOK_UP(realloc, no_memory);
	LOOK_UP(posix_memalign, no_posix_memalign);
	LOOK_UP(aligned_alloc, no_memory);
	LOOK_UP(memalign, no_memory);
	LOOK_UP(valloc, no_memory);
	LOOK_UP(pvalloc, no_memory);
	LOOK_UP(malloc_usable_size, no_size);
	LOOK_UP(dlclose, no_dlclose);
	LOOK_UP(mmap, early_mmap);
	LOOK_UP(mmap64, early_mmap);
	LOOK_UP(munmap, early_munmap);
	LOOK_UP(mremap, early_mremap);
	LOOK_UP(prctl, early_prctl);
	LOOK_UP(free, no_free);
	LOOK_UP(malloc, no_memory);
	if (are_musls(find))
		call_nobody_twice();
	__atomic_store_n((int *)&state, KNOWN, __ATOMIC_RELEASE);
	return true;
}

/**
 * mp_next_resolve() - look up all functions
 *
 * Return: true if the functions are known; false while another call is looking them
 * up, which may be a call of the same thread.
 */
bool mp_next_resolve(void)
{
	return resolve(find_next);
}

/**
 * mp_next_resolve_late() - look up all functions, in a library that was opened late
 *
 * From there, RTLD_NEXT does not find the allocator that the program links. Return: as
 * mp_next_resolve().
 */
bool mp_next_resolve_late(void)
{
	return resolve(mp_object_definition);
}
