// SPDX-License-Identifier: GPL-2.0-only
/*
 * format: libtraceevent reads a text, and what samples are read by is kept of it
 *
 * libtraceevent trusts its text. A bracket that does not end, "__attribute__" or many
 * parentheses crash version 1.7.1; older ones free a field twice where the next line is
 * none. The text may be a stranger's, so libtraceevent gets only the lines that look as
 * the kernel's do, in the kernel's order. A field on another line is not known. How the
 * kernel prints an event is not needed, and is left out.
 */
#include "format.h"

#include <event-parse.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define WORD	"[A-Za-z_][A-Za-z0-9_]*"
#define NUMBER	":[0-9]{1,10};[ \t]*"

/* The lines of a format in their order; the last is that of each field. */
static const char * const shapes[] = {
	"^name: [A-Za-z0-9_]+$", "^ID: [0-9]{1,10}$", "^format:$",
	"^[ \t]*field:" WORD "([ *]+" WORD ")+(\\[[A-Za-z0-9_ ]*\\]( " WORD ")?)?;"
	"[ \t]*offset" NUMBER "size" NUMBER "(signed" NUMBER ")?$",
};

enum { FIELDS = sizeof(shapes) / sizeof(shapes[0]) - 1 };

/* Longer than twice the kernel's longest. */
#define LINE_SIZE	256

/* Compiled by the first who needs it, and never freed. */
static bool is_like(const char *line, size_t shape)
{
	static regex_t regexes[FIELDS + 1];
	static size_t nr;

	for (; nr <= FIELDS; nr++)
		if (regcomp(&regexes[nr], shapes[nr], REG_EXTENDED | REG_NOSUB))
			return false;
	/* libtraceevent reads something else for words that end so */
	return !strstr(line, "_PR_FMT") &&
	       !regexec(&regexes[shape], line, 0, NULL, 0);
}

/* Whether a line is of one of the fields that all events have. */
static bool is_common(const char *line)
{
	const char *name = strstr(line, " common_");

	return name && name[1 + strcspn(name + 1, " ;[")] == ';';
}

/*
 * The lines that libtraceevent may see, to be freed; NULL where they make no format.
 * A line costs 1.5 us. Fields that all events have are left out; an empty line, which
 * the kernel writes behind them, is put before the others.
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
	/* one of the three ended the last line, one the line "format:" */
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
