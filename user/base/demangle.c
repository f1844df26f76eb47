// SPDX-License-Identifier: GPL-2.0-only
/*
 * demangle: calls libiberty's demangler
 *
 * Usual names take less than a microsecond. Names of MAX_NAME bytes and more
 * are not demangled, because their result can have any size.
 */
#include "demangle.h"
#include "libiberty.h"
#include "text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME	1024

/*
 * Removes the suffix .llvm.NUMBER, which LLVM adds to some names. With the
 * suffix libiberty does not recognise a Rust name.
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

/* Removes "[abi:cxx11]" and the like, which say nothing to a person. */
static void drop_abi_tags(char *name)
{
	char *tag, *end;

	while ((tag = strstr(name, "[abi:")) && (end = strchr(tag, ']')))
		memmove(tag, end + 1, strlen(end + 1) + 1);
}

const char *mp_demangle(char *to, size_t size, const char *name)
{
	char plain[MAX_NAME], *written = NULL;

	if (plain_name(plain, name))
		written = cplus_demangle(plain, DMGL_PARAMS | DMGL_ANSI |
					 DMGL_AUTO);
	if (written)
		drop_abi_tags(written);
	mp_text_escape(to, size, written ? written : name,
		       strlen(written ? written : name));
	free(written);
	return to;
}
