/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * difference-table: writes differences as a table or as JSON
 */
#ifndef MP_DIFFERENCE_TABLE_H
#define MP_DIFFERENCE_TABLE_H

#include "difference.h"

#include <stdio.h>

/**
 * struct mp_difference_view - options of the table
 * @kind: MP_ROW_PROCESS or MP_ROW_SITE
 * @sort: metric whose old and new values are shown, too
 * @limit: limit of rows; 0: all
 * @exact: print exact numbers without units
 * @same: a metric of which no row differs by more than the noise, so that @sort is another one; 0:
 *	none
 * @ended: all processes have exited: AT-PEAK is shown in place of LIVE
 * @noise: show by how much repeated runs differ among themselves
 * @grown, @ns: by how much RSS grew in each of the two, and in which time; or 0
 */
struct mp_difference_view {
	enum mp_row_kind kind;
	enum mp_metric sort, same;
	size_t limit;
	bool exact;
	bool ended;
	bool noise;
	int64_t grown[2];
	uint64_t ns[2];
};

/** mp_difference_table_drop - remove the rows that have no difference in a column of the table */
void mp_difference_table_drop(struct mp_difference *difference,
			      const struct mp_difference_view *view);

/** mp_difference_table - write a table; the caller checks the stream for errors */
void mp_difference_table(FILE *file, const struct mp_difference *difference,
			 const struct mp_difference_view *view);

/**
 * mp_difference_json - write a JSON line per row, and a line with the sums
 *
 * A row has its comm and callsite, and the values before, after and delta of each
 * metric that is not 0.
 */
void mp_difference_json(FILE *file, const struct mp_difference *difference,
			const struct mp_difference_view *view);

#endif
