/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control: the protocol between memprofctl and the collector
 *
 * It uses a Unix stream socket. The client sends one word and a newline: status, report,
 * stacks, targets, reset, halt or stop. A report with the ages of pages is requested by
 * "cold PID FD report" or "cold PID FD stacks": the client's process, and its open file with
 * the ages (mp_cold_write()). The collector answers with lines of JSON (json.h), the last of
 * type "end", and closes the connection. If the request failed, the line before "end" is of
 * type "error".
 *
 * A collector holds a lock on the lock file while it runs. If the file is not
 * locked, the socket is left over from a collector that was killed.
 */
#ifndef MP_CONTROL_H
#define MP_CONTROL_H

#include "json.h"
#include "profile.h"

#include <limits.h>
#include <sys/un.h>

#define MP_CONTROL_DIR		"/run/memprof"
#define MP_CONTROL_DIR_ENV	"MEMPROF_RUNDIR"

/* Limit of a request in bytes, including the newline. */
#define MP_CONTROL_MAX_REQUEST	64

/**
 * struct mp_control - paths of a collector
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
 * mp_control_init - set the paths
 *
 * The folder is MEMPROF_RUNDIR of the environment, else MP_CONTROL_DIR.
 *
 * Return: 0; -EINVAL if the folder's path is not absolute; -ENAMETOOLONG if it
 * is too long for the address of a socket.
 */
int mp_control_init(struct mp_control *control);

/**
 * mp_control_lock - take the lock that only one collector can have
 *
 * Makes the folder if it does not exist.
 *
 * Return: a file descriptor that holds the lock; -EWOULDBLOCK if another
 * process holds it; -EPERM if other users may write the folder; another
 * negative errno.
 */
int mp_control_lock(const struct mp_control *control);

/**
 * mp_control_listen - open the socket and replace an old one
 *
 * The caller must hold the lock.
 *
 * Return: a file descriptor, or a negative errno.
 */
int mp_control_listen(const struct mp_control *control);

/**
 * mp_control_serve - call listen() again in the process that serves the socket
 * @fd: from mp_control_listen(), which the parent called
 *
 * The kernel shows clients the process that called listen() last (SO_PEERCRED).
 */
void mp_control_serve(int fd);

/**
 * mp_control_connect - connect to the collector
 * @timeout_ms: time limit of each wait on the socket
 *
 * Return: a file descriptor; -ENOENT or -ECONNREFUSED if there is no collector;
 * another negative errno.
 */
int mp_control_connect(const struct mp_control *control, int timeout_ms);

/**
 * mp_control_ask - send a request and read the whole answer
 * @fd: connected socket
 * @verb: the request
 * @profile: the answer is added to it
 * @line: out; the collector's error if -EREMOTEIO is returned
 *
 * Return: 0; -EREMOTEIO if the collector reported an error; -EBADMSG if it sent
 * an invalid answer; -ECONNRESET if it closed the connection early; -EAGAIN if
 * it did not answer in time; another negative errno.
 */
int mp_control_ask(int fd, const char *verb, struct mp_profile *profile,
		   struct mp_json_line *line);

/**
 * mp_control_drain - wait until the collector closes the connection
 *
 * Return: 0, or a negative errno such as -EAGAIN.
 */
int mp_control_drain(int fd);

#endif
