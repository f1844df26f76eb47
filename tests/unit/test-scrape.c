// SPDX-License-Identifier: GPL-2.0-only
/*
 * scrape: what the endpoint of the agent makes of addresses and of requests
 */
#include "scrape.h"
#include "scrape-request.h"
#include "kselftest_harness.h"

#include <stdlib.h>
#include <string.h>

static struct mp_scrape_request request;

static int read_text(const char *text)
{
	return mp_scrape_request_read(text, strlen(text), &request);
}

TEST(addresses_of_this_machine_are_near)
{
	EXPECT_TRUE(mp_scrape_is_near("127.0.0.1:9753"));
	EXPECT_TRUE(mp_scrape_is_near("127.1.2.3:1"));
	EXPECT_TRUE(mp_scrape_is_near("localhost:65535"));
	EXPECT_TRUE(mp_scrape_is_near("[::1]:9753"));
	EXPECT_TRUE(mp_scrape_is_near("/run/memprof/metrics"));
}

TEST(other_addresses_are_not)
{
	static const char * const texts[] = {
		"", ":9753", "0.0.0.0:9753", "128.0.0.1:9753", "[::]:9753", "[::1]", "::1:9",
		"127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.1:80",
		"localhost", "relative/socket", "127.0.0.1:80 ", "[::ffff:127.0.0.1]:80",
	};
	char path[300] = "/";
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_FALSE(mp_scrape_is_near(texts[i]))
			TH_LOG("%s", texts[i]);
	memset(path + 1, 'x', sizeof(path) - 2);
	path[sizeof(path) - 1] = '\0';
	EXPECT_FALSE(mp_scrape_is_near(path));
}

TEST(requests_are_read_to_their_end)
{
	static const char whole[] = "GET /metrics HTTP/1.1\r\nHost: x\r\n"
		"aCCept: text/plain;q=0.5,application/openmetrics-text;version=1.0.0\r\n\r\n";
	size_t len;

	for (len = 0; len < sizeof(whole) - 1; len++)
		EXPECT_EQ(0, mp_scrape_request_read(whole, len, &request));
	EXPECT_EQ(200, read_text(whole));
	EXPECT_TRUE(request.openmetrics);
	EXPECT_FALSE(request.head);
	EXPECT_EQ(200, read_text("HEAD /metrics?a=b HTTP/1.0\r\n\r\n"));
	EXPECT_TRUE(request.head);
	EXPECT_FALSE(request.openmetrics);
}

TEST(mistakes_have_a_status)
{
	char *text = malloc(MP_SCRAPE_MAX_REQUEST);

	memset(text, 'G', MP_SCRAPE_MAX_REQUEST);
	EXPECT_EQ(431, mp_scrape_request_read(text, MP_SCRAPE_MAX_REQUEST, &request));
	EXPECT_EQ(0, mp_scrape_request_read(text, MP_SCRAPE_MAX_REQUEST - 1, &request));
	free(text);
	EXPECT_EQ(404, read_text("GET / HTTP/1.1\r\n\r\n"));
	EXPECT_EQ(404, read_text("GET /metricsx HTTP/1.1\r\n\r\n"));
	EXPECT_EQ(404, read_text("GET /metric HTTP/1.1\r\n\r\n"));
	EXPECT_EQ(405, read_text("PUT /metrics HTTP/1.1\r\n\r\n"));
	EXPECT_EQ(400, read_text("GET /metrics\r\n\r\n"));
	EXPECT_EQ(400, read_text("GET /metrics SMTP/1.1\r\n\r\n"));
	EXPECT_EQ(400, read_text("GET\r\n\r\n"));
	EXPECT_EQ(400, read_text("\r\n\r\n"));
	EXPECT_EQ(400, mp_scrape_request_read("GET\0", 4, &request));
	EXPECT_EQ(400, read_text("\x16\x03\x01"));
}

TEST_HARNESS_MAIN
