/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libiberty: what is used of its archive
 *
 * Fedora and RHEL install the archive without the header of its demangler, Debian and
 * Alpine install that as libiberty/demangle.h. test-demangle compares.
 */
#ifndef MP_LIBIBERTY_H
#define MP_LIBIBERTY_H

#define DMGL_PARAMS	(1 << 0)	/* with the arguments' types */
#define DMGL_ANSI	(1 << 1)	/* and const, volatile */
#define DMGL_AUTO	(1 << 8)	/* whichever language it is */

/* Returns a name to be freed, or NULL if @mangled is not mangled. */
char *cplus_demangle(const char *mangled, int options);

#endif
