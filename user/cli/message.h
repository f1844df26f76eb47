/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message: what memprofctl says when something is wrong
 *
 * One shape for all: program, action and object, cause, hint.
 */
#ifndef MP_MESSAGE_H
#define MP_MESSAGE_H

#include "diag.h"

#define MP_EXIT_FAILURE	1
#define MP_EXIT_USAGE	2

/**
 * mp_fail - say why an action failed
 * @err: errno, positive or negative; 0 where there is no cause to name
 * @hint: what to do about it, or NULL
 * @format: action and object, such as "cannot open %s"
 *
 * Return: MP_EXIT_FAILURE, so that callers can return it.
 */
int mp_fail(int err, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * mp_warn - say what will be missing, though the action succeeds
 * @hint: cause, or what to do about it, or NULL
 */
void mp_warn(const char *hint, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_misuse - say what is wrong with the command line
 * @verb: whose help tells more; NULL for the program's
 *
 * Return: MP_EXIT_USAGE.
 */
int mp_misuse(const char *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_message_warnings - print the warnings of an operation
 */
void mp_message_warnings(const struct mp_diag *diag);

/**
 * mp_message_diag - print the diagnostics of an operation: warnings, then the error
 * @verb: whose help explains the usage
 *
 * Return: the exit status: 0 where nothing failed.
 */
int mp_message_diag(const struct mp_diag *diag, const char *verb);

#endif
