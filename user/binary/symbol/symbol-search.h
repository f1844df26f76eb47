/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbol-search: the symbols of addresses, from one file and its debug file
 */
#ifndef MP_SYMBOL_SEARCH_H
#define MP_SYMBOL_SEARCH_H

#include "profile.h"
#include "symbol-answer.h"

/**
 * struct mp_symbol_search - what to look for, and where
 * @fd: the file
 * @path: of it, to find a debug file beside it
 * @binary: what it has to be, as far as its build-id tells
 * @is_debug_file: it holds no code: where that is in the other file follows
 *	from how linkers lay files out
 * @offsets: in the file with the code, rising; of return addresses
 * @nr: how many
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
 * mp_symbol_search_isolated - search, in a child process
 * @answer: out; to be freed; has a spot for each offset
 *
 * Return: whether the file could be read, and is the one that is meant.
 */
bool mp_symbol_search_isolated(const struct mp_symbol_search *search,
			    struct mp_symbol_answer *answer);

#endif
