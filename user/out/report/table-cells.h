/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table-cells: the text of a table's cells
 */
#ifndef MP_TABLE_CELLS_H
#define MP_TABLE_CELLS_H

#include "location-text.h"
#include "writer.h"

/* Bytes of a cell. */
#define MP_CELL_SIZE	MP_LOCATION_TEXT_SIZE

/** mp_table_row_cell - write what a row has in a column; @cell: MP_CELL_SIZE bytes */
void mp_table_row_cell(char *cell, const struct mp_out *out, int column,
		     const struct mp_row *row);

/** mp_table_total_cell - write what the last row has in a column; @cell: MP_CELL_SIZE bytes */
void mp_table_total_cell(char *cell, const struct mp_out *out, int column,
		       const struct mp_total *total);

/** mp_table_title - the command line of a row's process, or NULL */
const char *mp_table_title(const struct mp_out *out, const struct mp_row *row);

#endif
