/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inlines: finds functions, inlined functions and lines of addresses in DWARF
 */
#ifndef MP_INLINES_H
#define MP_INLINES_H

#include "die-name.h"

/* No frame. */
#define MP_FRAME_NONE	UINT32_MAX

/**
 * struct mp_inline - a function that contains an address
 * @die: its entry, only to compare
 * @name: its name
 * @file: source file of the inlined call, in mp_inlines.names
 * @line: line of the inlined call
 * @outer: frame of the function that it was inlined into
 * @depth: number of outer frames
 */
struct mp_inline {
	uintptr_t die;
	struct mp_die_name name;
	uint32_t file;
	uint32_t line;
	uint32_t outer;
	uint32_t depth;
};

/**
 * struct mp_code - what DWARF contains about an address
 * @inner: frame of the innermost function, or MP_FRAME_NONE
 * @file: source file of the instruction
 * @line: line of the instruction
 * @has_unit: a unit contains the address
 * @start: begin of the function's part that contains the address
 */
struct mp_code {
	uint32_t inner;
	uint32_t file;
	uint32_t line;
	bool has_unit;
	uint64_t start;
};

/**
 * struct mp_inlines - a search and its result
 * @addresses: ascending, as in the DWARF
 * @codes: out; one per address
 * @nr: number of both
 * @dir: folder of the file with the DWARF
 * @frames: frames of all addresses
 * @functions: names of functions
 * @files: libdw's address of a file name -> its number
 */
struct mp_inlines {
	const uint64_t *addresses;
	struct mp_code *codes;
	size_t nr;
	const char *dir;
	struct mp_inline *frames;
	size_t nr_frames;
	size_t max_frames;
	struct mp_die_names functions;
	struct mp_map files;
};

/**
 * mp_inlines_find - search
 * @inlines: addresses, nr, dir and functions.names are set; codes has room
 */
void mp_inlines_find(struct mp_inlines *inlines, Dwarf *dwarf);

#endif
