// SPDX-License-Identifier: GPL-2.0-only
/*
 * log: lines of bounded length, read by json-c
 *
 * Some 1 us per line. Keys that nobody asks for are left alone.
 */
#include "log.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH	32	/* what is inside of keys that nobody asks for */

#define BLANKS		" \t\r\n"

int mp_log_wrong(struct mp_log *log, const char *what, const char *key)
{
	char safe[80];

	/* it may be the log's own word, and goes to a terminal */
	mp_text_escape(safe, sizeof(safe), key, strlen(key));
	snprintf(log->why, sizeof(log->why), what, safe);
	return -EBADMSG;
}

int mp_log_open(struct mp_log *log, FILE *file)
{
	*log = (struct mp_log){
		.file = file,
		.tokener = json_tokener_new_ex(MAX_DEPTH),
		.text = malloc(MP_LOG_LINE + 1),
	};
	if (!log->tokener || !log->text)
		return -ENOMEM;
	json_tokener_set_flags(log->tokener, JSON_TOKENER_STRICT |
			       JSON_TOKENER_VALIDATE_UTF8);
	return 0;
}

/* Its length without its end and blanks; @log->text is NUL-terminated. */
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

/* Bytes of the token that @text begins with, as far as json-c has seen sense in it. */
static size_t token(const char *text)
{
	size_t len = strspn(text, "0123456789");

	if (*text != '"')
		return len ? len : 1;
	for (len = 1; text[len] && text[len] != '"'; len++)
		len += text[len] == '\\' && text[len + 1];
	return len + (text[len] == '"');
}

/*
 * json-c makes the largest number of one that is larger: looks up what the line
 * says. A key of another spelling is taken for one that is larger.
 */
static bool is_largest(const char *text, const char *key)
{
	static const char largest[] = "18446744073709551615";
	bool ours = false, is = false;
	size_t len, depth = 0;

	for (; *text; text += len) {
		len = token(text);
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

/* What json-c takes although it is no JSON: controls in a text, NaN and Infinity. */
static bool is_sound(const char *text)
{
	size_t len, i;

	for (; *text; text += len) {
		len = token(text);
		if (*text == 'N' || *text == 'I')
			return false;
		for (i = 0; *text == '"' && i < len; i++)
			if ((unsigned char)text[i] < ' ')
				return false;
	}
	return true;
}

int mp_log_next(struct mp_log *log, struct json_object **object)
{
	size_t len = 0;
	int err;

	do
		err = read_line(log, &len);
	while (!err && !len);
	if (err)
		return err;
	json_tokener_reset(log->tokener);
	*object = json_tokener_parse_ex(log->tokener, log->text, (int)len + 1);
	if (json_object_is_type(*object, json_type_object) &&
	    is_sound(log->text) && json_tokener_get_parse_end(log->tokener) >= len)
		return 0;
	err = json_tokener_get_error(log->tokener) == json_tokener_success &&
	      json_object_is_type(*object, json_type_object);
	json_object_put(*object);
	*object = NULL;
	return err ? mp_log_wrong(log, "something follows the %s", "object") :
	       mp_log_wrong(log, "not %s object", "a JSON");
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
	if (*value == UINT64_MAX && !is_largest(log->text, key))
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
