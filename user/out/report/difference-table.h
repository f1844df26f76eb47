/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference-table: differences as a table, or as JSON
 */
#ifndef MP_DIFFERENCE_TABLE_H
#define MP_DIFFERENCE_TABLE_H

#include "difference.h"

#include <stdio.h>

/**
 * struct mp_difference_view - how they are shown
 * @kind: MP_ROW_PROCESS or MP_ROW_SITE
 * @sort: metric whose old and new values are shown, too
 * @limit: rows; 0 for all
 * @exact: every digit
 */
struct mp_difference_view {
	enum mp_row_kind kind;
	enum mp_metric sort;
	size_t limit;
	bool exact;
};

/** mp_difference_table - write a table; errors stay with the stream */
void mp_difference_table(FILE *file, const struct mp_difference *difference,
			 const struct mp_difference_view *view);

/**
 * mp_difference_json - write a line for each row: comm, callsite, and of each metric
 * that either has before, after and delta; and one of their sums
 */
void mp_difference_json(FILE *file, const struct mp_difference *difference,
			const struct mp_difference_view *view);

#endif
