/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format: finds the fields of a tracepoint in its format text
 */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limit of fields: the formats of memprof:site and memprof:process have as
 * many.
 */
#define MP_FORMAT_FIELDS	128
#define MP_FIELD_NAME_SIZE	32

/**
 * struct mp_field - one field
 * @offset: offset in the raw data
 * @size: size in bytes
 * @is_signed: the field is a signed integer
 */
struct mp_field {
	char name[MP_FIELD_NAME_SIZE];
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

/**
 * struct mp_format - the format of one tracepoint
 * @id: event number of the machine that the format comes from
 * @name: event name without its system
 * @fields: the first MP_FORMAT_FIELDS fields, without those that all events
 *	have
 */
struct mp_format {
	uint32_t id;
	char name[64];
	struct mp_field fields[MP_FORMAT_FIELDS];
	uint32_t nr_fields;
};

/**
 * mp_format_parse - parse the text of a "format" file
 * @text: NUL-terminated and untrusted
 *
 * Return: true if the text is a format. Fields whose description does not look
 * like the kernel's are left out.
 */
bool mp_format_parse(struct mp_format *format, const char *text);

/** mp_format_field - find a field by its name; NULL if it does not exist */
const struct mp_field *mp_format_field(const struct mp_format *format,
				       const char *name);

/**
 * mp_field_read - read the value of a field
 * @raw: raw data of a sample
 * @size: bytes of @raw
 *
 * Return: the value, sign extended; 0 if @field is NULL or @raw is too short.
 */
uint64_t mp_field_read(const struct mp_field *field, const void *raw,
		       size_t size);

/**
 * mp_field_bytes - find the data that a __data_loc field refers to
 * @nr: out, number of bytes
 *
 * Return: the bytes; NULL if there is no such field or @raw is too short.
 */
const void *mp_field_bytes(const struct mp_field *field, const void *raw,
			   size_t size, size_t *nr);

#endif
