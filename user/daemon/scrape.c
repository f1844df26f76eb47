// SPDX-License-Identifier: GPL-2.0-only
/*
 * scrape: opens the socket, starts the process, and sends it the texts
 *
 * The texts are files in memory, which are handed over as descriptors: a text of
 * megabytes costs one copy for each interval, and none for each client.
 */
#include "scrape.h"
#include "number.h"
#include "scrape-server.h"
#include "send-files.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_un path;
	struct sockaddr_in ip4;
	struct sockaddr_in6 ip6;
};

static bool parse_path(const char *text, union address *to, socklen_t *size)
{
	if (strlen(text) >= sizeof(to->path.sun_path))
		return false;
	to->path.sun_family = AF_UNIX;
	strcpy(to->path.sun_path, text);
	*size = sizeof(to->path);
	return true;
}

/* Reads HOST:PORT, where an address of IPv6 is in brackets. */
static bool parse_ip(const char *text, union address *to, socklen_t *size)
{
	const char *colon = strrchr(text, ':');
	char host[64];
	uint64_t port;

	if (!colon || (size_t)(colon - text) >= sizeof(host) ||
	    !mp_command_number(colon + 1, 1, 65535, &port))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	if (!strcmp(host, "[::1]")) {
		to->ip6.sin6_family = AF_INET6;
		to->ip6.sin6_port = htons((uint16_t)port);
		to->ip6.sin6_addr = in6addr_loopback;
		*size = sizeof(to->ip6);
		return true;
	}
	to->ip4.sin_family = AF_INET;
	to->ip4.sin_port = htons((uint16_t)port);
	*size = sizeof(to->ip4);
	return inet_pton(AF_INET, strcmp(host, "localhost") ? host : "127.0.0.1",
			 &to->ip4.sin_addr) == 1 &&
	       ntohl(to->ip4.sin_addr.s_addr) >> 24 == 127;
}

static bool parse(const char *text, union address *to, socklen_t *size)
{
	memset(to, 0, sizeof(*to));
	return *text == '/' ? parse_path(text, to, size) : parse_ip(text, to, size);
}

bool mp_scrape_is_near(const char *text)
{
	union address address;
	socklen_t size;

	return strlen(text) < sizeof(((struct mp_scrape *)NULL)->address) &&
	       parse(text, &address, &size);
}

/* Removes the socket of a process that was killed: nobody answers there. */
static void remove_left_over(const union address *address, socklen_t size)
{
	struct stat st;
	int fd;

	if (address->any.sa_family != AF_UNIX || lstat(address->path.sun_path, &st) ||
	    !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, &address->any, size) && errno == ECONNREFUSED)
		unlink(address->path.sun_path);
	close(fd);
}

static int open_socket(const char *text)
{
	union address address;
	const int yes = 1;
	socklen_t size;
	mode_t before;
	int fd, err;

	if (!parse(text, &address, &size))
		return -EINVAL;
	remove_left_over(&address, size);
	fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (address.any.sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	before = umask(0177);
	err = bind(fd, &address.any, size) || listen(fd, 128) ? -errno : 0;
	umask(before);
	if (err)
		close(fd);
	return err ?: fd;
}

/* Starts the process. */
static int spawn(struct mp_scrape *scrape)
{
	int ends[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid)
		mp_scrape_serve(scrape->listen, ends[1]);
	err = pid < 0 ? -errno : 0;
	close(ends[1]);
	if (err)
		close(ends[0]);
	else
		scrape->control = ends[0];
	scrape->pid = pid;
	return err;
}

/* Ends the process, and waits: it has the socket, and until it ends nobody else can listen. */
static void end_process(struct mp_scrape *scrape)
{
	if (scrape->control < 0)
		return;
	close(scrape->control);
	scrape->control = -1;
	if (!kill(scrape->pid, SIGKILL))
		waitpid(scrape->pid, NULL, 0);
}

/* The socket has mode 0600 until then, so nobody else was let in. */
static int let_in(const char *path, gid_t group)
{
	return lchown(path, (uid_t)-1, group) || chmod(path, 0660) ? -errno : 0;
}

int mp_scrape_open(struct mp_scrape *scrape, const char *address, gid_t group,
		   struct mp_diag *diag)
{
	int err;

	scrape->control = -1;
	snprintf(scrape->address, sizeof(scrape->address), "%s", address);
	scrape->listen = open_socket(address);
	if (scrape->listen < 0) {
		err = scrape->listen;
		scrape->listen = -1;
		return mp_diag_fail(diag, err, err == -EADDRINUSE ?
				    "another program listens there" : NULL,
				    "cannot listen on %s", address);
	}
	err = group == (gid_t)-1 || *address != '/' ? 0 : let_in(address, group);
	if (err) {
		mp_scrape_close(scrape);
		return mp_diag_fail(diag, err, NULL, "cannot let a group use %s", address);
	}
	err = spawn(scrape);
	if (err)
		mp_scrape_close(scrape);
	return err ? mp_diag_fail(diag, err, NULL, "cannot start the process that listens on %s",
				  address) : 0;
}

static int text_file(const struct mp_scrape_text *text)
{
	int fd = memfd_create("metrics", MFD_CLOEXEC), err;
	size_t done = 0;
	ssize_t nr;

	while (fd >= 0 && done < text->size) {
		nr = write(fd, text->data + done, text->size - done);
		if (nr < 0) {
			err = -errno;
			close(fd);
			return err;
		}
		done += (size_t)nr;
	}
	return fd < 0 ? -errno : fd;
}

static int send_files(int control, const int *files)
{
	const char byte = 0;

	return mp_send_files(control, &byte, 1, files, MP_SCRAPE_NR_FORMS);
}

static int send_again(struct mp_scrape *scrape, const int *files)
{
	int err;

	end_process(scrape);
	err = spawn(scrape);
	return err ?: send_files(scrape->control, files);
}

int mp_scrape_set(struct mp_scrape *scrape, const struct mp_scrape_text *texts)
{
	int files[MP_SCRAPE_NR_FORMS], i, err = 0;

	for (i = 0; i < MP_SCRAPE_NR_FORMS && !err; i++) {
		files[i] = text_file(&texts[i]);
		err = files[i] < 0 ? files[i] : 0;
	}
	if (!err) {
		err = scrape->control < 0 ? -EPIPE : send_files(scrape->control, files);
		if (err == -EPIPE || err == -ECONNRESET)
			err = send_again(scrape, files);
	}
	while (i--)
		if (files[i] >= 0)
			close(files[i]);
	return err;
}

void mp_scrape_close(struct mp_scrape *scrape)
{
	end_process(scrape);
	if (scrape->listen >= 0) {
		if (scrape->address[0] == '/')
			unlink(scrape->address);
		close(scrape->listen);
	}
	scrape->listen = scrape->control = -1;
}
