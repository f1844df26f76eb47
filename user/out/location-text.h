/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * location-text: writes functions, lines and addresses as text for users
 */
#ifndef MP_LOCATION_TEXT_H
#define MP_LOCATION_TEXT_H

#include "call-tree.h"
#include "profile.h"

/* Size of the buffer for the text of a function with its file. */
#define MP_LOCATION_TEXT_SIZE	512

/**
 * mp_location_point - write the text of a function in a stack
 * @text: out: the text, printable; MP_LOCATION_TEXT_SIZE bytes
 *
 * If the source line is known: "leaf(int) tree.cc:8". If only the symbol is known:
 * "malloc+0x1c libc.so.6+0x9a3c".
 */
void mp_location_point(const struct mp_profile *profile,
		       const struct mp_call_point *point, char *text);

/**
 * mp_location_points - write the text of a function that has several places in a stack
 * @first, @last: the places with the lowest and the highest source line
 * @text: out: as that of mp_location_point(), or "leaf(int) tree.cc:8-12", or, if lines are
 *	not known, "malloc libc.so.6"
 */
void mp_location_points(const struct mp_profile *profile,
			const struct mp_call_point *first,
			const struct mp_call_point *last, char *text);

/**
 * mp_location_place - write the source line of a function ("tree.cc:8"), or nothing
 * @text: out: MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_place(const struct mp_profile *profile, const struct mp_line *line,
		       char *text);

/**
 * mp_location_row - write the text of a row's callsite, or of its function, source file
 * or binary, as the scope of its location says
 * @text: out: the text, printable; MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_row(const struct mp_profile *profile, const struct mp_row *row,
		     char *text);

#endif
