// SPDX-License-Identifier: GPL-2.0-only
/*
 * control: makes paths, lock and socket, and sends the client's requests
 *
 * The client keeps one line of at most MP_JSON_MAX_LINE bytes, and the profile
 * that it reads. It checks all data it receives, and gives up if the collector
 * sends nothing for a time. The collector's side is server.c.
 */
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define BACKLOG	8

/*
 * Limit of rows in an answer, in case the collector is faulty: twice as many as a
 * session can have.
 */
#define MAX_ROWS	(2 * (MEMPROF_MAX_PROCESSES + MEMPROF_MAX_CGROUPS +	\
			      MEMPROF_MAX_SITES))

int mp_control_init(struct mp_control *control)
{
	const char *dir = getenv(MP_CONTROL_DIR_ENV);
	size_t size = sizeof(control->socket.sun_path);

	if (!dir || !dir[0])
		dir = MP_CONTROL_DIR;
	if (dir[0] != '/')
		return -EINVAL;
	if (strlen(dir) + sizeof("/control") > size)
		return -ENAMETOOLONG;
	snprintf(control->dir, sizeof(control->dir), "%s", dir);
	snprintf(control->lock, sizeof(control->lock), "%s/lock", dir);
	control->socket.sun_family = AF_UNIX;
	snprintf(control->socket.sun_path, size, "%s/control", dir);
	return 0;
}

/* Only we may write the folder: another user could replace the socket. */
static int make_dir(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(dir, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return -EPERM;
	return 0;
}

int mp_control_lock(const struct mp_control *control)
{
	int err = make_dir(control->dir);
	int fd;

	if (err)
		return err;
	fd = open(control->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int mp_control_listen(const struct mp_control *control)
{
	const struct sockaddr *address;
	mode_t mask;
	int fd, err;

	address = (const struct sockaddr *)&control->socket;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (unlink(control->socket.sun_path) && errno != ENOENT) {
		err = -errno;
		close(fd);
		return err;
	}
	mask = umask(0177);
	err = bind(fd, address, sizeof(control->socket)) ? -errno : 0;
	umask(mask);
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

void mp_control_serve(int fd)
{
	listen(fd, BACKLOG);
}

int mp_control_connect(const struct mp_control *control, int timeout_ms)
{
	const struct timeval timeout = {
		.tv_sec = timeout_ms / 1000,
		.tv_usec = timeout_ms % 1000 * 1000,
	};
	const struct sockaddr *address;
	int fd, err;

	address = (const struct sockaddr *)&control->socket;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* the timeout is also for connect(), which waits if the backlog is full */
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, address, sizeof(control->socket))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int send_request(int fd, const char *verb)
{
	char request[MP_CONTROL_MAX_REQUEST];
	int len = snprintf(request, sizeof(request), "%s\n", verb);
	ssize_t sent;

	if (len >= (int)sizeof(request))
		return -E2BIG;
	sent = send(fd, request, len, MSG_NOSIGNAL);
	if (sent < 0)
		return -errno;
	return sent == len ? 0 : -ECONNRESET;
}

/* Parses the complete lines in @buf, and moves the rest to its start. */
static int read_lines(struct mp_profile *profile, char *buf, size_t *len,
		      struct mp_json_line *line, struct mp_json_line *error)
{
	char *start = buf, *end;
	int err;

	while ((end = memchr(start, '\n', *len))) {
		err = mp_json_read(profile, start, end - start, line);
		if (err)
			return err;
		if (line->type == MP_JSON_ERROR)
			*error = *line;
		if (line->type == MP_JSON_END)
			return 0;
		*len -= end + 1 - start;
		start = end + 1;
	}
	memmove(buf, start, *len);
	return *len == MP_JSON_MAX_LINE ? -EBADMSG : 0;
}

static int read_answer(int fd, struct mp_profile *profile, char *buf,
		       struct mp_json_line *error)
{
	struct mp_json_line line;
	size_t len = 0;
	ssize_t got;
	int err;

	do {
		got = recv(fd, buf + len, MP_JSON_MAX_LINE - len, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ECONNRESET;
		len += got;
		line.type = MP_JSON_UNKNOWN;
		err = read_lines(profile, buf, &len, &line, error);
		if (err)
			return err;
		if (profile->nr_rows > MAX_ROWS)
			return -EBADMSG;
	} while (got < 0 || line.type != MP_JSON_END);
	return error->type == MP_JSON_ERROR ? -EREMOTEIO : 0;
}

int mp_control_ask(int fd, const char *verb, struct mp_profile *profile,
		   struct mp_json_line *line)
{
	char *buf;
	int err = send_request(fd, verb);

	*line = (struct mp_json_line){ .type = MP_JSON_UNKNOWN };
	if (err)
		return err;
	buf = malloc(MP_JSON_MAX_LINE);
	if (!buf)
		return -ENOMEM;
	err = read_answer(fd, profile, buf, line);
	free(buf);
	return err;
}

int mp_control_drain(int fd)
{
	char rest[256];
	ssize_t got;

	do {
		got = recv(fd, rest, sizeof(rest), 0);
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 && errno != ECONNRESET ? -errno : 0;
}
