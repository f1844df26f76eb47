// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbol-name: libiberty's demangler
 *
 * Below a microsecond for usual names; longer ones than MAX_NAME, which grow
 * without bound when demangled, are left as they are.
 */
#include "demangle.h"
#include "text.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME	1024

/*
 * LLVM appends .llvm.NUMBER to what it makes global, and libiberty then no
 * longer knows the name for Rust's.
 */
static bool plain_name(char *to, const char *name)
{
	const char *end = strstr(name, ".llvm.");
	size_t len = end ? (size_t)(end - name) : strlen(name);

	if (len >= MAX_NAME)
		return false;
	memcpy(to, name, len);
	to[len] = '\0';
	return true;
}

const char *mp_demangle(char *to, size_t size, const char *name)
{
	char plain[MAX_NAME], *written = NULL;

	if (plain_name(plain, name))
		written = cplus_demangle(plain, DMGL_PARAMS | DMGL_ANSI |
						DMGL_AUTO);
	mp_text_escape(to, size, written ? written : name,
		       strlen(written ? written : name));
	free(written);
	return to;
}
