/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * c-library.h: tests whether the host uses glibc. This library is compiled with
 * glibc, but programs that use musl can load it, too.
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
