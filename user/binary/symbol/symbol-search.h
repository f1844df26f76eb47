/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-search: finds the symbols of addresses in a file and its debug file
 */
#ifndef MP_SYMBOL_SEARCH_H
#define MP_SYMBOL_SEARCH_H

#include "profile.h"
#include "symbol-answer.h"

/**
 * struct mp_symbol_search - a search
 * @fd: the file
 * @path: its path, to find a debug file beside it
 * @binary: its build-id is compared, if known
 * @is_debug_file: the file contains no code. Addresses are calculated as if a linker
 *	had laid the file out as usual, see layout.h
 * @offsets: return addresses, as ascending offsets in the file with the code
 * @nr: number of @offsets
 */
struct mp_symbol_search {
	int fd;
	const char *path;
	const struct mp_binary *binary;
	bool is_debug_file;
	const uint64_t *offsets;
	size_t nr;
};

/** enum mp_symbol_outcome - result of a search */
enum mp_symbol_outcome {
	MP_SYMBOL_DONE,			/* there is an answer */
	MP_SYMBOL_PART,			/* an answer without lines: see packed-size.h */
	MP_SYMBOL_OTHER,		/* the file does not exist, or has another build-id */
	MP_SYMBOL_FAILED,		/* the child exceeded a limit or crashed */
};

/**
 * mp_symbol_search_isolated - search in a child process
 * @answer: out; the caller frees it; has a spot for each offset
 *
 * The child's limits are 45 s of real time, 30 s of CPU time, and 2 GiB of
 * memory besides the files that it maps.
 */
enum mp_symbol_outcome
mp_symbol_search_isolated(const struct mp_symbol_search *search,
			  struct mp_symbol_answer *answer);

#endif
