/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * server: the collector's side of the control socket
 *
 * It handles clients, timeouts and buffers. The handler interprets the
 * requests.
 */
#ifndef MP_SERVER_H
#define MP_SERVER_H

#include "control.h"
#include "profile.h"

/* Limit of clients at a time; others wait in the socket's backlog. */
#define MP_SERVER_MAX_CLIENTS	8

/**
 * struct mp_reply - the result of a handler
 * @profile: freed by the server
 * @rows: send its rows and the summary
 * @status: send its meta data as a status
 * @err: the request failed: a positive errno
 * @action: the action that failed, for users; a constant text
 * @quit: the server must return after this answer was sent
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
 * struct mp_client - a connection; the server reads its request or sends the
 * answer
 * @fd: 0 means a free slot (0 is /dev/null in a collector)
 * @request: the received part of the request
 * @answering: the request is complete
 * @next_line: next line of the answer
 * @closing: the last line is in @out
 * @out: bytes to send, freed with free()
 * @idle_ms: time at which it is dropped unless it makes progress
 * @end_ms: time at which it is dropped in any case
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
 * @stop_fd: the server returns when it is readable; -1: none
 * @watch_fd: @watch is called when it is readable; -1: none
 * @watch_ms: least time between two calls of @watch
 * @watched_ms: when it was called last
 * @idle_ms: time limit for a client that neither sends nor receives
 * @total_ms: time limit for a client in total
 * @handle: fills an answer for a request; the answer is all zero before
 * @watch: does work other than requests
 * @context: for @handle and @watch
 * @clients: used only by the server
 */
struct mp_server {
	int listen_fd;
	int stop_fd;
	int watch_fd;
	int watch_ms;
	int64_t watched_ms;
	int idle_ms;
	int total_ms;
	void (*handle)(void *context, const char *verb,
		       struct mp_reply *reply);
	void (*watch)(void *context);
	void *context;
	struct mp_client clients[MP_SERVER_MAX_CLIENTS];
};

/**
 * mp_server_run - serve until stop_fd is readable or a handler sets @quit
 *
 * The client whose answer had @quit stays connected. mp_server_close() closes
 * its connection, which tells the client that the session has ended.
 *
 * Return: 0, or a negative errno if the socket fails.
 */
int mp_server_run(struct mp_server *server);

/** mp_server_close - close the connections of all clients */
void mp_server_close(struct mp_server *server);

#endif
