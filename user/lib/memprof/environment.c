// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * environment.c: reads the environment without getenv().
 *
 * The library starts before all others, also before the C library, so getenv()
 * does not work yet. A program may also define its own getenv().
 *
 * A program that gained privileges by exec does not believe the environment of its
 * caller: MEMPROF_OUT would make files anywhere.
 */
#include "environment.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The environment; written before main(). */
static char **variables;

/*
 * Stores the environment. @list: the environment that glibc passes to constructors;
 * NULL for other C libraries.
 */
void mp_environment_begin(char **list)
{
	/* an empty list */
	static char *none;

	variables = getauxval(AT_SECURE) ? &none : list;
}

/* Returns the value of a variable, or NULL. */
const char *mp_environment_value(const char *name)
{
	char **one = variables ? variables : environ;
	size_t len = strlen(name);

	for (; one && *one; one++)
		if (!strncmp(*one, name, len) && (*one)[len] == '=')
			return *one + len + 1;
	return NULL;
}
