/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control: how memprofctl talks to the collector
 *
 * A Unix stream socket. The client sends one word and a newline: status,
 * report, targets, reset or stop. The collector answers with lines of JSON
 * (json.h), the last of type "end", and closes. An "error" line in front of it
 * says that the request failed.
 *
 * A lock file tells whether there is a collector: it holds the lock for as long
 * as it lives, so a socket without a lock is a dead one's.
 */
#ifndef MP_CONTROL_H
#define MP_CONTROL_H

#include "json.h"
#include "profile.h"

#include <limits.h>
#include <sys/un.h>

#define MP_CONTROL_DIR		"/run/memprof"
#define MP_CONTROL_DIR_ENV	"MEMPROF_RUNDIR"

/* The longest request, newline included. */
#define MP_CONTROL_MAX_REQUEST	64

/**
 * struct mp_control - where a collector is reached
 * @dir: folder, mode 0700
 * @lock: lock file
 * @socket: address of the socket
 */
struct mp_control {
	char dir[PATH_MAX];
	char lock[PATH_MAX + 8];
	struct sockaddr_un socket;
};

/**
 * mp_control_init - work out the paths
 *
 * Source: MEMPROF_RUNDIR in the environment, else MP_CONTROL_DIR.
 *
 * Return: 0; -EINVAL where the folder is not absolute; -ENAMETOOLONG where it
 * does not fit the address of a socket.
 */
int mp_control_init(struct mp_control *control);

/**
 * mp_control_lock - become the only collector
 *
 * Makes the folder if it is missing.
 *
 * Return: a file descriptor that holds the lock; -EWOULDBLOCK where another
 * holds it; -EPERM where others may write the folder; another negative errno.
 */
int mp_control_lock(const struct mp_control *control);

/**
 * mp_control_listen - open the socket, in place of a dead collector's
 *
 * The caller holds the lock.
 *
 * Return: a file descriptor, or a negative errno.
 */
int mp_control_listen(const struct mp_control *control);

/**
 * mp_control_serve - make the calling process the one that clients see
 * @fd: of mp_control_listen(), which another process called
 *
 * The kernel tells clients who called listen() last (SO_PEERCRED).
 */
void mp_control_serve(int fd);

/**
 * mp_control_connect - reach the collector
 * @timeout_ms: for each later wait on the socket
 *
 * Return: a file descriptor; -ENOENT or -ECONNREFUSED where there is no
 * collector; another negative errno.
 */
int mp_control_connect(const struct mp_control *control, int timeout_ms);

/**
 * mp_control_ask - send a request and take in the whole answer
 * @fd: connected
 * @verb: the request
 * @profile: the content of the answer is added to it
 * @line: out; the collector's error if -EREMOTEIO is returned
 *
 * Return: 0; -EREMOTEIO where the collector said that the request failed;
 * -EBADMSG where it sent something else than an answer; -ECONNRESET where it
 * closed early; -EAGAIN where it did not answer in time; another negative errno.
 */
int mp_control_ask(int fd, const char *verb, struct mp_profile *profile,
		   struct mp_json_line *line);

/**
 * mp_control_drain - wait until the other end closes
 *
 * Return: 0, or a negative errno such as -EAGAIN.
 */
int mp_control_drain(int fd);

#endif
