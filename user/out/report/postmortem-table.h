/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * postmortem-table: writes who held memory, and who grew, when it was short
 */
#ifndef MP_POSTMORTEM_TABLE_H
#define MP_POSTMORTEM_TABLE_H

#include "growth.h"

#include <stdio.h>

/**
 * mp_postmortem_rank - sort rows: of levels by the most that they had, of sums by what they
 * grew, or by the most if nothing grew
 */
void mp_postmortem_rank(struct mp_growth *growth);

/**
 * mp_postmortem_table - write the rows: what they held at most, at the end, and by how much
 * they grew from their least value before the most
 * @limit: rows to show; 0: all
 */
void mp_postmortem_table(FILE *file, const struct mp_growth *growth, size_t limit);

/** mp_postmortem_most - the most that the first row had, in bytes */
double mp_postmortem_most(const struct mp_growth *growth);

/** mp_postmortem_json - write an object a line, of type @type */
void mp_postmortem_json(FILE *file, const struct mp_growth *growth, const char *type,
			size_t limit);

#endif
