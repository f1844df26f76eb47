// SPDX-License-Identifier: GPL-2.0-only
/*
 * server: serves clients with one thread and poll()
 *
 * Clients are untrusted. A client may send MP_CONTROL_MAX_REQUEST bytes, must
 * make progress within idle_ms and finish within total_ms. Connections of users
 * other than root and our user are closed at once. A client takes memory for
 * the profile of its answer and CHUNK bytes of text. A client that fails is
 * dropped, and the others continue.
 */
#include "server.h"
#include "clock.h"
#include "json.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK		(64 * 1024)
#define MANY_ROWS	1000

/* The memory of many rows is given back: a session runs for months between two reports. */
static void drop(struct mp_client *client)
{
	const bool many = client->reply.profile.nr_rows > MANY_ROWS;

	if (client->fd)
		close(client->fd);
	free(client->out);
	mp_profile_free(&client->reply.profile);
	*client = (struct mp_client){ 0 };
	if (many)
		malloc_trim(0);
}

static bool may_ask(int fd)
{
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) &&
	       (peer.uid == 0 || peer.uid == geteuid());
}

static struct mp_client *free_slot(struct mp_server *server)
{
	int i;

	for (i = 0; i < MP_SERVER_MAX_CLIENTS; i++)
		if (!server->clients[i].fd)
			return &server->clients[i];
	return NULL;
}

static void accept_client(struct mp_server *server)
{
	struct mp_client *client = free_slot(server);
	int fd;

	fd = accept4(server->listen_fd, NULL, NULL,
		     SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0) {
		/*
		 * out of files or memory: pause, because poll() would return at
		 * once again
		 */
		if (errno != EAGAIN && errno != ECONNABORTED)
			poll(NULL, 0, 100);
		return;
	}
	if (!client || !may_ask(fd)) {
		close(fd);
		return;
	}
	*client = (struct mp_client){
		.fd = fd,
		.idle_ms = mp_clock_ms() + server->idle_ms,
		.end_ms = mp_clock_ms() + server->total_ms,
	};
}

/* Writes the next lines of the answer to @out. Returns false without memory. */
static bool fill(struct mp_client *client)
{
	struct mp_reply *reply = &client->reply;
	const struct mp_profile *profile = &reply->profile;
	size_t nr = mp_json_nr_lines(profile);
	FILE *file;

	free(client->out);
	client->out = NULL;
	client->out_at = client->out_len = 0;
	file = open_memstream(&client->out, &client->out_len);
	if (!file)
		return false;
	while (reply->rows && client->next_line < nr && ftell(file) < CHUNK)
		mp_json_line(file, profile, client->next_line++);
	if (!reply->rows || client->next_line == nr) {
		if (reply->rows)
			mp_json_summary(file, profile, MP_ROW_PROCESS, 0);
		if (reply->status)
			mp_json_status(file, &profile->meta);
		if (reply->err)
			mp_json_error(file, reply->err, reply->action);
		mp_json_end(file);
		client->closing = true;
	}
	return !fclose(file);
}

/*
 * While we worked on a request or on events, no client could make progress: that time
 * counts for none of them.
 */
static void prolong(struct mp_server *server, int64_t began_ms)
{
	int64_t spent = mp_clock_ms() - began_ms;
	int i;

	for (i = 0; i < MP_SERVER_MAX_CLIENTS; i++) {
		server->clients[i].idle_ms += spent;
		server->clients[i].end_ms += spent;
	}
}

/* Reads the request. Returns false if the client must be dropped. */
static bool receive(struct mp_server *server, struct mp_client *client)
{
	size_t room = sizeof(client->request) - client->request_len;
	int64_t began_ms;
	ssize_t got;
	char *end;

	got = recv(client->fd, client->request + client->request_len, room, 0);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!got)
		return false;
	client->request_len += got;
	client->idle_ms = mp_clock_ms() + server->idle_ms;
	end = memchr(client->request, '\n', client->request_len);
	if (!end)
		return client->request_len < sizeof(client->request);
	*end = '\0';
	client->answering = true;
	began_ms = mp_clock_ms();
	server->handle(server->context, client->request, &client->reply);
	prolong(server, began_ms);
	return fill(client);
}

