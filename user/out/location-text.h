/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * location-text: functions, lines and addresses as text for users
 */
#ifndef MP_LOCATION_TEXT_H
#define MP_LOCATION_TEXT_H

#include "call-tree.h"
#include "profile.h"

/* Size of the text of a function with its file. */
#define MP_LOCATION_TEXT_SIZE	512

/**
 * mp_location_point - text of a function in a stack: "leaf(int) tree.cc:8", or
 * "malloc+0x1c libc.so.6+0x9a3c", depending on what is known
 * @text: out; printable, MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_point(const struct mp_profile *profile,
		       const struct mp_call_point *point, char *text);

/**
 * mp_location_row - text of a row's callsite, as wide as its scope
 * @text: out; printable, MP_LOCATION_TEXT_SIZE bytes
 */
void mp_location_row(const struct mp_profile *profile, const struct mp_row *row,
		     char *text);

/**
 * mp_location_is_near - whether the callsite is missing in the stack, and the
 * location is its caller
 */
bool mp_location_is_near(const struct mp_profile *profile,
			 const struct mp_location *location);

#endif
