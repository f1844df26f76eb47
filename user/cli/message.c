// SPDX-License-Identifier: GPL-2.0-only
/*
 * message: writes a message as one line to standard error
 *
 * It allocates no memory. Errors of standard error are ignored.
 */
#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether standard error is the journal: systemd names it by the numbers of fstat(2). */
static bool is_journal(void)
{
	const char *text = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return text && sscanf(text, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device && st.st_ino == inode;
}

static void begin_line(enum mp_priority priority)
{
	if (is_journal())
		fprintf(stderr, "<%d>", (int)priority);
	fputs("memprofctl: ", stderr);
}

static void print_line(enum mp_priority priority, int err, const char *hint,
		       const char *format, va_list args)
{
	begin_line(priority);
	if (priority == MP_PRIORITY_WARNING)
		fputs("warning: ", stderr);
	vfprintf(stderr, format, args);
	if (err)
		fprintf(stderr, ": %s", strerror(abs(err)));
	if (hint)
		fprintf(stderr, " (%s)", hint);
	fputc('\n', stderr);
}

void mp_say(enum mp_priority priority, const char *verb, const char *format, ...)
{
	va_list args;

	begin_line(priority);
	fprintf(stderr, "%s: ", verb);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int mp_fail(int err, const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(MP_PRIORITY_ERROR, err, hint, format, args);
	va_end(args);
	return MP_EXIT_FAILURE;
}

void mp_warn(const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(MP_PRIORITY_WARNING, 0, hint, format, args);
	va_end(args);
}

int mp_misuse(const char *verb, const char *format, ...)
{
	va_list args;

	begin_line(MP_PRIORITY_ERROR);
	fprintf(stderr, "%s%s", verb ? verb : "", verb ? ": " : "");
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
