/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diag: diagnostics as values: what failed, and what to warn of
 *
 * A function that can fail in more ways than an errno tells takes a struct mp_diag
 * and fills it in. Nothing is printed here: the command line prints diagnostics.
 */
#ifndef MP_DIAG_H
#define MP_DIAG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* An action with the path of its object. */
#define MP_DIAG_TEXT_SIZE	(PATH_MAX + 256)
#define MP_DIAG_HINT_SIZE	256
#define MP_DIAG_WARNING_SIZE	512

/* More warnings than that are counted only. */
#define MP_DIAG_WARNINGS	24

/**
 * struct mp_diag_warning - something that will be missing from the result
 * @text: what
 * @hint: cause, or what to do about it; may be empty
 */
struct mp_diag_warning {
	char text[MP_DIAG_WARNING_SIZE];
	char hint[MP_DIAG_HINT_SIZE];
};

/**
 * struct mp_diag - the diagnostics of one operation; all zero is none
 * @failed: the operation failed, and the next four fields say how
 * @usage: the user asked for something that has no meaning; not the machine's fault
 * @err: errno of the cause, positive; 0: there is no errno
 * @text: action and object, such as "cannot open /dev/memprof"
 * @hint: what to do about it; may be empty
 * @warnings: in the order in which they came
 * @nr_warnings: how many
 * @nr_dropped: warnings that found no room
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
 * @err: errno, positive or negative; 0 where there is no cause to name
 * @hint: what to do about it, or NULL
 * @format: action and object
 *
 * Return: the errno, negative; -EINVAL for 0. Callers can return it.
 */
int mp_diag_fail(struct mp_diag *diag, int err, const char *hint,
		 const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * mp_diag_usage - record what is wrong with what the user asked for
 *
 * Return: -EINVAL. Callers can return it.
 */
int mp_diag_usage(struct mp_diag *diag, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_diag_warn - record what will be missing, though the operation succeeds
 * @hint: cause, or what to do about it, or NULL
 */
void mp_diag_warn(struct mp_diag *diag, const char *hint, const char *format,
		  ...)
	__attribute__((format(printf, 3, 4)));

#endif
