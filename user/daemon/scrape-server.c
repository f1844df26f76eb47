// SPDX-License-Identifier: GPL-2.0-only
/*
 * scrape-server: serves clients of HTTP with one thread and poll()
 *
 * Clients are strangers: the process has no privileges, and nothing to hand out but the
 * texts. A client may send MP_SCRAPE_MAX_REQUEST bytes, must have sent its request within
 * REQUEST_MS and have read the answer within TOTAL_MS. If all places are taken, a new
 * client gets that of the one that has been there longest, and first of those that have
 * not asked yet: so who only opens connections cannot lock out the others. What was
 * refused is counted, and the counts are a part of each answer. A client costs the size
 * of its request, and as long as it reads keeps the text that it began with.
 */
#include "scrape-server.h"
#include "clock.h"
#include "nobody.h"
#include "scrape.h"
#include "scrape-request.h"
#include "title.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUEST_MS	5000
#define TOTAL_MS	10000

/* Files of the process; all others are closed. */
#define LISTEN		3
#define CONTROL		4

/* A text, and how many hold it: the clients that read it, and the server. */
struct text {
	char *data;
	size_t size;
	unsigned int nr_users;
};

enum drop {
	DROP_SLOW, DROP_LONG, DROP_INVALID, DROP_CROWD, DROP_GONE, NR_DROPS,
};

static const char * const drop_names[NR_DROPS] = {
	[DROP_SLOW] = "slow", [DROP_LONG] = "too_long", [DROP_INVALID] = "invalid",
	[DROP_CROWD] = "too_many", [DROP_GONE] = "closed_early",
};

struct client {
	int fd;				/* -1: a free place */
	int64_t since_ms;
	char request[MP_SCRAPE_MAX_REQUEST];
	size_t got;
	bool answering;
	char head[2048];		/* headers, and the server's own numbers */
	size_t head_size, sent;
	struct text *body;		/* NULL: the answer is @head */
};

static struct {
	struct text *texts[MP_SCRAPE_NR_FORMS];
	struct client clients[MP_SCRAPE_MAX_CLIENTS];
	uint64_t nr_scrapes;
	uint64_t nr_drops[NR_DROPS];
} server;

static void put_text(struct text *text)
{
	if (!text || --text->nr_users)
		return;
	munmap(text->data, text->size);
	free(text);
}

static void set_text(int form, int file)
{
	struct text *text = calloc(1, sizeof(*text));
	struct stat st;

	if (text && !fstat(file, &st) && st.st_size) {
		text->size = (size_t)st.st_size;
		text->data = mmap(NULL, text->size, PROT_READ, MAP_SHARED, file, 0);
	}
	close(file);
	if (!text || !text->data || text->data == MAP_FAILED) {
		free(text);
		return;
	}
	text->nr_users = 1;
	put_text(server.texts[form]);
	server.texts[form] = text;
}

/* Takes new texts. Returns false if the agent has ended. */
static bool receive_texts(void)
{
	char byte, space[CMSG_SPACE(MP_SCRAPE_NR_FORMS * sizeof(int))];
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = space, .msg_controllen = sizeof(space),
	};
	int files[MP_SCRAPE_NR_FORMS], i;
	struct cmsghdr *header;

	if (recvmsg(CONTROL, &message, MSG_CMSG_CLOEXEC) <= 0)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_len != CMSG_LEN(sizeof(files)))
		return true;
	memcpy(files, CMSG_DATA(header), sizeof(files));
	for (i = 0; i < MP_SCRAPE_NR_FORMS; i++)
		set_text(i, files[i]);
	return true;
}

static void drop(struct client *client)
{
	close(client->fd);
	put_text(client->body);
	client->body = NULL;
	client->fd = -1;
}

static void drop_counted(struct client *client, enum drop why)
{
	server.nr_drops[why]++;
	drop(client);
}

/* The place of a new client: a free one, or that of who has been there longest. */
static struct client *find_place(void)
{
	struct client *client, *oldest = NULL;

	for (client = server.clients; client < server.clients + MP_SCRAPE_MAX_CLIENTS; client++) {
		if (client->fd < 0)
			return client;
		if (!oldest || client->answering < oldest->answering ||
		    (client->answering == oldest->answering &&
		     client->since_ms < oldest->since_ms))
			oldest = client;
	}
	drop_counted(oldest, DROP_CROWD);
	return oldest;
}

