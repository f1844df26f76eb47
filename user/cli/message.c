// SPDX-License-Identifier: GPL-2.0-only
/*
 * message: writes a message as one line to standard error
 *
 * It allocates no memory. Errors of standard error are ignored.
 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_line(const char *before, int err, const char *hint,
		       const char *format, va_list args)
{
	fprintf(stderr, "memprofctl: %s", before);
	vfprintf(stderr, format, args);
	if (err)
		fprintf(stderr, ": %s", strerror(abs(err)));
	if (hint)
		fprintf(stderr, " (%s)", hint);
	fputc('\n', stderr);
}

int mp_fail(int err, const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("", err, hint, format, args);
	va_end(args);
	return MP_EXIT_FAILURE;
}

void mp_warn(const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line("warning: ", 0, hint, format, args);
	va_end(args);
}

int mp_misuse(const char *verb, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "memprofctl: %s%s", verb ? verb : "", verb ? ": " : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (see memprofctl help%s%s)\n", verb ? " " : "",
		verb ? verb : "");
	return MP_EXIT_USAGE;
}

void mp_message_warnings(const struct mp_diag *diag)
{
	const struct mp_diag_warning *warning;
	size_t i;

	for (i = 0; i < diag->nr_warnings; i++) {
		warning = &diag->warnings[i];
		mp_warn(warning->hint[0] ? warning->hint : NULL, "%s",
			warning->text);
	}
	if (diag->nr_dropped)
		mp_warn(NULL, "%zu more warnings are not shown",
			diag->nr_dropped);
}

int mp_message_diag(const struct mp_diag *diag, const char *verb)
{
	mp_message_warnings(diag);
	if (!diag->failed)
		return 0;
	if (diag->usage)
		return mp_misuse(verb, "%s", diag->text);
	return mp_fail(diag->err, diag->hint[0] ? diag->hint : NULL, "%s",
		       diag->text);
}
