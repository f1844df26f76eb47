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

static bool begins_with_one(const char *text, const char * const *starts)
{
	for (; *starts; starts++)
		if (begins_with(text, *starts))
			return true;
	return false;
}

bool mp_interpreted_names(const char *name)
{
	static const char * const marks[] = {
		MP_INTERPRETED_PYTHON, MP_INTERPRETED_NODE, MP_INTERPRETED_JAVA,
		MP_INTERPRETED_PHP, NULL
	};

	return begins_with_one(name, marks);
}

bool mp_interpreted_is_built_in(const char *name, const char *file)
{
	static const char * const files[] = { "node:", "<frozen ", NULL };
	static const char * const packages[] = {
		"java.", "javax.", "jdk.", "sun.", "com.sun.", NULL
	};

	if (begins_with(name, MP_INTERPRETED_JAVA))
		return begins_with_one(name + strlen(MP_INTERPRETED_JAVA), packages);
	return file && begins_with_one(file, files);
}

const char *mp_interpreted_file(const char *path)
{
	const char *colon = mp_interpreted_is(path) ?
			    strchr(path + strlen(MP_INTERPRETED_PYTHON), ':') : NULL;

	return colon && colon[1] ? colon + 1 : NULL;
}
