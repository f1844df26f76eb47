// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame-language: the names of languages, and the language of a frame by the mark in its name
 */
#include "frame-language.h"
#include "interpreted.h"

#include <string.h>

const struct mp_language_info mp_languages[MP_NR_LANGUAGES] = {
	[MP_LANGUAGE_NATIVE] = { "native", "native", "native", NULL },
	[MP_LANGUAGE_KERNEL] = { "kernel", "kernel", "kernel", NULL },
	[MP_LANGUAGE_PYTHON] = { "Python", "python", "cpython", "[python]" },
	[MP_LANGUAGE_JAVASCRIPT] = { "JavaScript", "javascript", "v8js", "[javascript]" },
	[MP_LANGUAGE_JAVA] = { "Java", "java", "jvm", "[java]" },
	[MP_LANGUAGE_PHP] = { "PHP", "php", "php", "[php]" },
};

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

enum mp_language mp_frame_language(const struct mp_profile *profile,
				   const struct mp_frame *frame)
{
	const char *path = frame->binary ? profile->binaries[frame->binary - 1].path : NULL;
	const char *name = frame->nr ? mp_symbols_text(&profile->symbols,
				profile->symbols.lines[frame->first].function) : NULL;

	if (mp_frame_is_kernel(frame))
		return MP_LANGUAGE_KERNEL;
	if (path && mp_interpreted_is(path))
		return MP_LANGUAGE_PYTHON;
	if (path || !name)
		return MP_LANGUAGE_NATIVE;
	if (begins_with(name, MP_INTERPRETED_PYTHON))
		return MP_LANGUAGE_PYTHON;
	if (begins_with(name, MP_INTERPRETED_NODE))
		return MP_LANGUAGE_JAVASCRIPT;
	if (begins_with(name, MP_INTERPRETED_PHP))
		return MP_LANGUAGE_PHP;
	return begins_with(name, MP_INTERPRETED_JAVA) ? MP_LANGUAGE_JAVA : MP_LANGUAGE_NATIVE;
}
