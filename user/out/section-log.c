// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-log: two lines a section; some 300 ns each
 */
#include "section-log.h"
#include "section-line.h"

#include <errno.h>
#include <json-c/json.h>

void mp_section_log(FILE *file, const struct mp_section *section)
{
	char lines[MP_SECTION_LINE_SIZE];

	fwrite(lines, mp_section_line(lines, section), 1, file);
}

static void put(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static struct json_object *new_entry(const struct mp_section *section)
{
	struct json_object *entry = json_object_new_object(), *heap = NULL;

	json_object_object_add(entry, "id", json_object_new_string_len(
			       section->id, (int)section->id_len));
	put(entry, "total_cu", section->total.cu);
	put(entry, "net_cu", section->net.cu);
	if (section->has_heap) {
		heap = json_object_new_object();
		put(heap, "total", section->total.heap);
		put(heap, "net", section->net.heap);
		put(heap, "remaining", section->remaining_heap);
	}
	json_object_object_add(entry, "heap", heap);
	return entry;
}

/* An entry at a time, so that a large flush takes no memory here. */
int mp_section_json(FILE *file, const struct mp_section *sections, size_t nr)
{
	struct json_object *entry;
	const char *text;
	size_t i;

	fputc('[', file);
	for (i = 0; i < nr; i++) {
		entry = new_entry(&sections[i]);
		text = json_object_to_json_string_ext(entry,
				JSON_C_TO_STRING_PLAIN |
				JSON_C_TO_STRING_NOSLASHESCAPE);
		fprintf(file, "%s%s", i ? "," : "", text ? text : "null");
		json_object_put(entry);
		if (!text)
			return -ENOMEM;
	}
	fputs("]\n", file);
	return 0;
}
