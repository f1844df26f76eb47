/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * section-line: a completed section as text
 */
#ifndef MP_SECTION_LINE_H
#define MP_SECTION_LINE_H

#include "sections.h"

/* Of an id as it is shown, and of both lines, with the NUL behind them. */
#define MP_SECTION_ID_SIZE	(4 * MP_SECTIONS_ID + 1)
#define MP_SECTION_LINE_SIZE	(MP_SECTION_ID_SIZE + 256)

/**
 * mp_section_id - an id as it is, but for what would not be text: \xNN
 * @to: MP_SECTION_ID_SIZE bytes
 * @id: @id_len bytes of any value; what is too long for an id is cut
 */
void mp_section_id(char *to, const char *id, size_t id_len);

/**
 * mp_section_line - a line of units, and one of heap where it is known
 * @to: MP_SECTION_LINE_SIZE bytes
 *
 * Return: bytes, without the NUL.
 */
size_t mp_section_line(char *to, const struct mp_section *section);

#endif
