/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known-wrappers: names of functions that allocate for others
 */
#ifndef MP_KNOWN_WRAPPERS_H
#define MP_KNOWN_WRAPPERS_H

#include <stdbool.h>

/** mp_known_wrapper - whether a demangled name is one of them */
bool mp_known_wrapper(const char *name);

/**
 * enum mp_verdict - what a name says before it is demangled
 * @MP_VERDICT_NO: not one of them
 * @MP_VERDICT_YES: one
 * @MP_VERDICT_OPEN: demangled it may be one
 */
enum mp_verdict {
	MP_VERDICT_NO,
	MP_VERDICT_YES,
	MP_VERDICT_OPEN,
};

/**
 * mp_known_wrapper_symbol - mp_known_wrapper() without demangling, mostly
 * @name: as the file has it
 */
enum mp_verdict mp_known_wrapper_symbol(const char *name);

#endif
