/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * redirect.h: leads the calls of all loaded objects to this library, and back.
 */
#ifndef MEMPROF_REDIRECT_H
#define MEMPROF_REDIRECT_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of functions that are replaced together. */
#define MP_HOOK_ALLOCATOR	0x1
#define MP_HOOK_MAPPING		0x2
#define MP_HOOK_OPERATOR	0x4	/* operators.h lists them */
#define MP_HOOK_LOADER		0x8	/* what this library must know of */

/*
 * A function that is replaced.
 * @next: where the replaced function is stored; NULL if next.c knows it
 * @real: the function; NULL if it was not found, or is not replaced
 * @canonical: address that the program gives it in its own table of calls; or 0
 */
struct mp_hook {
	const char *name;
	uint32_t kind;
	void *function;
	void **next;
	void *real;
	uintptr_t canonical;
};

/* See struct memprof_attachment. */
struct mp_redirection {
	uint32_t objects;
	uint32_t slots;
	uint32_t foreign;
	uint32_t failed;
	uint32_t restored;
};

#pragma GCC visibility push(hidden)

extern struct mp_hook mp_hooks[];
extern const size_t mp_nr_hooks;

struct mp_redirection mp_redirect(uint32_t kinds);
void mp_redirect_operators(void);
void mp_redirect_again(void);

#pragma GCC visibility pop

#endif
