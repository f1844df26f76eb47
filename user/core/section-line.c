// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * section-line: the specified lines, in one place for all that print them
 *
 * Some 300 ns; no memory, no file.
 */
#include "section-line.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A NUL ends a name for mp_text_escape(), and is a byte like others here. */
static void escape(char *id, const struct mp_section *section)
{
	size_t from, len;

	*id = '\0';
	for (from = 0; from < section->id_len; from += len) {
		len = strnlen(section->id + from, section->id_len - from);
		mp_text_escape(id, 4 * len + 1, section->id + from, len);
		id += strlen(id);
		if (from + len < section->id_len) {
			id = stpcpy(id, "\\x00");
			len++;
		}
	}
}

size_t mp_section_line(char *to, const struct mp_section *section)
{
	char id[4 * MP_SECTIONS_ID + 1];
	size_t len;

	escape(id, section);
	len = sprintf(to, "CU log: %2" PRIu64 " %s consumed %6" PRIu64
		      " CU (net %6" PRIu64 " CU)\n", section->index, id,
		      section->total.cu, section->net.cu);
	if (section->has_heap)
		len += sprintf(to + len, "HEAP : %5" PRIu64 " heap (net %5"
			       PRIu64 " heap) remaining %5" PRIu64 "\n",
			       section->total.heap, section->net.heap,
			       section->remaining_heap);
	return len;
}
