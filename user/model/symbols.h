/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols: functions and source lines of code addresses, with inlined functions
 */
#ifndef MP_SYMBOLS_H
#define MP_SYMBOLS_H

#include "names.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Size of the longest function or file name, with its NUL. Longer names are
 * cut.
 */
#define MP_SYMBOL_TEXT_SIZE	1024

/*
 * Limit of lines per address. The innermost inlined functions beyond it are
 * cut.
 */
#define MP_SYMBOL_MAX_LINES	128

/**
 * struct mp_line - a location in one function
 * @function: number in mp_symbols.names, or MP_NAMES_NONE
 * @file: source file, number in mp_symbols.names, or MP_NAMES_NONE
 * @line: line in @file; 0: not known. For the innermost function the line of
 *	the address, for an outer function the line of the inlined call
 * @distance: bytes from the begin of the function. If the compiler split the
 *	function and the address is in its cold part: from the begin of that
 *	part. Only set in the last line of a run
 */
struct mp_line {
	uint32_t function;
	uint32_t file;
	uint32_t line;
	uint64_t distance;
};

/**
 * struct mp_symbols - runs of lines; all zero means empty
 * @names: names of functions and files, printable
 * @lines: an address has a run of lines: the innermost inlined function first,
 *	the function with a symbol last
 */
struct mp_symbols {
	struct mp_names names;
	struct mp_line *lines;
	size_t nr_lines;
	size_t max_lines;
};

/**
 * struct mp_spot - an address and its symbol
 * @offset: a return address, as an offset in the file; for code in no file the
 *	address
 * @first: out; the first line of its run in mp_symbols.lines
 * @nr: out; number of lines in the run; 0: no symbol is known
 */
struct mp_spot {
	uint64_t offset;
	uint32_t first;
	uint32_t nr;
};

/** mp_symbols_add - append a line. Return: 0, or -ENOMEM */
int mp_symbols_add(struct mp_symbols *symbols, const struct mp_line *line);

/**
 * mp_symbols_copy - append a run of lines from other symbols
 * @from: contains the lines of @run
 * @run: the run to copy
 * @spot: out: the run in @symbols; its offset does not change
 *
 * Return: 0, or -ENOMEM.
 */
int mp_symbols_copy(struct mp_symbols *symbols, const struct mp_symbols *from,
		    const struct mp_spot *run, struct mp_spot *spot);

/** mp_symbols_text - a name by its number, or NULL */
const char *mp_symbols_text(const struct mp_symbols *symbols, uint32_t name);

/** mp_symbols_copy_all - copy all to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_symbols_copy_all(struct mp_symbols *to, const struct mp_symbols *from);

/** mp_symbols_free - free all; the result is empty */
void mp_symbols_free(struct mp_symbols *symbols);

/** mp_spots_sort - sort by offset */
void mp_spots_sort(struct mp_spot *spots, size_t nr);

#endif