static void accept_client(void)
{
	int fd = accept4(LISTEN, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client;

	if (fd < 0)
		return;
	client = find_place();
	client->fd = fd;
	client->since_ms = mp_clock_ms();
	client->got = client->sent = 0;
	client->answering = false;
}

static const char *reason(int status)
{
	switch (status) {
	case 200: return "OK";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 431: return "Request Header Fields Too Large";
	case 503: return "Service Unavailable";
	default: return "Bad Request";
	}
}

/* Writes the numbers of this process, which are a part of each answer. */
static size_t write_own(char *to, size_t size, bool openmetrics)
{
	const char *end = openmetrics ? "" : "_total";
	FILE *file = fmemopen(to, size, "w");
	size_t len;
	int i;

	if (!file)
		return 0;
	fprintf(file, "# TYPE memprof_agent_scrapes%s counter\n"
		"# HELP memprof_agent_scrapes%s answers to clients of the endpoint\n"
		"memprof_agent_scrapes_total %" PRIu64 "\n", end, end, server.nr_scrapes);
	fprintf(file, "# TYPE memprof_agent_refused_clients%s counter\n"
		"# HELP memprof_agent_refused_clients%s clients of the endpoint that got no answer\n",
		end, end);
	for (i = 0; i < NR_DROPS; i++)
		fprintf(file, "memprof_agent_refused_clients_total{reason=\"%s\"} %" PRIu64 "\n",
			drop_names[i], server.nr_drops[i]);
	len = (size_t)ftell(file);
	fclose(file);
	return len;
}

static void answer(struct client *client, int status,
		   const struct mp_scrape_request *request)
{
	static const char * const types[MP_SCRAPE_NR_FORMS] = {
		"text/plain; version=0.0.4; charset=utf-8",
		"application/openmetrics-text; version=1.0.0; charset=utf-8",
	};
	const int form = request->openmetrics ? MP_SCRAPE_OPENMETRICS : MP_SCRAPE_PLAIN;
	char own[1024] = "";
	size_t nr = 0;

	if (status == 200 && !server.texts[form])
		status = 503;
	if (status == 200) {
		client->body = server.texts[form];
		client->body->nr_users++;
		server.nr_scrapes++;
		nr = write_own(own, sizeof(own), request->openmetrics);
	} else {
		nr = (size_t)snprintf(own, sizeof(own), "%d %s: the numbers are at /metrics\n",
				      status, reason(status));
	}
	client->answering = true;
	client->head_size = (size_t)snprintf(client->head, sizeof(client->head),
		"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
		"X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%.*s",
		status, reason(status), status == 200 ? types[form] : "text/plain",
		nr + (client->body ? client->body->size : 0), request->head ? 0 : (int)nr, own);
	if (request->head) {
		put_text(client->body);
		client->body = NULL;
	}
}

static void transmit(struct client *client)
{
	const struct text *body = client->body;
	const size_t head = client->head_size, size = head + (body ? body->size : 0);
	const size_t at = client->sent > head ? client->sent - head : 0;
	struct iovec parts[2] = {
		{ client->head + (client->sent < head ? client->sent : head),
		  client->sent < head ? head - client->sent : 0 },
		{ body ? body->data + at : NULL, body ? body->size - at : 0 },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t nr = sendmsg(client->fd, &message, MSG_NOSIGNAL);

	if (nr < 0 && errno != EAGAIN && errno != EINTR) {
		drop_counted(client, DROP_GONE);
		return;
	}
	client->sent += nr > 0 ? (size_t)nr : 0;
	if (client->sent < size)
		return;
	/* what the client sent and nobody read would make the kernel discard the answer */
	shutdown(client->fd, SHUT_WR);
	while (recv(client->fd, client->request, sizeof(client->request), MSG_DONTWAIT) > 0)
		;
	drop(client);
}

static void receive(struct client *client)
{
	struct mp_scrape_request request;
	ssize_t nr = recv(client->fd, client->request + client->got,
			  sizeof(client->request) - client->got, 0);
	int status;

	if (nr < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (nr <= 0) {
		drop_counted(client, DROP_GONE);
		return;
	}
	client->got += (size_t)nr;
	status = mp_scrape_request_read(client->request, client->got, &request);
	if (!status)
		return;
	if (status != 200)
		server.nr_drops[status == 431 ? DROP_LONG : DROP_INVALID]++;
	answer(client, status, &request);
	transmit(client);
}

static int64_t end_of(const struct client *client)
{
	return client->since_ms + (client->answering ? TOTAL_MS : REQUEST_MS);
}

static void serve_client(struct client *client, short events)
{
	if (client->fd >= 0 && events && client->answering)
		transmit(client);
	else if (client->fd >= 0 && events)
		receive(client);
	if (client->fd >= 0 && mp_clock_ms() >= end_of(client))
		drop_counted(client, DROP_SLOW);
}

/* Keeps the two files at the numbers that the rest of this file uses. */
static void keep_files(int listen, int control)
{
	int a = fcntl(listen, F_DUPFD, CONTROL + 1), b = fcntl(control, F_DUPFD, CONTROL + 1);

	dup2(a, LISTEN);
	dup2(b, CONTROL);
	close_range(CONTROL + 1, ~0U, 0);
}

static void begin(int listen, int control)
{
	sigset_t none;
	int i;

	keep_files(listen, control);
	mp_nobody_become();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	mp_title_set("memprofctl: metrics");
	for (i = 0; i < MP_SCRAPE_MAX_CLIENTS; i++)
		server.clients[i].fd = -1;
}

void mp_scrape_serve(int listen, int control)
{
	struct pollfd polls[MP_SCRAPE_MAX_CLIENTS + 2];
	struct client *client;
	int64_t now, wait;
	int i;

	begin(listen, control);
	for (;;) {
		wait = -1;
		now = mp_clock_ms();
		for (i = 0; i < MP_SCRAPE_MAX_CLIENTS; i++) {
			client = &server.clients[i];
			polls[i].fd = client->fd;
			polls[i].events = client->answering ? POLLOUT : POLLIN;
			polls[i].revents = 0;
			if (client->fd >= 0 && (wait < 0 || end_of(client) - now < wait))
				wait = end_of(client) > now ? end_of(client) - now : 0;
		}
		polls[i] = (struct pollfd){ .fd = LISTEN, .events = POLLIN };
		polls[i + 1] = (struct pollfd){ .fd = CONTROL, .events = POLLIN };
		if (poll(polls, MP_SCRAPE_MAX_CLIENTS + 2, (int)wait) < 0 && errno != EINTR)
			_exit(1);
		for (i = 0; i < MP_SCRAPE_MAX_CLIENTS; i++)
			serve_client(&server.clients[i], polls[i].revents);
		if (polls[i].revents)
			accept_client();
		if (polls[i + 1].revents && !receive_texts())
			_exit(0);
	}
}
