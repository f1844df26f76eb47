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
 * enum mp_code_kind - what stands at an offset of a file
 * @MP_CODE_FUNCTION: a function with a name that is no wrapper
 * @MP_CODE_WRAPPER: an allocator or a wrapper
 * @MP_CODE_NAMELESS: code between functions with names
 */
enum mp_code_kind {
	MP_CODE_FUNCTION,
	MP_CODE_WRAPPER,
	MP_CODE_NAMELESS,
};

/**
 * struct mp_wrapper_range - a range of a file that is no function with a name, or a wrapper
 * @begin: offset of its first byte
 * @end: offset after its last byte
 * @kind: enum mp_code_kind
 */
struct mp_wrapper_range {
	uint64_t begin;
	uint64_t end;
	uint64_t kind;
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
 * mp_wrappers_ranges_isolated - find the wrappers in a file, and code without names
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

/** mp_ranges_kind - what stands at an offset, by ascending ranges */
enum mp_code_kind mp_ranges_kind(const struct mp_wrapper_range *ranges, size_t nr,
				 uint64_t offset);

/** mp_wrappers_free - free the user's wrappers */
void mp_wrappers_free(struct mp_wrappers *wrappers);

#endif
