/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame-language: tells in which language a function of a stack is written
 */
#ifndef MP_FRAME_LANGUAGE_H
#define MP_FRAME_LANGUAGE_H

#include "profile.h"

/*
 * Compiled languages are one: their functions are machine code in a file. Other languages
 * are known by the marks of "interpreted.h".
 */
enum mp_language {
	MP_LANGUAGE_NATIVE,
	MP_LANGUAGE_KERNEL,
	MP_LANGUAGE_PYTHON,
	MP_LANGUAGE_JAVASCRIPT,
	MP_LANGUAGE_JAVA,
	MP_LANGUAGE_PHP,
	MP_NR_LANGUAGES,
};

/**
 * struct mp_language_info - the names of a language
 * @name: for a person: "Python"
 * @key: in files: "python"
 * @frame_type: in OpenTelemetry, as the attribute profile.frame.type: "cpython"
 * @binary: in place of a binary, which functions of such languages do not have: "[python]";
 *	NULL for native code and the kernel
 */
struct mp_language_info {
	const char *name, *key, *frame_type, *binary;
};

extern const struct mp_language_info mp_languages[MP_NR_LANGUAGES];

/** mp_frame_language - the language of a frame's function. @profile has symbols */
enum mp_language mp_frame_language(const struct mp_profile *profile,
				   const struct mp_frame *frame);

#endif
