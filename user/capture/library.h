/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library: finds libmemprof.so for LD_PRELOAD
 */
#ifndef MP_LIBRARY_H
#define MP_LIBRARY_H

#include "diag.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * mp_library_find - find the library
 * @path: out, PATH_MAX bytes: path of the library, without spaces and colons
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_library_find(char *path, struct mp_diag *diag);

/**
 * mp_library_preload - make the programs that this process will exec load the library
 * @library: path of the library; it is put before the libraries that the user preloads
 * @folder: the folder for their regions
 * @rate: mean bytes between samples; 0: the library's default
 * @pace: samples a second that a thread takes at most; 0: any number
 * @only: processes that cannot write there have a region without a file
 *
 * Sets LD_PRELOAD, MEMPROF_OUT, MEMPROF_OUT_ONLY, MEMPROF_PACE and MEMPROF_RATE.
 */
void mp_library_preload(const char *library, const char *folder, uint64_t rate,
			uint32_t pace, bool only);

#endif
