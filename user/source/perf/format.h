/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format: what the fields of a tracepoint are and where
 */
#ifndef MP_FORMAT_H
#define MP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many as the formats of sums have. */
#define MP_FORMAT_FIELDS	64
#define MP_FIELD_NAME_SIZE	32

/**
 * struct mp_field - one field
 * @offset: in the raw data
 * @size: bytes
 * @is_signed: an integer with a sign
 */
struct mp_field {
	char name[MP_FIELD_NAME_SIZE];
	uint32_t offset;
	uint32_t size;
	bool is_signed;
};

/**
 * struct mp_format - of one tracepoint
 * @id: number; the kernel's, or of the machine that a file comes from
 * @name: without its system
 * @fields: the first MP_FORMAT_FIELDS that are not common to all
 */
struct mp_format {
	uint32_t id;
	char name[64];
	struct mp_field fields[MP_FORMAT_FIELDS];
	uint32_t nr_fields;
};

/**
 * mp_format_parse - read the text of a "format" file
 * @text: ends with a NUL; from a stranger
 *
 * Return: whether it is one. Fields that are not described as the kernel does it are
 * left out.
 */
bool mp_format_parse(struct mp_format *format, const char *text);

/** mp_format_field - a field by its name, or NULL */
const struct mp_field *mp_format_field(const struct mp_format *format,
				       const char *name);

/**
 * mp_field_read - the number in a field
 * @raw: of a sample
 * @size: bytes of it
 *
 * Return: the number, sign extended; 0 for no field, or where @raw is too short.
 */
uint64_t mp_field_read(const struct mp_field *field, const void *raw,
		       size_t size);

/**
 * mp_field_bytes - what a field of the kind __data_loc leads to
 * @nr: out, bytes
 *
 * Return: the bytes; NULL for no such field, or where @raw is too short.
 */
const void *mp_field_bytes(const struct mp_field *field, const void *raw,
			   size_t size, size_t *nr);

#endif
