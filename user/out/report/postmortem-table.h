/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * postmortem-table: writes who held memory, and who grew, when it was short
 */
#ifndef MP_POSTMORTEM_TABLE_H
#define MP_POSTMORTEM_TABLE_H

#include "growth.h"

#include <stdio.h>

/** mp_postmortem_rank - sort rows by the most that they had, and drop those that had nothing */
void mp_postmortem_rank(struct mp_growth *growth);

/**
 * mp_postmortem_table - write the rows: what they held at most, at the end, and by how much
 * they grew from their least value before the most
 * @limit: rows to show; 0: all
 */
void mp_postmortem_table(FILE *file, const struct mp_growth *growth, size_t limit);

/** mp_postmortem_json - write an object a line, of type "held" */
void mp_postmortem_json(FILE *file, const struct mp_growth *growth, size_t limit);

#endif
