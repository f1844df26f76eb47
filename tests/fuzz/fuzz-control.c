// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-control: any bytes as what a client asks, or as what a collector answers
 */
#include "control.h"
#include "input.h"
#include "server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS	10000

static void make_pair(int *ends)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		abort();
}

/* What the client of a run still sends, in pieces. */
struct client {
	struct mp_server *server;
	struct input left;
	size_t piece;
	int fd;
	int stop;
};

static void answer(void *context, const char *verb, struct mp_reply *reply)
{
	const struct mp_row row = { .kind = MP_ROW_PROCESS, .pid = 7 };

	(void)context;
	reply->rows = !strcmp(verb, "report");
	reply->status = !strcmp(verb, "status") || reply->rows;
	reply->quit = !strcmp(verb, "stop");
	reply->err = reply->status || reply->quit ? 0 : EINVAL;
	reply->action = "cannot";
	if (reply->rows)
		mp_profile_add(&reply->profile, &row);
}

/* Called between two rounds of the server: sends a piece, or hangs up. */
static void send_piece(void *context)
{
	struct client *client = context;
	size_t size = client->left.size < client->piece ? client->left.size :
							  client->piece;
	char rest[4096];

	while (recv(client->fd, rest, sizeof(rest), 0) > 0)
		;
	if (!client->server->clients[0].fd)
		eventfd_write(client->stop, 1);
	else if (size)
		send(client->fd, client->left.data, size, MSG_NOSIGNAL);
	else
		shutdown(client->fd, SHUT_WR);
	client->left.data += size;
	client->left.size -= size;
}

static void serve(const struct input *input, size_t piece)
{
	static int always = -1, stop = -1;
	struct mp_server server = {
		.listen_fd = -1, .handle = answer, .watch = send_piece,
		.idle_ms = PATIENCE_MS, .total_ms = PATIENCE_MS,
	};
	struct client client = { &server, *input, piece, -1, -1 };
	eventfd_t value;
	int ends[2];

	if (always < 0) {
		always = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
		stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	make_pair(ends);
	client.fd = ends[1];
	client.stop = server.stop_fd = stop;
	server.watch_fd = always;
	server.context = &client;
	server.clients[0] = (struct mp_client){
		.fd = ends[0], .idle_ms = INT64_MAX / 2, .end_ms = INT64_MAX / 2,
	};
	mp_server_run(&server);
	mp_server_close(&server);
	eventfd_read(stop, &value);
	close(ends[1]);
}

static void ask(const struct input *input)
{
	struct mp_profile profile = { 0 };
	struct mp_json_line line;
	int ends[2];

	make_pair(ends);
	if (input->size)
		send(ends[1], input->data, input->size, MSG_NOSIGNAL);
	shutdown(ends[1], SHUT_WR);
	mp_control_ask(ends[0], "report", &profile, &line);
	mp_control_drain(ends[0]);
	mp_profile_free(&profile);
	close(ends[0]);
	close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint8_t piece = input_byte(&input);

	if (piece)
		serve(&input, piece);
	else
		ask(&input);
	return 0;
}
