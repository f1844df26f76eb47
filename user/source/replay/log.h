/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log: reads a text file with one JSON object per line
 */
#ifndef MP_LOG_H
#define MP_LOG_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MP_LOG_WHY_SIZE	160

/* Limit of the bytes of a line, with its end. */
#define MP_LOG_LINE	65536

/**
 * struct mp_log - state of reading a log
 * @file: the file
 * @line: number of the last line that was read, from 1
 * @why: why this line is invalid
 */
struct mp_log {
	FILE *file;
	size_t line;
	char why[MP_LOG_WHY_SIZE];
	struct json_tokener *tokener;
	char *text;
};

/**
 * mp_log_open - begin to read
 *
 * Call mp_log_close() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_log_open(struct mp_log *log, FILE *file);

/**
 * mp_log_next - read the next object and skip empty lines
 * @object: out; the caller releases it by json_object_put()
 *
 * Return: 0; -ENODATA at the end; -EBADMSG if the line is not an object, with
 * @line and @why; -EIO.
 */
int mp_log_next(struct mp_log *log, struct json_object **object);

/**
 * mp_log_wrong - set the reason why a line is invalid
 * @what: a format with one %s, for @key
 *
 * Return: -EBADMSG.
 */
int mp_log_wrong(struct mp_log *log, const char *what, const char *key);

/**
 * mp_log_number - get a number of the last line
 * @value: out; unsigned, 64 bits
 *
 * Return: 0; -ENODATA if it is missing or null; -EBADMSG.
 */
int mp_log_number(struct mp_log *log, struct json_object *object,
		  const char *key, uint64_t *value);

/**
 * mp_log_text - get a text of the last line
 * @len: out; the text can contain any byte
 *
 * Return: the text, valid as long as @object; NULL with @why if it is missing
 * or not a text.
 */
const char *mp_log_text(struct mp_log *log, struct json_object *object,
			const char *key, size_t *len);

/** mp_log_close - free all; the file stays open */
void mp_log_close(struct mp_log *log);

#endif
