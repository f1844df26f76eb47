// SPDX-License-Identifier: GPL-2.0-only
/*
 * format: lines of "name: value" pairs
 *
 * Only offsets, sizes and names are taken: the text may come from a stranger's
 * file, and what is needed of it is little.
 */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * "unsigned long size", "char comm[16]": the last word, without brackets. What is
 * "__data_loc char[] id" is elsewhere in the record, see mp_field_bytes().
 */
static bool take_name(struct mp_field *field, const char *declaration,
		      size_t len)
{
	const char *end = declaration + len, *begin;
	bool elsewhere = len > 11 && !memcmp(declaration, "__data_loc ", 11);

	field->is_text = memmem(declaration, len, "char ", 5) &&
			 memchr(declaration, '[', len);
	if (!elsewhere && memchr(declaration, '[', len))
		end = memchr(declaration, '[', len);
	for (begin = end; begin > declaration && begin[-1] != ' ' &&
	     begin[-1] != '*';)
		begin--;
	if (begin == end || (size_t)(end - begin) >= sizeof(field->name))
		return false;
	memcpy(field->name, begin, end - begin);
	field->name[end - begin] = '\0';
	return true;
}

/* A line "field:DECLARATION; offset:N; size:N; signed:N;" */
static bool take_field(struct mp_format *format, const char *line)
{
	struct mp_field *field = &format->fields[format->nr_fields];
	const char *end = strchr(line, ';');
	int is_signed;

	if (!end || format->nr_fields == MP_FORMAT_FIELDS)
		return false;
	*field = (struct mp_field){ 0 };
	if (sscanf(end, "; offset:%u; size:%u; signed:%d;", &field->offset,
		   &field->size, &is_signed) != 3 ||
	    !take_name(field, line, end - line))
		return false;
	field->is_signed = is_signed;
	if (strncmp(field->name, "common_", 7))
		format->nr_fields++;
	return true;
}

bool mp_format_parse(struct mp_format *format, const char *text)
{
	const char *line;

	*format = (struct mp_format){ 0 };
	if (sscanf(text, "name: %63[^\n]\nID: %u\n", format->name,
		   &format->id) != 2)
		return false;
	for (line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t ");
		if (!strncmp(line, "print fmt", 9))
			break;
		if (!strncmp(line, "field:", 6))
			take_field(format, line + 6);
		if (!*line)
			break;
	}
	return true;
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
