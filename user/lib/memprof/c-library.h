/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * c-library.h: which C library the host has. The library is compiled once, with
 * glibc, and is loaded into programs of musl, too.
 */
#ifndef MEMPROF_C_LIBRARY_H
#define MEMPROF_C_LIBRARY_H

#include <features.h>
#include <stdbool.h>

#ifdef __GLIBC__
extern int __register_atfork(void (*before)(void), void (*after)(void),
			     void (*in_child)(void), void *library);
#pragma weak __register_atfork
#endif

static inline bool mp_is_glibc(void)
{
#ifdef __GLIBC__
	return __register_atfork;
#else
	return false;
#endif
}

#endif
