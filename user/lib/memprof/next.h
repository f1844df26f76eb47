/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * next.h: pointers to the functions that the host would call without this library.
 */
#ifndef MEMPROF_NEXT_H
#define MEMPROF_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* No pointer is ever NULL: at first they point to functions that start the look-up. */
struct mp_next {
	void *(*malloc)(size_t size);
	void (*free)(void *p);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *p, size_t size);
	int (*posix_memalign)(void **p, size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	size_t (*malloc_usable_size)(void *p);
	int (*dlclose)(void *handle);
	void *(*mmap)(void *addr, size_t size, int prot, int flags, int fd,
		      off_t at);
	void *(*mmap64)(void *addr, size_t size, int prot, int flags, int fd,
			off64_t at);
	int (*munmap)(void *p, size_t size);
	int (*prctl)(int option, ...);
	void *(*mremap)(void *old, size_t old_size, size_t size, int flags, ...);
};

extern struct mp_next mp_next __attribute__((visibility("hidden")));

bool mp_next_resolve(void);
bool mp_next_resolve_late(void);

#endif
