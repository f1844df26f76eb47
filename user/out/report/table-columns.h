/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table-columns: the columns of each view, and which of them a table has
 *
 * A column is a metric or, below 0, something else that a row has.
 */
#ifndef MP_TABLE_COLUMNS_H
#define MP_TABLE_COLUMNS_H

#include "writer.h"

/* Numbers of columns that are not metrics. */
enum {
	MP_COLUMN_PID = -1,
	MP_COLUMN_COMM = -2,
	MP_COLUMN_CGROUP = -3,
	MP_COLUMN_NPROC = -4,
	MP_COLUMN_LOCATION = -5,
	MP_COLUMN_RATE = -6,
	MP_COLUMN_TITLE = -7,
	MP_COLUMN_HOST = -8,
	MP_COLUMN_END = -9,
};

/** mp_table_column - the column at an index, or MP_COLUMN_END */
int mp_table_column(const struct mp_out *out, int i);

/** mp_table_heading - the name above a column */
const char *mp_table_heading(const struct mp_out *out, int column);

/** mp_table_is_known - whether a metric was measured, so that its 0 is a number */
bool mp_table_is_known(const struct mp_out *out, int column, const uint64_t *values);

#endif
