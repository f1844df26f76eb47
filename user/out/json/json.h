/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json: a profile as lines of JSON, one object each
 *
 * What `--json` prints, what the collector sends, and what a recording holds are the same
 * lines. Each has a "type": "process", "cgroup", "site", "stack", "summary" or "status".
 * Only between programs there are "frame", "series", "error" and "end" as well. Numbers are
 * exact 64-bit integers, sizes are bytes, times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef MP_JSON_H
#define MP_JSON_H

#include "profile.h"

#include <stdio.h>

/* Longer than any line that the writers make; readers refuse longer ones. */
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


/** mp_json_row - write the line of a row */
void mp_json_row(FILE *file, const struct mp_profile *profile,
		 const struct mp_row *row);

/**
 * mp_json_line - write one line of a whole profile, for another program
 * @i: from 0 to mp_json_nr_lines() - 1
 */
void mp_json_line(FILE *file, const struct mp_profile *profile, size_t i);

/** mp_json_line_bare - the same, without the values of processes, callsites and stacks */
void mp_json_line_bare(FILE *file, const struct mp_profile *profile, size_t i);

/** mp_json_nr_lines - how many lines a profile has before its summary */
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

/** mp_json_status - write the line of the status */
void mp_json_status(FILE *file, const struct mp_meta *meta);

/**
 * mp_json_error - write the line of an error
 * @err: positive errno
 * @action: what failed, for people
 */
void mp_json_error(FILE *file, int err, const char *action);

/** mp_json_end - write the line that closes an answer */
void mp_json_end(FILE *file);

/**
 * struct mp_json_line - what a line held besides rows and meta data
 * @type: of the line
 * @err: of MP_JSON_ERROR, a positive errno
 * @message: of MP_JSON_ERROR, printable
 */
struct mp_json_line {
	enum mp_json_type type;
	int err;
	char message[MP_JSON_MESSAGE_SIZE];
};

/**
 * mp_json_read - add the content of a line to a profile
 * @profile: gets rows, counters, cgroup paths and meta data
 * @text: the line, without its newline; need not end in NUL
 * @len: bytes of @text
 * @line: out
 *
 * Unknown keys are ignored, and so are unknown types (MP_JSON_UNKNOWN).
 *
 * Return: 0; -EBADMSG where the line is no JSON object with a type, or a value
 * has the wrong type or range; -ENOMEM.
 */
int mp_json_read(struct mp_profile *profile, const char *text, size_t len,
		 struct mp_json_line *line);

/**
 * struct mp_json_field - a number of struct mp_meta and its key
 * @key: in JSON
 * @offset: into struct mp_meta
 * @size: 4 or 8 bytes
 */
struct mp_json_field {
	const char *key;
	size_t offset;
	size_t size;
};

#define MP_JSON_NR_FIELDS	22

/* Writer and reader share these tables, so that both know the same keys. */
extern const struct mp_json_field mp_json_fields[MP_JSON_NR_FIELDS];

/** struct mp_json_bit - a flag and its key */
struct mp_json_bit {
	const char *key;
	unsigned int bit;
};

#define MP_JSON_NR_ROW_BITS	9
extern const struct mp_json_bit mp_json_row_bits[MP_JSON_NR_ROW_BITS];

#define MP_JSON_NR_STATES	3
extern const char * const mp_json_states[MP_JSON_NR_STATES];

#endif
