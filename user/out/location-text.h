/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place: functions, lines and addresses for people
 */
#ifndef MP_LOCATION_TEXT_H
#define MP_LOCATION_TEXT_H

#include "call-tree.h"
#include "profile.h"

/* Room for a function with its file. */
#define MP_LOCATION_TEXT_SIZE	512

/**
 * mp_location_point - a function in a stack: "leaf(int) tree.cc:8", or
 * "malloc+0x1c libc.so.6+0x9a3c", as far as it is known
 * @text: out, printable, MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_point(const struct mp_profile *profile,
		    const struct mp_call_point *point, char *text);

/**
 * mp_location_row - the callsite of a row, or what of it the row stands for
 * @text: out, printable, MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_row(const struct mp_profile *profile, const struct mp_row *row,
		  char *text);

/**
 * mp_location_is_near - whether a place stands for a callsite that is missing in its
 * stack, and that it has called
 */
bool mp_location_is_near(const struct mp_profile *profile,
		      const struct mp_location *location);

#endif
