// SPDX-License-Identifier: GPL-2.0-only
/*
 * push-settings: reads the files with secrets, which the process itself may not read
 *
 * A file has MAX_FILE bytes at most. What is wrong is reported with the file's name.
 */
#include "push-settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILE	(1 << 16)

/* What is posted to, if the user's address has no path */
static const char * const paths[MP_PUSH_NR_FORMATS] = {
	[MP_PUSH_PYROSCOPE] = "/ingest",
	[MP_PUSH_PARCA] = "/parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw",
	[MP_PUSH_OTLP] = "/v1development/profiles",
};

const char * const mp_push_format_names[MP_PUSH_NR_FORMATS] = {
	[MP_PUSH_PYROSCOPE] = "pyroscope",
	[MP_PUSH_PARCA] = "parca",
	[MP_PUSH_OTLP] = "otlp",
};

/* A name of a header, a colon, and printable bytes */
static bool is_header(const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t i;

	if (!colon || colon == line)
		return false;
	for (i = 0; i < len; i++)
		if ((line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f ||
		    (line + i < colon && line[i] == ' '))
			return false;
	return true;
}

bool mp_push_headers_are_valid(const char *text)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len && !is_header(text, len))
			return false;
	}
	return true;
}

char *mp_push_file_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), saved;
	char *text = malloc(MAX_FILE + 1);
	ssize_t got = -1;

	if (fd >= 0 && text)
		got = read(fd, text, MAX_FILE + 1);
	saved = errno;
	if (fd >= 0)
		close(fd);
	if (got >= 0 && got <= MAX_FILE) {
		text[got] = '\0';
		return text;
	}
	free(text);
	errno = got > MAX_FILE ? EFBIG : saved;
	return NULL;
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

/* Reads a file of the configuration; @text is NULL if there is none. Free it. */
static int read_file(const char *path, char **text, struct mp_diag *diag)
{
	*text = path[0] ? mp_push_file_read(path) : NULL;
	return *text || !path[0] ? 0 : mp_diag_fail(diag, errno, NULL, "cannot read %s", path);
}

static int add_file(struct json_object *to, const char *key, const char *path,
		    struct mp_diag *diag)
{
	char *text;
	int err = read_file(path, &text, diag);

	if (!text)
		return err;
	add_text(to, key, text);
	free(text);
	return 0;
}

static void add_headers(struct json_object *list, const char *text)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len)
			json_object_array_add(list,
					      json_object_new_string_len(text, (int)len));
	}
}

static int add_header_file(struct json_object *list, const char *path, struct mp_diag *diag)
{
	char *text;
	int err = read_file(path, &text, diag);

	if (!text)
		return err;
	if (!mp_push_headers_are_valid(text)) {
		free(text);
		return mp_diag_fail(diag, EINVAL, "its lines are NAME: VALUE",
				    "cannot use %s", path);
	}
	add_headers(list, text);
	free(text);
	return 0;
}

static void add_url(struct json_object *to, const struct mp_push_settings *settings)
{
	char url[MP_PUSH_URL_SIZE + 128];
	const char *host = strstr(settings->url, "://") + 3;
	const char *path = host + strcspn(host, "/?");

	snprintf(url, sizeof(url), "%s%s", settings->url,
		 !*path || !strcmp(path, "/") ? paths[settings->format] + (*path == '/') : "");
	add_text(to, "url", url);
}

/* Labels of the whole machine are a part of Pyroscope's name. */
static void add_name(struct json_object *to, const char *name)
{
	char host[64] = "", text[MP_PUSH_NAME_SIZE + 80];

	gethostname(host, sizeof(host) - 1);
	snprintf(text, sizeof(text), "%s{host=%s}", name, host);
	add_text(to, "name", text);
}

int mp_push_settings_text(const struct mp_push_settings *settings, const char *agent,
			  char **text, struct mp_diag *diag)
{
	struct json_object *all = json_object_new_object();
	struct json_object *headers = json_object_new_array();
	int err;

	json_object_object_add(all, "headers", headers);
	add_url(all, settings);
	add_name(all, settings->name);
	add_text(all, "format", mp_push_format_names[settings->format]);
	add_text(all, "agent", agent);
	add_text(all, "ca_file", settings->ca);
	json_object_object_add(all, "timeout_ms",
			       json_object_new_int64((int64_t)settings->timeout_ms));
	add_headers(headers, settings->headers);
	err = add_header_file(headers, settings->header_file, diag) ?:
	      add_file(all, "ca", settings->ca, diag) ?:
	      add_file(all, "cert", settings->cert, diag) ?:
	      add_file(all, "key", settings->key, diag);
	if (!err) {
		*text = strdup(json_object_to_json_string(all));
		err = *text ? 0 : mp_diag_fail(diag, ENOMEM, NULL, "cannot send profiles");
	}
	json_object_put(all);
	return err;
}
