/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scrape-request: reads what an HTTP client of the agent asks for
 */
#ifndef MP_SCRAPE_REQUEST_H
#define MP_SCRAPE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

/* Limit of a request in bytes, with all headers. Prometheus sends some 300. */
#define MP_SCRAPE_MAX_REQUEST	8192

/**
 * struct mp_scrape_request - a request
 * @head: only the headers of the answer are wanted
 * @openmetrics: the client reads OpenMetrics 1.0
 */
struct mp_scrape_request {
	bool head;
	bool openmetrics;
};

/**
 * mp_scrape_request_read - read a request, as far as it was received
 * @text: @len bytes; anything
 * @request: out, if 200 is returned
 *
 * Return: 0 if more has to be received; 200, or the status of HTTP that says why the
 * request is refused.
 */
int mp_scrape_request_read(const char *text, size_t len, struct mp_scrape_request *request);

#endif
