/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library: finds libmemprof.so for LD_PRELOAD
 */
#ifndef MP_LIBRARY_H
#define MP_LIBRARY_H

#include "diag.h"

/**
 * mp_library_find - find the library
 * @path: out, PATH_MAX bytes: path of the library, without spaces and colons
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_library_find(char *path, struct mp_diag *diag);

#endif
