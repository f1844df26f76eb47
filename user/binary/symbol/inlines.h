/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inlines: the functions, inlined ones and lines of addresses, from DWARF
 */
#ifndef MP_INLINES_H
#define MP_INLINES_H

#include "die-name.h"

/* No frame. */
#define MP_FRAME_NONE	UINT32_MAX

/**
 * struct mp_inline - a function that an address is in
 * @die: which one, for this only
 * @name: of it
 * @file: where it was inlined into @outer, in mp_inlines.names
 * @line: there
 * @outer: the frame of the function that it was inlined into
 * @depth: how many those are
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
 * struct mp_code - what DWARF tells of an address
 * @inner: frame of the innermost function, or MP_FRAME_NONE
 * @file: that the address's instruction comes from
 * @line: there
 * @has_unit: a unit claims the address
 * @start: of the function's part that the address is in
 */
struct mp_code {
	uint32_t inner;
	uint32_t file;
	uint32_t line;
	bool has_unit;
	uint64_t start;
};

/**
 * struct mp_inlines - a question, and what is found
 * @addresses: rising, as in the DWARF
 * @codes: out, one for each
 * @nr: of both
 * @dir: of the file with the DWARF
 * @frames: of all addresses
 * @functions: their names
 * @files: numbers of names by where libdw has these
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
 * mp_inlines_find - look the addresses up
 * @inlines: addresses, nr, dir and functions.names are set; codes has room
 */
void mp_inlines_find(struct mp_inlines *inlines, Dwarf *dwarf);

/** mp_inlines_free - free what was found, but for codes and texts */
void mp_inlines_free(struct mp_inlines *inlines);

#endif
