// SPDX-License-Identifier: GPL-2.0-only
/*
 * log: reads lines of limited length and parses them with json-c
 *
 * A line takes about 1 us. Unknown keys are ignored. An invalid line gives
 * -EBADMSG.
 */
#include "log.h"
#include "grammar.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS		" \t\r\n"

int mp_log_wrong(struct mp_log *log, const char *what, const char *key)
{
	char safe[80];

	/* escape the key: it can come from the log, and is shown on a terminal */
	mp_text_escape(safe, sizeof(safe), key, strlen(key));
	snprintf(log->why, sizeof(log->why), what, safe);
	return -EBADMSG;
}

int mp_log_open(struct mp_log *log, FILE *file)
{
	*log = (struct mp_log){
		.file = file,
		.tokener = json_tokener_new_ex(MP_GRAMMAR_DEPTH + 1),
		.text = malloc(MP_LOG_LINE + 1),
	};
	if (!log->tokener || !log->text)
		return -ENOMEM;
	/* its strict mode is not used, see grammar.h */
	json_tokener_set_flags(log->tokener, JSON_TOKENER_VALIDATE_UTF8);
	return 0;
}

/* Reads a line to @log->text, NUL-terminated, without trailing whitespace. */
static int read_line(struct mp_log *log, size_t *len)
{
	size_t nr = 0;
	int c;

	while ((c = getc_unlocked(log->file)) != EOF && c != '\n') {
		if (nr == MP_LOG_LINE)
			break;
		log->text[nr++] = (char)c;
	}
	if (ferror(log->file))
		return -EIO;
	if (c == EOF && !nr)
		return -ENODATA;
	log->line++;
	if (c != '\n' && c != EOF)
		return mp_log_wrong(log, "longer than %s bytes", "65536");
	log->text[nr] = '\0';
	if (memchr(log->text, '\0', nr))
		return mp_log_wrong(log, "not %s object", "a JSON");
	while (nr && strchr(BLANKS, log->text[nr - 1]))
		log->text[--nr] = '\0';
	*len = nr;
	return 0;
}

/* Length of the token at the begin of @text, which json-c has accepted. */
static size_t token_length(const char *text)
{
	size_t len = strspn(text, "0123456789");

	if (*text != '"')
		return len ? len : 1;
	for (len = 1; text[len] && text[len] != '"'; len++)
		len += text[len] == '\\' && text[len + 1];
	return len + (text[len] == '"');
}

/*
 * json-c replaces a number that is too large with the largest number. So the
 * text of the line is searched for the original one. A key that is written with
 * escapes counts as too large.
 */
static bool is_largest_number(const char *text, const char *key)
{
	static const char largest[] = "18446744073709551615";
	bool ours = false, is = false;
	size_t len, depth = 0;

	for (; *text; text += len) {
		len = token_length(text);
		depth += *text == '{' || *text == '[';
		depth -= *text == '}' || *text == ']';
		if (depth != 1)
			continue;
		if (*text == '"')
			ours = len == strlen(key) + 2 &&
			       !memcmp(text + 1, key, len - 2);
		else if (ours && *text >= '0' && *text <= '9')
			is = len == strlen(largest) &&
			     !memcmp(text, largest, len);
	}
	return is;
}

int mp_log_next(struct mp_log *log, struct json_object **object)
{
	const char *end;
	size_t len = 0;
	int err;

	do
		err = read_line(log, &len);
	while (!err && !len);
	if (err)
		return err;
	end = mp_grammar_value(log->text);
	if (!end || log->text[strspn(log->text, BLANKS)] != '{')
		return mp_log_wrong(log, "not %s object", "a JSON");
	if (*end)
		return mp_log_wrong(log, "something follows the %s", "object");
	json_tokener_reset(log->tokener);
	*object = json_tokener_parse_ex(log->tokener, log->text, (int)len + 1);
	return *object ? 0 : mp_log_wrong(log, "not %s object", "a JSON");
}

int mp_log_number(struct mp_log *log, struct json_object *object,
		  const char *key, uint64_t *value)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(object, key, &found);
	if (!found)
		return -ENODATA;
	if (!json_object_is_type(found, json_type_int) ||
	    json_object_get_int64(found) < 0)
		return mp_log_wrong(log, "'%s' is not a number from 0 on", key);
	*value = json_object_get_uint64(found);
	if (*value == UINT64_MAX && !is_largest_number(log->text, key))
		return mp_log_wrong(log, "'%s' has more than 64 bits", key);
	return 0;
}

const char *mp_log_text(struct mp_log *log, struct json_object *object,
			const char *key, size_t *len)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(object, key, &found);
	if (!json_object_is_type(found, json_type_string)) {
		mp_log_wrong(log, "'%s' is missing, or no text", key);
		return NULL;
	}
	*len = json_object_get_string_len(found);
	return json_object_get_string(found);
}

void mp_log_close(struct mp_log *log)
{
	if (log->tokener)
		json_tokener_free(log->tokener);
	free(log->text);
}
