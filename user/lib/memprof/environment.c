// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library begins before all others, also before the C library, whose getenv()
 * knows of nothing yet; and programs have getenv() of their own.
 */
#include "environment.h"

#include <string.h>
#include <unistd.h>

/* Written before main(). */
static char **variables;

/* @list: what a constructor is given; NULL where it is given nothing. */
void mp_environment_begin(char **list)
{
	variables = list;
}

/* The value, or NULL. */
const char *mp_environment_value(const char *name)
{
	char **one = variables ? variables : environ;
	size_t len = strlen(name);

	for (; one && *one; one++)
		if (!strncmp(*one, name, len) && (*one)[len] == '=')
			return *one + len + 1;
	return NULL;
}
