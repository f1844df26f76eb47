// SPDX-License-Identifier: GPL-2.0-only
/*
 * format: parses a tracepoint's format with libtraceevent
 *
 * libtraceevent trusts its input. Version 1.7.1 crashes on an unclosed bracket,
 * on "__attribute__" and on many parentheses; older versions free a field twice
 * if the line after it is invalid. The text may be untrusted, so libtraceevent
 * only gets lines that look like the kernel's, in the kernel's order. Fields on
 * other lines are ignored. The "print fmt" of the event is not needed and is
 * left out.
 */
#include "format.h"

#include <event-parse.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define WORD	"[A-Za-z_][A-Za-z0-9_]*"
#define NUMBER	":[0-9]{1,10};[ \t]*"

/* Patterns for the lines of a format, in order; the last one matches each field. */
static const char * const shapes[] = {
	"^name: [A-Za-z0-9_]+$", "^ID: [0-9]{1,10}$", "^format:$",
	"^[ \t]*field:" WORD "([ *]+" WORD ")+(\\[[A-Za-z0-9_ ]*\\]( " WORD ")?)?;"
	"[ \t]*offset" NUMBER "size" NUMBER "(signed" NUMBER ")?$",
};

enum { FIELDS = sizeof(shapes) / sizeof(shapes[0]) - 1 };

/* More than twice the length of the longest line in the kernel. */
#define LINE_SIZE	256

/* Each pattern is compiled at its first use and never freed. */
static bool is_like(const char *line, size_t shape)
{
	static regex_t regexes[FIELDS + 1];
	static size_t nr;

	for (; nr <= FIELDS; nr++)
		if (regcomp(&regexes[nr], shapes[nr], REG_EXTENDED | REG_NOSUB))
			return false;
	/* libtraceevent parses words that end in _PR_FMT in a different way */
	return !strstr(line, "_PR_FMT") &&
	       !regexec(&regexes[shape], line, 0, NULL, 0);
}

/* Returns true if the line describes a field that all events have. */
static bool is_common(const char *line)
{
	const char *name = strstr(line, " common_");

	return name && name[1 + strcspn(name + 1, " ;[")] == ';';
}

/*
 * Returns the lines that libtraceevent may parse, to be freed, or NULL if they
 * are not a format. A line costs 1.5 us. The fields that all events have are
 * left out. The empty line that the kernel writes after those fields comes
 * before the others.
 */
static char *plain_text(const char *text)
{
	static const char end[] = "\n\n\nprint fmt: \"\"\n";
	char *plain = malloc(strlen(text) + sizeof(end)), *to = plain;
	char line[LINE_SIZE];
	size_t shape = 0, len;

	for (; plain && *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len >= sizeof(line))
			continue;
		memcpy(line, text, len);
		line[len] = '\0';
		if (is_common(line) || !is_like(line, shape))
			continue;
		to = stpcpy(stpcpy(to, line), "\n");
		if (shape < FIELDS && ++shape == FIELDS)
			to = stpcpy(to, "\n");
	}
	if (shape < FIELDS) {
		free(plain);
		return NULL;
	}
	/*
	 * skip two newlines: one is already after the last line, one after
	 * "format:"
	 */
	stpcpy(to, end + 2);
	return plain;
}

static void keep(struct mp_format *format, const struct tep_format_field *from)
{
	struct mp_field *field = &format->fields[format->nr_fields];

	if (strlen(from->name) >= sizeof(field->name))
		return;
	strcpy(field->name, from->name);
	field->offset = (uint32_t)from->offset;
	field->size = (uint32_t)from->size;
	field->is_signed = from->flags & TEP_FIELD_IS_SIGNED;
	format->nr_fields++;
}

bool mp_format_parse(struct mp_format *format, const char *text)
{
	const struct tep_format_field *field;
	char *plain = plain_text(text);
	struct tep_handle *tep = plain ? tep_alloc() : NULL;
	struct tep_event *event = NULL;

	*format = (struct mp_format){ 0 };
	tep_set_loglevel(TEP_LOG_NONE);
	if (tep)
		tep_parse_format(tep, &event, plain, strlen(plain), "");
	if (event && !(event->flags & TEP_EVENT_FL_FAILED) &&
	    strlen(event->name) < sizeof(format->name)) {
		strcpy(format->name, event->name);
		format->id = (uint32_t)event->id;
		for (field = event->format.fields;
		     field && format->nr_fields < MP_FORMAT_FIELDS;
		     field = field->next)
			keep(format, field);
	}
	free(plain);
	tep_free(tep);
	return format->name[0];
}

const struct mp_field *mp_format_field(const struct mp_format *format,
				       const char *name)
{
	uint32_t i;

	for (i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

const void *mp_field_bytes(const struct mp_field *field, const void *raw,
			   size_t size, size_t *nr)
{
	uint64_t where = mp_field_read(field, raw, size);

	*nr = where >> 16 & 0xffff;
	where &= 0xffff;
	if (!field || field->size != 4 || where > size || *nr > size - where)
		return NULL;
	return (const char *)raw + where;
}

uint64_t mp_field_read(const struct mp_field *field, const void *raw,
		       size_t size)
{
	uint64_t value = 0;

	if (!field || field->size > sizeof(value) || !field->size ||
	    field->offset > size || size - field->offset < field->size)
		return 0;
	memcpy(&value, (const char *)raw + field->offset, field->size);
	if (field->is_signed && field->size < sizeof(value) &&
	    value >> (8 * field->size - 1))
		value |= ~0ULL << (8 * field->size);
	return value;
}
