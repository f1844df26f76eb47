/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-text: writes strings for JSON that is not built with json-c
 */
#ifndef MP_JSON_TEXT_H
#define MP_JSON_TEXT_H

#include <stdio.h>

/**
 * mp_json_text - write a string with its quotes
 * @text: the string, in UTF-8
 *
 * The characters < and & are escaped, too, so that the result can be part of a script
 * in an HTML page.
 */
void mp_json_text(FILE *file, const char *text);

#endif
