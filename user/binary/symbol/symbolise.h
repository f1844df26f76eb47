/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolise: finds functions and source lines of addresses in a file
 */
#ifndef MP_SYMBOLISE_H
#define MP_SYMBOLISE_H

#include "profile.h"
#include "symbols.h"

#include <stdbool.h>

/**
 * struct mp_symbolise_options - options; all zero is the default
 * @debuginfod: ask the servers in $DEBUGINFOD_URLS for missing debug files
 */
struct mp_symbolise_options {
	bool debuginfod;
};

/**
 * mp_symbolise - look up the addresses of one file
 * @options: may be NULL
 * @fd: the file, open for reading; stays open. -1: it does not exist any more
 * @path: of the file, to find a debug file beside it
 * @binary: its build-id is compared, if known
 * @spots: offsets in the file, in any order. Out: their runs
 * @nr: number of @spots
 * @symbols: the runs are appended
 *
 * Sources, in this order: the cache (symbol-cache.h); the file and its debug
 * file; only the debug file in /usr/lib/debug, if the file was removed or
 * replaced; debuginfod. Files are read in a child process: about a second per
 * hundred megabytes of DWARF. What is not found has no lines.
 *
 * Return: whether any of them could be read.
 */
bool mp_symbolise(const struct mp_symbolise_options *options, int fd,
		  const char *path, const struct mp_binary *binary,
		  struct mp_spot *spots, size_t nr,
		  struct mp_symbols *symbols);

#endif
