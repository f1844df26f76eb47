/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library: libmemprof.so, for LD_PRELOAD
 */
#ifndef MP_LIBRARY_H
#define MP_LIBRARY_H

#include "diag.h"

/**
 * mp_library_find - where the library is
 * @path: out, PATH_MAX bytes: one that the loader takes, of a file that is the library
 *
 * Return: 0, or a negative errno and @diag says why.
 */
int mp_library_find(char *path, struct mp_diag *diag);

#endif
