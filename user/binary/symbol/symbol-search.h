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
 * @is_debug_file: the file contains no code: addresses follow from the usual
 *	layout of linkers, see layout.h
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

/**
 * mp_symbol_search_isolated - search in a child process
 * @answer: out; the caller frees it; has a spot for each offset
 *
 * Return: false if the file cannot be read or has another build-id.
 */
bool mp_symbol_search_isolated(const struct mp_symbol_search *search,
			       struct mp_symbol_answer *answer);

#endif
