/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json: writes and reads a profile as lines of JSON, with one object per line
 *
 * `--json`, the collector's answers and recordings use these lines. Each line has a
 * "type": "process", "cgroup", "site", "stack", "summary" or "status". The types
 * "frame", "series", "error" and "end" are only sent from one memprof program to
 * another. Numbers are exact 64-bit integers, sizes are bytes, times are nanoseconds
 * of CLOCK_MONOTONIC.
 */
#ifndef MP_JSON_H
#define MP_JSON_H

#include "profile.h"

#include <stdio.h>

/* Limit of a line in bytes. Readers refuse longer lines; writers make shorter ones. */
#define MP_JSON_MAX_LINE	(64 * 1024)

#define MP_JSON_MESSAGE_SIZE	256

enum mp_json_type {
	MP_JSON_UNKNOWN,
	MP_JSON_PROCESS,
	MP_JSON_CGROUP,
	MP_JSON_SITE,
	MP_JSON_STACK,
	MP_JSON_FRAME,
	MP_JSON_SERIES,
	MP_JSON_SUMMARY,
	MP_JSON_STATUS,
	MP_JSON_ERROR,
	MP_JSON_END,
	MP_NR_JSON_TYPES,
};

extern const char * const mp_json_types[MP_NR_JSON_TYPES];

struct json_object;


/** mp_json_row - write a row as a line */
void mp_json_row(FILE *file, const struct mp_profile *profile,
		 const struct mp_row *row);

/**
 * mp_json_line - write one of the lines of a profile, for another memprof program
 * @i: number of the line, from 0 to mp_json_nr_lines() - 1
 */
void mp_json_line(FILE *file, const struct mp_profile *profile, size_t i);

/** mp_json_line_bare - like mp_json_line(), but only cgroups have values */
void mp_json_line_bare(FILE *file, const struct mp_profile *profile, size_t i);

/** mp_json_nr_lines - number of lines of a profile, without the summary */
size_t mp_json_nr_lines(const struct mp_profile *profile);

/**
 * mp_json_summary - write the line of the summary
 * @kind: rows to add up
 * @nr_hidden: rows of that kind that were not written
 */
void mp_json_summary(FILE *file, const struct mp_profile *profile,
		     enum mp_row_kind kind, size_t nr_hidden);

/**
 * mp_json_tree_summary - write the summary of a tree of callsites
 * @nr_shown: branches that were written
 * @nr_hidden: branches that were not written
 */
void mp_json_tree_summary(FILE *file, const struct mp_profile *profile,
			  size_t nr_shown, size_t nr_hidden);

/** mp_json_status - write the status of the session as a line */
void mp_json_status(FILE *file, const struct mp_meta *meta);

/**
 * mp_json_error - write the line of an error
 * @err: positive errno
 * @action: text for users: what failed
 */
void mp_json_error(FILE *file, int err, const char *action);

/** mp_json_end - write the last line of an answer */
void mp_json_end(FILE *file);

/**
 * struct mp_json_line - type of a line that was read, and its error
 * @type: type of the line
 * @err: for MP_JSON_ERROR: a positive errno
 * @message: for MP_JSON_ERROR: text of the error, printable
 */
struct mp_json_line {
	enum mp_json_type type;
	int err;
	char message[MP_JSON_MESSAGE_SIZE];
};

/**
 * mp_json_read - add the content of a line to a profile
 * @profile: rows, counters, cgroup paths and meta data are added to it
 * @text: the line, without its newline; a NUL at the end is not needed
 * @len: bytes of @text
 * @line: out: type of the line, and its error
 *
 * Unknown keys and lines of unknown type (MP_JSON_UNKNOWN) are ignored.
 *
 * Return: 0; -EBADMSG if the line is not a JSON object with a type, or if a value
 * has the wrong type or range; -ENOMEM.
 */
int mp_json_read(struct mp_profile *profile, const char *text, size_t len,
		 struct mp_json_line *line);

/**
 * struct mp_json_field - a number in struct mp_meta, and its key
 * @key: key in JSON
 * @offset: offset of the number in struct mp_meta
 * @size: size of the number, 4 or 8 bytes
 */
struct mp_json_field {
	const char *key;
	size_t offset;
	size_t size;
};

#define MP_JSON_NR_FIELDS	26

/* The writer and the reader use the same tables, so both use the same keys. */
extern const struct mp_json_field mp_json_fields[MP_JSON_NR_FIELDS];

/** struct mp_json_bit - bit of a flag, and its key in JSON */
struct mp_json_bit {
	const char *key;
	unsigned int bit;
};

#define MP_JSON_NR_ROW_BITS	11
extern const struct mp_json_bit mp_json_row_bits[MP_JSON_NR_ROW_BITS];

#define MP_JSON_NR_STATES	3
extern const char * const mp_json_states[MP_JSON_NR_STATES];

#endif
