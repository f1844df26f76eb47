/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * near-code.h: functions that run in a second mapping, near the code that calls them.
 *
 * near-code.S has the functions, and its numbers are here. They take each address from
 * the page behind their own, so they run at any address.
 */
#ifndef MEMPROF_NEAR_CODE_H
#define MEMPROF_NEAR_CODE_H

/* Bytes of the page of code, and of the page of data behind it. */
#define MP_NEAR_PAGE	4096

/* Where in the page of data the words are that all functions use, and those of a domain. */
#define MP_NEAR_COUNTDOWN	0
#define MP_NEAR_FILTER		8
#define MP_NEAR_OBJECT		16
#define MP_NEAR_MEMORY		88

/* Where in the words of a domain. */
#define MP_NEAR_MALLOC		0
#define MP_NEAR_CALLOC		8
#define MP_NEAR_REALLOC		16
#define MP_NEAR_FREE		24
#define MP_NEAR_SLOW_MALLOC	32
#define MP_NEAR_SLOW_CALLOC	40
#define MP_NEAR_ANY_REALLOC	48
#define MP_NEAR_SLOW_FREE	56
#define MP_NEAR_ALLOCATOR	64

/* Numbers of bloom.h and python-objects.c. */
#define MP_NEAR_PAGE_SHIFT	12
#define MP_NEAR_WORDS		(1 << 14)
#define MP_NEAR_BIT_SHIFT	59
#define MP_NEAR_LARGEST		512

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

/*
 * What the functions of a domain need.
 * @malloc, @calloc, @realloc, @free: the replaced functions
 * @slow_malloc, @slow_calloc: are called when the countdown ends, with @allocator as last
 *	argument
 * @any_realloc: is called if the block is not new, and small or sampled, also so
 * @slow_free: is called if the block may be a sampled one, also with @allocator
 */
struct mp_near_domain {
	void *(*malloc)(void *context, size_t size);
	void *(*calloc)(void *context, size_t n, size_t size);
	void *(*realloc)(void *context, void *p, size_t size);
	void (*free)(void *context, void *p);
	void *slow_malloc;
	void *slow_calloc;
	void *any_realloc;
	void *slow_free;
	const void *allocator;
};

/*
 * The page of data.
 * @countdown: bytes that are left, a word
 * @filter: address of the pointer to the Bloom filter
 */
struct mp_near_data {
	void *countdown;
	const void *filter;
	struct mp_near_domain object, memory;
};

/* The functions of a domain, as distances from the begin of their page. */
struct mp_near_functions {
	uint32_t malloc, calloc, realloc, free;
};

#pragma GCC visibility push(hidden)

/* The page of code; nobody calls it where the dynamic linker has put it. */
extern const char mp_near_code[MP_NEAR_PAGE];
extern const struct mp_near_functions mp_near_object, mp_near_memory;

#pragma GCC visibility pop

#endif

#endif
