/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wrappers: functions that allocate for their caller
 *
 * The callsite should be the code that needs the memory. The direct caller of
 * malloc is often only a wrapper.
 */
#ifndef MP_WRAPPERS_H
#define MP_WRAPPERS_H

#include "profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define MP_WRAPPERS_WHY_SIZE	256

/* Limit of ranges per file. */
#define MP_WRAPPERS_MAX_RANGES	(1U << 20)

/**
 * struct mp_wrappers - known wrappers and the user's; all zero: only the known
 * ones
 * @user: extended regular expressions for names
 * @nr: number of @user
 */
struct mp_wrappers {
	regex_t *user;
	size_t nr;
};

/**
 * struct mp_wrapper_range - a range of a file
 * @begin: offset of its first byte
 * @end: offset after its last byte
 */
struct mp_wrapper_range {
	uint64_t begin;
	uint64_t end;
};

/**
 * mp_wrappers_add - add wrappers that the user gave
 * @regex: extended (POSIX), matched anywhere in a demangled name
 * @why: out; MP_WRAPPERS_WHY_SIZE bytes: why it is invalid
 *
 * Return: true if it was added.
 */
bool mp_wrappers_add(struct mp_wrappers *wrappers, const char *regex,
		     char *why);

/**
 * mp_wrappers_match - check whether a function is a wrapper
 * @name: demangled, with or without parameters
 */
bool mp_wrappers_match(const struct mp_wrappers *wrappers, const char *name);

/**
 * mp_wrappers_match_file - check whether all functions of a file are wrappers
 * @path: its last component is compared: a C library's, an allocator's or the
 *	sampler's
 */
bool mp_wrappers_match_file(const char *path);

/**
 * mp_wrappers_ranges_isolated - find the wrappers in a file
 * @fd: the file, open for reading; stays open
 * @path: to find a debug file beside it
 * @binary: its build-id is compared, if known
 * @wrappers: wrappers to find
 * @ranges: out; the caller frees it; ascending offsets without overlaps. If
 *	mp_wrappers_match_file() is true, one range for all offsets
 * @nr: out; number of @ranges
 *
 * It reads an untrusted file in a child process: about 100 ms for a file with
 * 100000 functions. Inlined functions are not found.
 *
 * Return: true if the file could be read.
 */
bool mp_wrappers_ranges_isolated(int fd, const char *path,
				 const struct mp_binary *binary,
				 const struct mp_wrappers *wrappers,
				 struct mp_wrapper_range **ranges, size_t *nr);

/** mp_ranges_have - check whether an offset is in one of ascending ranges */
bool mp_ranges_have(const struct mp_wrapper_range *ranges, size_t nr,
		    uint64_t offset);

/** mp_wrappers_free - free the user's wrappers */
void mp_wrappers_free(struct mp_wrappers *wrappers);

#endif
