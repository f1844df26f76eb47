/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbols: stores the functions and source lines of code addresses
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
 * Limit of lines per address, which is one line per inlined function. If there are
 * more, the innermost functions are dropped.
 */
#define MP_SYMBOL_MAX_LINES	128

/**
 * struct mp_line - a function and source line of an address
 * @function: number in mp_symbols.names, or MP_NAMES_NONE
 * @file: source file, number in mp_symbols.names, or MP_NAMES_NONE
 * @line: line in @file; 0: not known. For the innermost function the line of
 *	the address, for an outer function the line of the inlined call
 * @distance: bytes from the begin of the function, or of the function's cold part
 *	if the compiler split the function and the address is in that part. Only
 *	set in the last line of a run
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
 * @lines: runs of lines, one run per address: the innermost inlined function
 *	first, the function with a symbol last
 */
struct mp_symbols {
	struct mp_names names;
	struct mp_line *lines;
	size_t nr_lines;
	size_t max_lines;
};

/**
 * struct mp_spot - an address and its run of lines
 * @offset: a return address, as an offset in the file; for code in no file the
 *	address
 * @first: out: index of the run's first line in mp_symbols.lines
 * @nr: out: number of lines in the run; 0: no symbol is known
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
 * @from: symbols that contain @run
 * @run: the run to copy
 * @spot: out: @first and @nr of the copied run; @offset does not change
 *
 * Return: 0, or -ENOMEM.
 */
int mp_symbols_copy(struct mp_symbols *symbols, const struct mp_symbols *from,
		    const struct mp_spot *run, struct mp_spot *spot);

/** mp_symbols_text - get a name by its number; NULL for MP_NAMES_NONE */
const char *mp_symbols_text(const struct mp_symbols *symbols, uint32_t name);

/** mp_symbols_copy_all - copy everything to @to, which must be empty. Return: 0, or -ENOMEM */
int mp_symbols_copy_all(struct mp_symbols *to, const struct mp_symbols *from);

/** mp_symbols_free - free all memory; the object is empty afterwards */
void mp_symbols_free(struct mp_symbols *symbols);

/** mp_spots_sort - sort spots by offset */
void mp_spots_sort(struct mp_spot *spots, size_t nr);

#endif
