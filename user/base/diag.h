/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diag: stores why an operation failed, and its warnings
 *
 * A function with more causes of failure than an errno can express fills in a
 * struct mp_diag. Nothing is printed here: the command line prints diagnostics.
 */
#ifndef MP_DIAG_H
#define MP_DIAG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Size of the text for an action, which may contain a path. */
#define MP_DIAG_TEXT_SIZE	(PATH_MAX + 256)
#define MP_DIAG_HINT_SIZE	256
#define MP_DIAG_WARNING_SIZE	512

/* Limit of stored warnings. Further warnings are only counted. */
#define MP_DIAG_WARNINGS	24

/**
 * struct mp_diag_warning - a warning that the result will be incomplete
 * @text: what is missing
 * @hint: cause, or what to do; may be empty
 */
struct mp_diag_warning {
	char text[MP_DIAG_WARNING_SIZE];
	char hint[MP_DIAG_HINT_SIZE];
};

/**
 * struct mp_diag - the diagnostics of one operation; all zero means none
 * @failed: the operation failed; the next four fields describe why
 * @usage: the user's request is invalid
 * @err: errno of the cause, positive; 0: no errno
 * @text: action and object, such as "cannot open /dev/memprof"
 * @hint: what to do; may be empty
 * @warnings: in the order of addition
 * @nr_warnings: number of @warnings
 * @nr_dropped: warnings beyond MP_DIAG_WARNINGS
 */
struct mp_diag {
	bool failed;
	bool usage;
	int err;
	char text[MP_DIAG_TEXT_SIZE];
	char hint[MP_DIAG_HINT_SIZE];
	struct mp_diag_warning warnings[MP_DIAG_WARNINGS];
	size_t nr_warnings;
	size_t nr_dropped;
};

/**
 * mp_diag_fail - record why an operation failed; the first failure stays
 * @err: errno, positive or negative; 0: no errno
 * @hint: what to do, or NULL
 * @format: action and object
 *
 * Return: the negative errno; -EINVAL if @err is 0. Callers can return it.
 */
int mp_diag_fail(struct mp_diag *diag, int err, const char *hint,
		 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * mp_diag_usage - record why the user's request is invalid
 *
 * Return: -EINVAL. Callers can return it.
 */
int mp_diag_usage(struct mp_diag *diag, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_diag_warn - record that the result of a successful operation is incomplete
 * @hint: cause, or what to do, or NULL
 */
void mp_diag_warn(struct mp_diag *diag, const char *hint, const char *format,
		  ...)
	__attribute__((format(printf, 3, 4)));

#endif
