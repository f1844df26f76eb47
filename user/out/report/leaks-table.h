/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * leaks-table: writes the rows that keep growing
 */
#ifndef MP_LEAKS_TABLE_H
#define MP_LEAKS_TABLE_H

#include "growth.h"

#include <stdio.h>

/**
 * struct mp_leaks_view - what is shown besides the growth
 * @times_s: of the profiles, CLOCK_REALTIME; mp_growth.nr elements
 * @rooms: for each row, the bytes until memory.max is reached; NULL: not known
 * @limited: for each row, whether there is a memory.max
 * @limit: rows to show; 0: all
 * @least: what a row must have grown by
 * @exact: exact numbers without units
 */
struct mp_leaks_view {
	const uint64_t *times_s;
	const uint64_t *rooms;
	const bool *limited;
	size_t limit;
	uint64_t least;
	bool exact;
};

/** mp_leaks_table - write a table and its footer; the caller checks the stream */
void mp_leaks_table(FILE *file, const struct mp_growth *growth,
		    const struct mp_leaks_view *view);

/** mp_leaks_json - write an object a line, and one of type "summary" at the end */
void mp_leaks_json(FILE *file, const struct mp_growth *growth,
		   const struct mp_leaks_view *view);

#endif
