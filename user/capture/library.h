/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library: libmemprof.so, for LD_PRELOAD
 */
#ifndef MP_LIBRARY_H
#define MP_LIBRARY_H

/**
 * mp_library_find - where the library is
 * @path: out, PATH_MAX bytes: one that the loader takes, of a file that is the library
 *
 * Return: 0, or an exit status and a message was printed.
 */
int mp_library_find(char *path);

#endif