/* Sends a part of the answer. Returns false if it is complete or the client failed. */
static bool transmit(struct mp_server *server, struct mp_client *client)
{
	ssize_t sent;

	sent = send(client->fd, client->out + client->out_at,
		    client->out_len - client->out_at, MSG_NOSIGNAL);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR;
	client->out_at += sent;
	client->idle_ms = mp_clock_ms() + server->idle_ms;
	if (client->out_at < client->out_len)
		return true;
	return !client->closing && fill(client);
}

/* Serves one client. Returns true if the server must end. */
static bool serve(struct mp_server *server, struct mp_client *client,
		  short events)
{
	int64_t now = mp_clock_ms();
	bool alive = now < client->idle_ms && now < client->end_ms;
	bool quit;

	if (alive && events && client->answering)
		alive = transmit(server, client);
	else if (alive && events)
		alive = receive(server, client);
	if (alive)
		return false;
	quit = client->reply.quit;
	if (!quit)
		drop(client);
	return quit;
}

/*
 * Fills one element for each client, then the listening socket, stop_fd and
 * watch_fd. The listening socket is left out while all slots are used, because
 * poll() would return at once. Returns the timeout in milliseconds, or -1.
 */
static int prepare(struct mp_server *server, struct pollfd *polls)
{
	int64_t now = mp_clock_ms(), next = INT_MAX, end;
	struct mp_client *client;
	int i;

	for (i = 0; i < MP_SERVER_MAX_CLIENTS; i++) {
		client = &server->clients[i];
		polls[i].fd = client->fd ? client->fd : -1;
		polls[i].events = client->answering ? POLLOUT : POLLIN;
		end = client->idle_ms < client->end_ms ? client->idle_ms :
							 client->end_ms;
		if (client->fd && end - now < next)
			next = end > now ? end - now : 0;
	}
	polls[i].fd = free_slot(server) ? server->listen_fd : -1;
	polls[i].events = POLLIN;
	polls[i + 1].fd = server->stop_fd;
	polls[i + 1].events = POLLIN;
	end = server->watched_ms + server->watch_ms;
	polls[i + 2].fd = end > now ? -1 : server->watch_fd;
	polls[i + 2].events = POLLIN;
	if (end > now && end - now < next)
		next = end - now;
	return next == INT_MAX ? -1 : (int)next;
}

int mp_server_run(struct mp_server *server)
{
	struct pollfd polls[MP_SERVER_MAX_CLIENTS + 3];
	int i, nr, timeout;
	int64_t began_ms;

	for (;;) {
		timeout = prepare(server, polls);
		nr = poll(polls, MP_SERVER_MAX_CLIENTS + 3, timeout);
		if (nr < 0 && errno != EINTR)
			return -errno;
		if (nr < 0)
			continue;
		for (i = 0; i < MP_SERVER_MAX_CLIENTS; i++)
			if (polls[i].fd >= 0 &&
			    serve(server, &server->clients[i],
				  polls[i].revents))
				return 0;
		if (polls[i].fd >= 0 && polls[i].revents & POLLIN)
			accept_client(server);
		if (polls[i].fd >= 0 && polls[i].revents & ~POLLIN)
			return -EIO;
		if (polls[i + 1].fd >= 0 && polls[i + 1].revents)
			return 0;
		if (polls[i + 2].fd < 0 || !polls[i + 2].revents)
			continue;
		began_ms = mp_clock_ms();
		server->watched_ms = began_ms;
		server->watch(server->context);
		prolong(server, began_ms);
	}
}

void mp_server_close(struct mp_server *server)
{
	int i;

	for (i = 0; i < MP_SERVER_MAX_CLIENTS; i++)
		drop(&server->clients[i]);
}
