/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wrappers: functions that allocate for others
 *
 * A callsite is where memory is asked for; malloc's caller often only passes on
 * that it was.
 */
#ifndef MP_WRAPPERS_H
#define MP_WRAPPERS_H

#include "profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define MP_WRAPPERS_WHY_SIZE	256

/* Ranges of one file. */
#define MP_WRAPPERS_MAX_RANGES	(1U << 20)

/**
 * struct mp_wrappers - the known ones, and the user's; all zero: the known ones
 * @user: extended regular expressions, for names
 * @nr: how many
 */
struct mp_wrappers {
	regex_t *user;
	size_t nr;
};

/**
 * struct mp_wrapper_range - of a file
 * @begin: its first byte
 * @end: the one behind its last
 */
struct mp_wrapper_range {
	uint64_t begin;
	uint64_t end;
};

/**
 * mp_wrappers_add - add what the user calls a wrapper
 * @regex: extended (POSIX), found anywhere in a demangled name
 * @why: out, MP_WRAPPERS_WHY_SIZE bytes: what is wrong with it
 *
 * Return: whether it was added.
 */
bool mp_wrappers_add(struct mp_wrappers *wrappers, const char *regex,
		     char *why);

/**
 * mp_wrappers_match - whether a function is one
 * @name: demangled, with or without parameters
 */
bool mp_wrappers_match(const struct mp_wrappers *wrappers, const char *name);

/**
 * mp_wrappers_match_file - whether all functions of a file are
 * @path: of which the last part counts: the C library's, an allocator's
 */
bool mp_wrappers_match_file(const char *path);

/**
 * mp_wrappers_ranges_isolated - where in a file they are
 * @fd: the file, open for reading; stays open
 * @path: to find a debug file beside it
 * @binary: what the file has to be, as far as its build-id tells
 * @ranges: out, to be freed; of offsets, rising, apart from each other. One
 *	that holds every offset for a file that mp_wrappers_match_file() knows
 * @nr: out
 *
 * Reads a stranger's file in a child process: 100 ms or so for one with 100000
 * functions. Inlined functions are not found.
 *
 * Return: whether the file could be read.
 */
bool mp_wrappers_ranges_isolated(int fd, const char *path,
			      const struct mp_binary *binary,
			      const struct mp_wrappers *wrappers,
			      struct mp_wrapper_range **ranges, size_t *nr);

/** mp_ranges_have - whether an offset is in one of rising ranges */
bool mp_ranges_have(const struct mp_wrapper_range *ranges, size_t nr,
		    uint64_t offset);

/** mp_wrappers_free - forget the user's */
void mp_wrappers_free(struct mp_wrappers *wrappers);

#endif
