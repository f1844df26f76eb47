/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server: the collector's end of the control socket
 *
 * Knows clients, time-outs and buffers, and nothing of sessions: what a request
 * means is the handler's business.
 */
#ifndef MP_SERVER_H
#define MP_SERVER_H

#include "control.h"
#include "profile.h"

/* At once; more wait in the socket's backlog until one is served or dropped. */
#define MP_SERVER_MAX_CLIENTS	8

/**
 * struct mp_reply - what a handler returns
 * @profile: freed by the server
 * @rows: send its rows and the summary
 * @status: send its meta data as a status
 * @err: the request failed: a positive errno
 * @action: what failed, for people; constant
 * @quit: the server is to return once this answer is out
 */
struct mp_reply {
	struct mp_profile profile;
	bool rows;
	bool status;
	int err;
	const char *action;
	bool quit;
};

/**
 * struct mp_client - one connection: reading its request, or being answered
 * @fd: 0 marks a free slot (0 is /dev/null in a collector)
 * @request: what came so far
 * @answering: the request is complete
 * @next_line: of the answer
 * @closing: the last line is in @out
 * @out: bytes to send, freed with free()
 * @idle_ms: when it is dropped unless it makes progress
 * @end_ms: when it is dropped in any case
 */
struct mp_client {
	int fd;
	char request[MP_CONTROL_MAX_REQUEST];
	size_t request_len;
	bool answering;
	struct mp_reply reply;
	size_t next_line;
	bool closing;
	char *out;
	size_t out_len;
	size_t out_at;
	int64_t idle_ms;
	int64_t end_ms;
};

/**
 * struct mp_server - one listening socket
 * @listen_fd: non-blocking
 * @stop_fd: the server returns when it can be read; -1 for none
 * @watch_fd: @watch is called when it can be read; -1 for none
 * @idle_ms: patience with a client that neither sends nor takes anything
 * @total_ms: patience with a client in all
 * @handle: fills an answer, all zero before, for a request
 * @watch: other work than requests
 * @context: for @handle and @watch
 * @clients: the server's own
 */
struct mp_server {
	int listen_fd;
	int stop_fd;
	int watch_fd;
	int idle_ms;
	int total_ms;
	void (*handle)(void *context, const char *verb,
		       struct mp_reply *reply);
	void (*watch)(void *context);
	void *context;
	struct mp_client clients[MP_SERVER_MAX_CLIENTS];
};

/**
 * mp_server_run - serve until stop_fd can be read, or an answer asks to quit
 *
 * The client that got this answer stays connected, so that it sees the end when
 * mp_server_close() closes its connection.
 *
 * Return: 0, or a negative errno where the socket fails.
 */
int mp_server_run(struct mp_server *server);

/** mp_server_close - drop all clients */
void mp_server_close(struct mp_server *server);

#endif
