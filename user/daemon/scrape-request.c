// SPDX-License-Identifier: GPL-2.0-only
/*
 * scrape-request: the first line of a request, and one header of it
 *
 * The text is a stranger's. Nothing of it is kept, and nothing is allocated.
 */
#include "scrape-request.h"

#include <string.h>
#include <strings.h>

#define PATH		"/metrics"
#define OPENMETRICS	"application/openmetrics-text"

/* Whether a line of @len bytes begins with a word. */
static bool begins(const char *line, size_t len, const char *word)
{
	return len >= strlen(word) && !memcmp(line, word, strlen(word));
}

/* Reads "GET /metrics HTTP/1.1". */
static int read_first(const char *line, size_t len, struct mp_scrape_request *request)
{
	const char *path, *end;

	request->head = begins(line, len, "HEAD ");
	path = memchr(line, ' ', len);
	if (!path)
		return 400;
	path++;
	len -= (size_t)(path - line);
	end = memchr(path, ' ', len);
	if (!end || !begins(end + 1, len - (size_t)(end + 1 - path), "HTTP/1."))
		return 400;
	if (!request->head && !begins(line, (size_t)(path - line), "GET "))
		return 405;
	len = (size_t)(end - path);
	/* with a query or without */
	return begins(path, len, PATH) && (len == strlen(PATH) || path[strlen(PATH)] == '?') ?
	       200 : 404;
}

static void read_header(const char *line, size_t len, struct mp_scrape_request *request)
{
	static const char accept[] = "accept:";

	if (len < strlen(accept) || strncasecmp(line, accept, strlen(accept)))
		return;
	if (memmem(line, len, OPENMETRICS, strlen(OPENMETRICS)))
		request->openmetrics = true;
}

int mp_scrape_request_read(const char *text, size_t len, struct mp_scrape_request *request)
{
	const char *end = memmem(text, len, "\r\n\r\n", 4), *line = text, *next;
	int status = 0;

	*request = (struct mp_scrape_request){ 0 };
	/* a byte that no request has; and whoever speaks another protocol need not wait */
	if (memchr(text, '\0', len) || (len && (*text < 'A' || *text > 'Z')))
		return 400;
	if (!end)
		return len >= MP_SCRAPE_MAX_REQUEST ? 431 : 0;
	for (; line < end + 2; line = next + 2) {
		next = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
		if (line == text)
			status = read_first(line, (size_t)(next - line), request);
		else
			read_header(line, (size_t)(next - line), request);
	}
	return status;
}
