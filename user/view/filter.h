/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter: selects the rows of a profile by conditions of the user
 */
#ifndef MP_FILTER_H
#define MP_FILTER_H

#include "profile.h"

#include <regex.h>

#define MP_FILTER_WHY_SIZE	256

/* Limit of conditions in all filters of a command together. */
#define MP_FILTER_TERMS		32

enum mp_filter_key {
	MP_FILTER_PID,
	MP_FILTER_COMM,
	MP_FILTER_CGROUP,
	MP_FILTER_CONTAINER,
	MP_FILTER_POD,
	MP_FILTER_HOST,
	MP_FILTER_SYMBOL,
	MP_FILTER_SIZE,
	MP_NR_FILTER_KEYS,
};

/**
 * struct mp_filter_term - one condition
 * @number: value, for a pid or a size
 * @text: value, for a name or a path; points into the caller's text
 * @regex: value, for a symbol
 */
struct mp_filter_term {
	enum mp_filter_key key;
	uint64_t number;
	const char *text;
	regex_t regex;
};

/**
 * struct mp_filter - conditions; all zero means none
 *
 * Conditions with the same key are alternatives. A row passes if at least one
 * condition of each key that was given is true.
 */
struct mp_filter {
	struct mp_filter_term terms[MP_FILTER_TERMS];
	size_t nr;
};

/**
 * mp_filter_add - parse and add conditions
 * @text: "KEY=VALUE[,KEY=VALUE]...": pid=N; comm=NAME; cgroup=PATH, including
 *	descendants; container=NAME or 12 digits of its id; pod=NAME or its uid; host=NAME; symbol=REGEX (POSIX extended), for any function of the stack;
 *	size>=BYTES, for the mean size of allocations. The function changes @text,
 *	which must stay valid as long as the filter
 * @why: out: reason of a failure; MP_FILTER_WHY_SIZE bytes
 *
 * Return: true, or false with the reason in @why.
 */
bool mp_filter_add(struct mp_filter *filter, char *text, char *why);

/** mp_filter_has - whether the filter has a condition with a key */
bool mp_filter_has(const struct mp_filter *filter, enum mp_filter_key key);

/**
 * mp_filter_apply - remove the rows that do not pass
 *
 * Conditions that cannot apply to a kind of row are ignored: symbol and size for
 * processes, and all except the path for cgroups.
 */
void mp_filter_apply(const struct mp_filter *filter,
		     struct mp_profile *profile);

/** mp_filter_passes - whether a row passes; see mp_filter_apply() */
bool mp_filter_passes(const struct mp_filter *filter,
		      const struct mp_profile *profile, const struct mp_row *row);

/** mp_filter_free - free all memory; the object is empty afterwards */
void mp_filter_free(struct mp_filter *filter);

#endif
