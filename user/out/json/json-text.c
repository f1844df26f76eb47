// SPDX-License-Identifier: GPL-2.0-only
/*
 * json-text: writes a string byte by byte, with escapes
 */
#include "json-text.h"

void mp_json_text(FILE *file, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	putc_unlocked('"', file);
	for (; *c; c++) {
		if (*c == '"' || *c == '\\') {
			putc_unlocked('\\', file);
			putc_unlocked(*c, file);
		} else if (*c < ' ' || *c == '<' || *c == '>' || *c == '&' ||
			   *c == 0x7f) {
			fprintf(file, "\\u%04x", *c);
		} else {
			putc_unlocked(*c, file);
		}
	}
	putc_unlocked('"', file);
}
