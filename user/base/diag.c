// SPDX-License-Identifier: GPL-2.0-only
/*
 * diag: fills in diagnostics
 *
 * The functions allocate no memory, so they can also report a lack of memory. They
 * cannot fail: texts that are too long are cut.
 */
#include "diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void set_hint(char *to, const char *hint)
{
	snprintf(to, MP_DIAG_HINT_SIZE, "%s", hint ? hint : "");
}

int mp_diag_fail(struct mp_diag *diag, int err, const char *hint,
		 const char *format, ...)
{
	va_list args;

	if (!diag->failed) {
		diag->failed = true;
		diag->err = abs(err);
		va_start(args, format);
		vsnprintf(diag->text, sizeof(diag->text), format, args);
		va_end(args);
		set_hint(diag->hint, hint);
	}
	return err ? -abs(err) : -EINVAL;
}

int mp_diag_usage(struct mp_diag *diag, const char *format, ...)
{
	va_list args;

	if (!diag->failed) {
		diag->failed = true;
		diag->usage = true;
		va_start(args, format);
		vsnprintf(diag->text, sizeof(diag->text), format, args);
		va_end(args);
	}
	return -EINVAL;
}

void mp_diag_warn(struct mp_diag *diag, const char *hint, const char *format,
		  ...)
{
	struct mp_diag_warning *warning;
	va_list args;

	if (diag->nr_warnings == MP_DIAG_WARNINGS) {
		diag->nr_dropped++;
		return;
	}
	warning = &diag->warnings[diag->nr_warnings++];
	va_start(args, format);
	vsnprintf(warning->text, sizeof(warning->text), format, args);
	va_end(args);
	set_hint(warning->hint, hint);
}
