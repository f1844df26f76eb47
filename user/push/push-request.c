// SPDX-License-Identifier: GPL-2.0-only
/*
 * push-request: one request of libcurl at a time, each by a connection of its own
 *
 * Redirections are not followed: headers may be secrets. Of an answer, the first ANSWER_SIZE
 * bytes are read. A request may take as long as the settings say.
 */
#include "push-request.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ANSWER_SIZE	4096

enum format { PYROSCOPE, PARCA, OTLP };

static const char * const format_names[] = { "pyroscope", "parca", "otlp" };

static struct {
	CURL *curl;
	struct curl_slist *headers;
	enum format format;
	const char *url, *name;
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER_SIZE + 1];	/* headers and body of gRPC-Web have its status */
	size_t got;
	int grpc_status;		/* -1: the answer has none */
	int file;
	off_t at;
} request;

static const char *text_of(struct json_object *settings, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(settings, key, &value) ?
	       json_object_get_string(value) : NULL;
}

static size_t read_body(char *to, size_t size, size_t nr, void *unused)
{
	ssize_t got = pread(request.file, to, size * nr, request.at);

	(void)unused;
	if (got < 0)
		return CURL_READFUNC_ABORT;
	request.at += got;
	return (size_t)got;
}

static int seek_body(void *unused, curl_off_t offset, int origin)
{
	(void)unused;
	if (origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	request.at = offset;
	return CURL_SEEKFUNC_OK;
}

static size_t take_answer(char *data, size_t size, size_t nr, void *unused)
{
	size_t len = size * nr, left = ANSWER_SIZE - request.got;

	(void)unused;
	memcpy(request.answer + request.got, data, len < left ? len : left);
	request.got += len < left ? len : left;
	return len;
}

/* Finds a status of gRPC in a header, or in the trailers that end the body of gRPC-Web. */
static void find_grpc_status(const char *data, size_t len)
{
	static const char name[] = "grpc-status:";
	size_t i;

	for (i = 0; i + sizeof(name) - 1 < len; i++)
		if (!strncasecmp(data + i, name, sizeof(name) - 1)) {
			request.grpc_status = atoi(data + i + sizeof(name) - 1);
			return;
		}
}

static size_t take_header(char *data, size_t size, size_t nr, void *unused)
{
	char line[256];

	(void)unused;
	if (size * nr < sizeof(line)) {
		memcpy(line, data, size * nr);
		line[size * nr] = '\0';
		find_grpc_status(line, size * nr);
	}
	return size * nr;
}

static bool add_header(const char *text)
{
	struct curl_slist *longer = curl_slist_append(request.headers, text);

	if (longer)
		request.headers = longer;
	return longer;
}

static bool add_headers(struct json_object *settings)
{
	static const char * const of_format[][2] = {
		[PYROSCOPE] = { "Content-Type: application/octet-stream" },
		[PARCA] = { "Content-Type: application/grpc-web+proto", "X-Grpc-Web: 1" },
		[OTLP] = { "Content-Type: application/x-protobuf", "Content-Encoding: gzip" },
	};
	struct json_object *list;
	bool good = add_header("Expect:");
	size_t i;

	for (i = 0; good && i < 2 && of_format[request.format][i]; i++)
		good = add_header(of_format[request.format][i]);
	if (!json_object_object_get_ex(settings, "headers", &list))
		return good;
	for (i = 0; good && i < json_object_array_length(list); i++)
		good = add_header(json_object_get_string(json_object_array_get_idx(list, i)));
	return good;
}

static void set_blob(CURLoption option, const char *text)
{
	struct curl_blob blob = {
		.data = (void *)text, .len = text ? strlen(text) : 0,
		.flags = CURL_BLOB_COPY,
	};

	if (text)
		curl_easy_setopt(request.curl, option, &blob);
}

static void set_tls(struct json_object *settings)
{
#if LIBCURL_VERSION_NUM >= 0x074d00
	set_blob(CURLOPT_CAINFO_BLOB, text_of(settings, "ca"));
#else
	if (text_of(settings, "ca_file"))
		curl_easy_setopt(request.curl, CURLOPT_CAINFO, text_of(settings, "ca_file"));
#endif
	set_blob(CURLOPT_SSLCERT_BLOB, text_of(settings, "cert"));
	set_blob(CURLOPT_SSLKEY_BLOB, text_of(settings, "key"));
}

static void set_protocols(void)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(request.curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(request.curl, CURLOPT_PROTOCOLS,
			 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool set_options(struct json_object *settings)
{
	CURL *curl = request.curl;
	const char *timeout = text_of(settings, "timeout_ms");

	if (!add_headers(settings) || !timeout)
		return false;
	set_protocols();
	set_tls(settings);
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	/* on a kept connection libcurl repeats a request by itself, and that at once */
	curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, request.headers);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, atol(timeout));
	curl_easy_setopt(curl, CURLOPT_USERAGENT, text_of(settings, "agent"));
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, request.error);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_body);
	curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, seek_body);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	return true;
}

