/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json-text: strings in JSON that is written piece by piece
 */
#ifndef MP_JSON_TEXT_H
#define MP_JSON_TEXT_H

#include <stdio.h>

/**
 * mp_json_text - write a string with its quotes
 * @text: UTF-8
 *
 * Escapes < and & as well, so that the result may stand in the script of a page.
 */
void mp_json_text(FILE *file, const char *text);

#endif
