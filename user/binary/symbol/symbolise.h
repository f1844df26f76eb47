/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolise: finds functions and source lines of addresses in a file
 */
#ifndef MP_SYMBOLISE_H
#define MP_SYMBOLISE_H

#include "profile.h"
#include "symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Time that the searches of one report may take. */
#define MP_SYMBOLISE_BUDGET_NS	90000000000LL

/**
 * struct mp_symbolise_budget - time limit of the searches in several files
 * @left_ns: remaining time; a search that has begun may take 45 s more
 * @nr_late: out: files that were not searched, because no time was left
 * @nr_packed: out: files whose debug sections were not decompressed
 * @nr_failed: out: files whose child was killed by a limit or crashed
 *
 * The results are stored in the cache, so the next report continues where this
 * one stopped.
 */
struct mp_symbolise_budget {
	int64_t left_ns;
	size_t nr_late, nr_packed, nr_failed;
};

/**
 * struct mp_symbolise_options - options; all zero is the default
 * @debuginfod: ask the servers in $DEBUGINFOD_URLS for missing debug files
 * @only_used: of a profile, only frames that its rows have
 * @budget: may be NULL: no limit
 */
struct mp_symbolise_options {
	bool debuginfod, only_used;
	struct mp_symbolise_budget *budget;
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
 * replaced; debuginfod. Files are read in a child process, which takes about a
 * second per 100 MB of DWARF. Addresses that are not found have no lines.
 *
 * Return: true if a file or the cache could be read.
 */
bool mp_symbolise(const struct mp_symbolise_options *options, int fd,
		  const char *path, const struct mp_binary *binary,
		  struct mp_spot *spots, size_t nr,
		  struct mp_symbols *symbols);

#endif
