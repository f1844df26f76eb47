/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolise: the functions and source lines of addresses in a file's code
 */
#ifndef MP_SYMBOLISE_H
#define MP_SYMBOLISE_H

#include "profile.h"
#include "symbols.h"

#include <stdbool.h>

/**
 * struct mp_symbolise_options - all zero is the usual
 * @debuginfod: ask the servers in $DEBUGINFOD_URLS for what is not here
 */
struct mp_symbolise_options {
	bool debuginfod;
};

/**
 * mp_symbolise - look up addresses, all of one file
 * @options: may be NULL
 * @fd: the file, open for reading; stays open. -1: it is gone
 * @path: of the file, to find a debug file beside it
 * @binary: what the file has to be, as far as its build-id tells
 * @spots: offsets in the file, in any order; out: their runs
 * @nr: how many
 * @symbols: the runs are appended
 *
 * Source, in this order: the cache (symbol-cache.h); the file and its debug
 * file; the debug file in /usr/lib/debug alone, where the file is gone or is
 * another one by now; debuginfod. Files are read in a child process: about a
 * second for a hundred megabytes of DWARF. What is not found has no lines.
 *
 * Return: whether any of them could be read.
 */
bool mp_symbolise(const struct mp_symbolise_options *options, int fd,
		  const char *path, const struct mp_binary *binary,
		  struct mp_spot *spots, size_t nr,
		  struct mp_symbols *symbols);

#endif
