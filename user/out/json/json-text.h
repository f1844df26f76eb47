/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-text: strings in JSON that is written as it comes
 */
#ifndef MP_JSON_TEXT_H
#define MP_JSON_TEXT_H

#include <stdio.h>

/**
 * mp_json_text - write a string with its quotes
 * @text: UTF-8
 *
 * Also < and & are escaped: what comes out may stand in a page's script.
 */
void mp_json_text(FILE *file, const char *text);

#endif
