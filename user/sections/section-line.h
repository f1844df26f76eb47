/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * section-line: writes a completed section as text
 */
#ifndef MP_SECTION_LINE_H
#define MP_SECTION_LINE_H

#include "sections.h"

/*
 * Sizes of buffers in bytes, with the NUL: for an escaped id, and for the two lines of
 * text that a section gets.
 */
#define MP_SECTION_ID_SIZE	(4 * MP_SECTIONS_ID + 1)
#define MP_SECTION_LINE_SIZE	(MP_SECTION_ID_SIZE + 256)

/**
 * mp_section_id - escape an id: bytes that are not printable text become \xNN
 * @to: MP_SECTION_ID_SIZE bytes
 * @id: any bytes
 * @id_len: bytes of @id; cut to MP_SECTIONS_ID
 */
void mp_section_id(char *to, const char *id, size_t id_len);

/**
 * mp_section_line - write a line with the units of a section, and a line with its
 * heap if that is known
 * @to: MP_SECTION_LINE_SIZE bytes
 *
 * Return: number of bytes written, without the NUL.
 */
size_t mp_section_line(char *to, const struct mp_section *section);

#endif
