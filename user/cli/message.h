/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message: prints memprofctl's messages
 *
 * All messages have the same form: program, action and object, cause, hint. For the journal of
 * systemd a line begins with its priority.
 */
#ifndef MP_MESSAGE_H
#define MP_MESSAGE_H

#include "diag.h"

#define MP_EXIT_FAILURE	1
#define MP_EXIT_USAGE	2

/** enum mp_priority - priorities of syslog(3); those of mp_fail() and mp_warn() are the first two */
enum mp_priority {
	MP_PRIORITY_ERROR = 3,
	MP_PRIORITY_WARNING = 4,
	MP_PRIORITY_NOTICE = 5,
	MP_PRIORITY_INFO = 6,
};

/** mp_say - print what happened, which is no failure of an action that was asked for */
void mp_say(enum mp_priority priority, const char *verb, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * mp_fail - print why an action failed
 * @err: errno, positive or negative; 0: no errno
 * @hint: what to do, or NULL
 * @format: action and object, such as "cannot open %s"
 *
 * Return: MP_EXIT_FAILURE, so that callers can return it.
 */
int mp_fail(int err, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * mp_warn - print a warning about something missing in a result
 * @hint: cause, or what to do, or NULL
 */
void mp_warn(const char *hint, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mp_misuse - print what is wrong with the command line
 * @verb: the verb whose help explains it; NULL for the program's
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
 * mp_message_diag - print the diagnostics of an operation: warnings, then the
 * error
 * @verb: the verb whose help explains the usage
 *
 * Return: the exit status; 0 if nothing failed.
 */
int mp_message_diag(const struct mp_diag *diag, const char *verb);

#endif
