/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-text: what a frame is called where nothing else is known of it
 */
#ifndef MP_FRAME_TEXT_H
#define MP_FRAME_TEXT_H

#include "call-tree.h"

/* What a stack that was cut has in place of its outer end. */
#define MP_FRAME_TRUNCATED	"[truncated]"
#define MP_FRAME_MAPPING	"[mmap]"

/** mp_file_base - the last part of a path, printable; @size bytes at @to */
void mp_file_base(const char *path, char *to, size_t size);

/**
 * mp_frame_text - file and offset, or an address: "libc.so.6+0x9a3c"
 * @to: out, printable, @size bytes
 */
void mp_frame_text(const struct mp_profile *profile,
		   const struct mp_frame *frame, char *to, size_t size);

/**
 * mp_point_name - what a function in a stack is called
 * @text: room, @size bytes, used where it has no name
 *
 * Return: its name, or @text.
 */
const char *mp_point_name(const struct mp_profile *profile,
			  const struct mp_call_point *point, char *text,
			  size_t size);

/** mp_point_line - the line of a function in a stack, or NULL */
const struct mp_line *mp_point_line(const struct mp_profile *profile,
				    const struct mp_call_point *point);

#endif
