// SPDX-License-Identifier: GPL-2.0-only
/*
 * interpreted: reads the names of interpreted functions
 */
#include "interpreted.h"

#include <stddef.h>
#include <string.h>

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

bool mp_interpreted_is(const char *path)
{
	return begins_with(path, MP_INTERPRETED_PYTHON);
}

bool mp_interpreted_is_built_in(const char *file)
{
	return begins_with(file, "node:") || begins_with(file, "<frozen ");
}

const char *mp_interpreted_file(const char *path)
{
	const char *colon = mp_interpreted_is(path) ?
			    strchr(path + strlen(MP_INTERPRETED_PYTHON), ':') : NULL;

	return colon && colon[1] ? colon + 1 : NULL;
}
