// SPDX-License-Identifier: GPL-2.0-only
/*
 * section-log: writes two lines of text per section, or JSON
 *
 * A line of text takes 300 ns, a section in JSON 3 us. If memory is short, JSON fails
 * with -ENOMEM. The caller checks the stream for errors.
 */
#include "section-log.h"
#include "json-object.h"
#include "section-line.h"
#include "section-record.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <json-c/printbuf.h>

void mp_section_log(FILE *file, const struct mp_section *section)
{
	char lines[MP_SECTION_LINE_SIZE];

	fwrite(lines, mp_section_line(lines, section), 1, file);
}

/*
 * Writes an id as a JSON string. Bytes that are not UTF-8 become \xNN, because JSON
 * cannot contain them.
 */
static int serialize_id(struct json_object *object, struct printbuf *to, int level,
			int flags)
{
	const struct mp_section *section = json_object_get_userdata(object);
	uint32_t character = 0;
	size_t from, len;

	(void)level;
	(void)flags;
	printbuf_strappend(to, "\"");
	for (from = 0; from < section->id_len; from += len ? len : 1) {
		len = mp_text_character(section->id + from,
					section->id_len - from, &character);
		if (!len)
			sprintbuf(to, "\\\\x%02x",
				  (unsigned char)section->id[from]);
		else if (!mp_text_is_seen(character))
			sprintbuf(to, "\\u%04x", character);
		else if (character == '"' || character == '\\')
			sprintbuf(to, "\\%c", (int)character);
		else
			printbuf_memappend(to, section->id + from, (int)len);
	}
	printbuf_strappend(to, "\"");
	return 0;
}

static struct json_object *new_id(struct mp_section *section)
{
	struct json_object *id = json_object_new_string("");

	json_object_set_serializer(id, serialize_id, section, NULL);
	return id;
}

static struct json_object *new_entry(struct mp_section *section)
{
	struct json_object *entry = json_object_new_object(), *heap = NULL;

	mp_json_add(entry, "id", new_id(section));
	mp_json_add_number(entry, "total_cu", section->total.cu);
	mp_json_add_number(entry, "net_cu", section->net.cu);
	if (section->has_heap) {
		heap = json_object_new_object();
		mp_json_add_number(heap, "total", section->total.heap);
		mp_json_add_number(heap, "net", section->net.heap);
		mp_json_add_number(heap, "remaining", section->remaining_heap);
	}
	mp_json_add(entry, "heap", heap);
	return entry;
}

/* Writes one entry of a list and frees it; the list is never all in memory. */
static int write_entry(FILE *file, struct json_object *entry, bool first)
{
	const char *text = json_object_to_json_string_ext(entry,
				JSON_C_TO_STRING_PLAIN |
				JSON_C_TO_STRING_NOSLASHESCAPE);

	fprintf(file, "%s%s", first ? "" : ",", text ? text : "null");
	json_object_put(entry);
	return text ? 0 : -ENOMEM;
}

int mp_section_json(FILE *file, const struct mp_section *sections, size_t nr)
{
	struct mp_section section;
	size_t i;

	fputc('[', file);
	for (i = 0; i < nr; i++) {
		section = sections[i];
		if (write_entry(file, new_entry(&section), !i))
			return -ENOMEM;
	}
	fputs("]\n", file);
	return 0;
}

/* Writes the value of an event stream; nothing if the stream was not active. */
static void write_seen(FILE *file, const char *name, uint64_t value, bool watched)
{
	if (watched)
		fprintf(file, " %s %5" PRIu64, name, value);
}

void mp_section_seen(FILE *file, const struct memprof_section *record)
{
	bool alloc = record->streams & MEMPROF_START_ALLOC;

	if (!record->streams)
		return;
	fputs("SEEN :", file);
	write_seen(file, "allocated", record->allocated_bytes, alloc);
	write_seen(file, "freed", record->freed_bytes, alloc);
	write_seen(file, "touched", record->touched_bytes,
		   record->streams & MEMPROF_START_FAULTS);
	if (record->streams & MEMPROF_START_GROWTH)
		fprintf(file, " grown %5" PRId64, (int64_t)record->grown_bytes);
	fputc('\n', file);
}

static struct json_object *new_seen(const struct memprof_section *record)
{
	struct json_object *seen;

	if (!record->streams)
		return NULL;
	seen = json_object_new_object();
	if (record->streams & MEMPROF_START_ALLOC) {
		mp_json_add_number(seen, "allocated", record->allocated_bytes);
		mp_json_add_number(seen, "freed", record->freed_bytes);
	}
	if (record->streams & MEMPROF_START_FAULTS)
		mp_json_add_number(seen, "touched", record->touched_bytes);
	if (record->streams & MEMPROF_START_GROWTH)
		mp_json_add(seen, "grown", json_object_new_int64(
				       record->grown_bytes));
	return seen;
}

static const char *meter_name(uint32_t meter)
{
	static const char * const names[] = {
		[MEMPROF_SECTION_CALLER] = "caller",
		[MEMPROF_SECTION_TIME] = "time",
		[MEMPROF_SECTION_INSTRUCTIONS] = "instructions",
	};

	return meter <= MEMPROF_SECTION_INSTRUCTIONS ? names[meter] : "?";
}

int mp_section_flush_json(FILE *file, struct mp_section_flush *flush)
{
	struct json_object *entry;
	struct mp_section section;
	size_t i;

	fprintf(file, "{\"pid\":%u,\"tid\":%u,\"whole\":%s,\"sections\":[",
		flush->pid, flush->tid, flush->whole ? "true" : "false");
	for (i = 0; i < flush->nr; i++) {
		mp_section_of_record(&section, &flush->records[i]);
		entry = new_entry(&section);
		mp_json_add_number(entry, "index", section.index);
		mp_json_add_text(entry, "meter", meter_name(flush->records[i].meter));
		mp_json_add_number(entry, "start_ns", section.view.time_ns);
		mp_json_add_number(entry, "end_ns", section.end_ns);
		mp_json_add(entry, "seen",
			    new_seen(&flush->records[i]));
		if (write_entry(file, entry, !i))
			return -ENOMEM;
	}
	fputs("]}\n", file);
	return 0;
}
