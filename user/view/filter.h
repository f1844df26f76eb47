/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter: which rows of a profile a user wants to see
 */
#ifndef MP_FILTER_H
#define MP_FILTER_H

#include "profile.h"

#include <regex.h>

#define MP_FILTER_WHY_SIZE	256

/* Terms of all filters together. */
#define MP_FILTER_TERMS		32

enum mp_filter_key {
	MP_FILTER_PID,
	MP_FILTER_COMM,
	MP_FILTER_CGROUP,
	MP_FILTER_SYMBOL,
	MP_FILTER_SIZE,
	MP_NR_FILTER_KEYS,
};

/**
 * struct mp_filter_term - one condition
 * @number: of a pid or a size
 * @text: of a name or a path, the caller's
 * @regex: of a symbol
 */
struct mp_filter_term {
	enum mp_filter_key key;
	uint64_t number;
	const char *text;
	regex_t regex;
};

/**
 * struct mp_filter - conditions; all zero is none
 *
 * A row passes if for each key that there are conditions of one holds.
 */
struct mp_filter {
	struct mp_filter_term terms[MP_FILTER_TERMS];
	size_t nr;
};

/**
 * mp_filter_add - add conditions
 * @text: "KEY=VALUE[,KEY=VALUE]...": pid=N; comm=NAME; cgroup=PATH, and below;
 *	symbol=REGEX (POSIX extended), anywhere in the stack; size>=BYTES, of the
 *	mean allocation; changed here, and to be kept
 * @why: out, MP_FILTER_WHY_SIZE bytes
 *
 * Return: whether it makes sense; if not, @why says why not.
 */
bool mp_filter_add(struct mp_filter *filter, char *text, char *why);

/** mp_filter_has - whether there is a condition of a key */
bool mp_filter_has(const struct mp_filter *filter, enum mp_filter_key key);

/**
 * mp_filter_apply - leave only the rows that pass
 *
 * Processes have no symbols and no size, cgroups nothing but a path: of these the
 * other conditions are not asked.
 */
void mp_filter_apply(const struct mp_filter *filter,
		     struct mp_profile *profile);

/** mp_filter_free - free all; none is left afterwards */
void mp_filter_free(struct mp_filter *filter);

#endif
