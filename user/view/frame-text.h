/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-text: writes names of functions, and texts for frames without a symbol
 */
#ifndef MP_FRAME_TEXT_H
#define MP_FRAME_TEXT_H

#include "call-tree.h"

/* Text in place of the missing callers of a cut stack. */
#define MP_FRAME_TRUNCATED	"[truncated]"
#define MP_FRAME_MAPPING	"[mmap]"

/** mp_file_base - write the last component of a path, printable, to @size bytes at @to */
void mp_file_base(const char *path, char *to, size_t size);

/**
 * mp_frame_text - write file and offset ("libc.so.6+0x9a3c"), or an address
 * @to: out: the text, printable; @size bytes
 */
void mp_frame_text(const struct mp_profile *profile,
		   const struct mp_frame *frame, char *to, size_t size);

/**
 * mp_point_name - get the name of a function in a stack
 * @text: buffer of @size bytes, used if the function has no symbol
 *
 * Return: the function's name, or @text.
 */
const char *mp_point_name(const struct mp_profile *profile,
			  const struct mp_call_point *point, char *text,
			  size_t size);

/** mp_point_line - get the source line of a function in a stack, or NULL */
const struct mp_line *mp_point_line(const struct mp_profile *profile,
				    const struct mp_call_point *point);

#endif