/* The object stays: its texts are used. */
bool mp_push_request_init(const char *text)
{
	struct json_object *settings = json_tokener_parse(text);
	const char *format = settings ? text_of(settings, "format") : NULL;
	size_t i;

	if (!format || curl_global_init(CURL_GLOBAL_DEFAULT))
		return false;
	for (i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++)
		if (!strcmp(format, format_names[i]))
			request.format = (enum format)i;
	request.url = text_of(settings, "url");
	request.name = text_of(settings, "name");
	request.curl = curl_easy_init();
	return request.url && request.name && request.curl && set_options(settings);
}

/* Pyroscope wants to know what a profile is of; the others find it in the body. */
static bool set_url(const struct mp_push_job *job)
{
	char url[8192], *name;
	int len;

	if (request.format != PYROSCOPE)
		return !curl_easy_setopt(request.curl, CURLOPT_URL, request.url);
	name = curl_easy_escape(request.curl, request.name, 0);
	if (!name)
		return false;
	len = snprintf(url, sizeof(url), "%s%cname=%s&from=%" PRIu64 "&until=%" PRIu64
		       "&format=pprof&spyName=memprof", request.url,
		       strchr(request.url, '?') ? '&' : '?', name, job->from_s, job->until_s);
	curl_free(name);
	return len < (int)sizeof(url) && !curl_easy_setopt(request.curl, CURLOPT_URL, url);
}

static void explain(struct mp_push_outcome *outcome, enum mp_push_result result,
		    const char *what, long number)
{
	outcome->result = result;
	snprintf(outcome->text, sizeof(outcome->text), "%s %ld%s%.180s", what, number,
		 request.got ? ": " : "", request.answer);
}

/* Deadline exceeded, resource exhausted, aborted, unavailable: these pass. */
static bool passes(int grpc_status)
{
	return grpc_status == 4 || grpc_status == 8 || grpc_status == 10 || grpc_status == 14;
}

/*
 * A collector may take a part. In its answer, field 1 is then a message whose field 1 is the
 * number of profiles that it did not take.
 */
static bool is_partial(void)
{
	return request.format == OTLP && request.got > 3 && request.answer[0] == 0x0a &&
	       request.answer[2] == 0x08;
}

static void judge_status(struct mp_push_outcome *outcome, long status)
{
	if (status == 408 || status == 429 || status >= 500)
		explain(outcome, MP_PUSH_DELAYED, "HTTP status", status);
	else if (status < 200 || status >= 300)
		explain(outcome, MP_PUSH_REFUSED, "HTTP status", status);
	else if (is_partial())
		explain(outcome, MP_PUSH_REFUSED, "a part, with HTTP status", status);
	if (outcome->result != MP_PUSH_SENT || request.format != PARCA)
		return;
	find_grpc_status(request.answer, request.got);
	if (request.grpc_status)
		explain(outcome, passes(request.grpc_status) ? MP_PUSH_DELAYED :
			MP_PUSH_REFUSED, "gRPC status", request.grpc_status);
}

static void judge(struct mp_push_outcome *outcome)
{
	curl_off_t retry_after = 0;
	long status = 0;

	curl_easy_getinfo(request.curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(request.curl, CURLINFO_RETRY_AFTER, &retry_after);
	if (retry_after > 0)
		outcome->retry_after_s = (uint64_t)retry_after;
	judge_status(outcome, status);
}

void mp_push_request_send(const struct mp_push_job *job, int file,
			  struct mp_push_outcome *outcome)
{
	CURLcode code = CURLE_OUT_OF_MEMORY;

	*outcome = (struct mp_push_outcome){ .result = MP_PUSH_SENT };
	request.file = file;
	request.at = 0;
	request.got = 0;
	request.grpc_status = -1;
	request.error[0] = '\0';
	memset(request.answer, 0, sizeof(request.answer));
	if (set_url(job) && !curl_easy_setopt(request.curl, CURLOPT_POSTFIELDSIZE_LARGE,
					      (curl_off_t)job->bytes))
		code = curl_easy_perform(request.curl);
	if (!code) {
		judge(outcome);
		return;
	}
	outcome->result = MP_PUSH_DELAYED;
	snprintf(outcome->text, sizeof(outcome->text), "%s",
		 request.error[0] ? request.error : curl_easy_strerror(code));
}
