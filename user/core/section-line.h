/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * section-line: a completed section as text
 */
#ifndef MP_SECTION_LINE_H
#define MP_SECTION_LINE_H

#include "sections.h"

/* Of both lines, with the NUL behind them. */
#define MP_SECTION_LINE_SIZE	(4 * MP_SECTIONS_ID + 256)

/**
 * mp_section_line - a line of units, and one of heap where it is known
 * @to: MP_SECTION_LINE_SIZE bytes
 *
 * Ids come out as they are, but for what would not be text: \xNN.
 *
 * Return: bytes, without the NUL.
 */
size_t mp_section_line(char *to, const struct mp_section *section);

#endif
