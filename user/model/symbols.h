/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols: what code addresses are called, with the functions inlined there
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* The longest function or file name, with its end; longer ones are cut. */
#define MP_SYMBOL_TEXT_SIZE	1024

/* Lines of one address: deeper inlining is cut off on the inside. */
#define MP_SYMBOL_MAX_LINES	128

/**
 * struct mp_line - where execution is in one function
 * @function: in mp_symbols.names, or MP_NAMES_NONE
 * @file: its source, in mp_symbols.names, or MP_NAMES_NONE
 * @line: in @file; 0 where it is not known. Of the innermost function that of
 *	the address, of an outer one that of the call that was inlined
 * @distance: bytes from the function's beginning or, where that was split and
 *	the address is in its cold part, from the beginning of that; only of a
 *	run's last line
 */
struct mp_line {
	uint32_t function;
	uint32_t file;
	uint32_t line;
	uint64_t distance;
};

/**
 * struct mp_symbols - runs of lines; all zero is none
 * @names: of functions and files, printable
 * @lines: an address has a run of them: the innermost inlined function first,
 *	the function that has a symbol last
 */
struct mp_symbols {
	struct mp_names names;
	struct mp_line *lines;
	size_t nr_lines;
	size_t max_lines;
};

/**
 * struct mp_spot - an address, and its symbol
 * @offset: what a call returns to: in the file or, of code that is in none, in
 *	memory
 * @first: out; its run's first, in mp_symbols.lines
 * @nr: out; lines in the run, 0 where nothing is known
 */
struct mp_spot {
	uint64_t offset;
	uint32_t first;
	uint32_t nr;
};

/** mp_symbols_add - append a line. Return: 0, or -ENOMEM. */
int mp_symbols_add(struct mp_symbols *symbols, const struct mp_line *line);

/**
 * mp_symbols_copy - append the run of a spot of other symbols
 * @from: has the run of @run
 * @spot: out: the run in @symbols; its offset stays
 *
 * Return: 0, or -ENOMEM.
 */
int mp_symbols_copy(struct mp_symbols *symbols, const struct mp_symbols *from,
		    const struct mp_spot *run, struct mp_spot *spot);

/** mp_symbols_text - a name by its number, or NULL */
const char *mp_symbols_text(const struct mp_symbols *symbols, uint32_t name);

/** mp_symbols_copy_all - make @to, which is empty, hold the same. Return: 0, or -ENOMEM */
int mp_symbols_copy_all(struct mp_symbols *to, const struct mp_symbols *from);

/** mp_symbols_free - free all; none is left afterwards */
void mp_symbols_free(struct mp_symbols *symbols);

/** mp_spots_sort - order by offset */
void mp_spots_sort(struct mp_spot *spots, size_t nr);

#endif
