/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known-wrappers: recognises functions that allocate for their caller by name
 */
#ifndef MP_KNOWN_WRAPPERS_H
#define MP_KNOWN_WRAPPERS_H

#include <stdbool.h>

/** mp_known_wrapper - check whether a demangled name is that of a wrapper */
bool mp_known_wrapper(const char *name);

/**
 * enum mp_verdict - result for a name that is not demangled
 * @MP_VERDICT_NO: not a wrapper
 * @MP_VERDICT_YES: a wrapper
 * @MP_VERDICT_OPEN: the name has to be demangled
 */
enum mp_verdict {
	MP_VERDICT_NO,
	MP_VERDICT_YES,
	MP_VERDICT_OPEN,
};

/**
 * mp_known_wrapper_symbol - mp_known_wrapper() for a name that is not demangled
 * @name: as in the file
 */
enum mp_verdict mp_known_wrapper_symbol(const char *name);

#endif
