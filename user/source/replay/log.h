/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log: a text of one JSON object per line
 */
#ifndef MP_LOG_H
#define MP_LOG_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MP_LOG_WHY_SIZE	160

/* Bytes of a line, at most, with its end. */
#define MP_LOG_LINE	65536

/**
 * struct mp_log - how far it was read
 * @file: to read
 * @line: number of the last line that was read, from 1
 * @why: what is wrong with it
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
 * Return: 0, or -ENOMEM; mp_log_close() is due either way.
 */
int mp_log_open(struct mp_log *log, FILE *file);

/**
 * mp_log_next - the next line's object, to be put; lines of blanks are skipped
 *
 * Return: 0; -ENODATA after the last one; -EBADMSG where it is no object, with
 * @line and @why; -EIO.
 */
int mp_log_next(struct mp_log *log, struct json_object **object);

/**
 * mp_log_wrong - say why a line is wrong
 * @what: a format, with one %s for @key
 *
 * Return: -EBADMSG.
 */
int mp_log_wrong(struct mp_log *log, const char *what, const char *key);

/**
 * mp_log_number - a number of the last line
 * @value: out: 64 bits without a sign
 *
 * Return: 0; -ENODATA where there is none, or null; -EBADMSG.
 */
int mp_log_number(struct mp_log *log, struct json_object *object,
		  const char *key, uint64_t *value);

/**
 * mp_log_text - a text of the last line
 * @len: out; any byte may be in it
 *
 * Return: it, as long as @object; NULL where it is missing or none, said in @why.
 */
const char *mp_log_text(struct mp_log *log, struct json_object *object,
			const char *key, size_t *len);

/** mp_log_close - free all; the file stays open */
void mp_log_close(struct mp_log *log);

#endif
