/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * serving: starts processes that serve a control socket in a new folder
 *
 * The server is the collector's. It serves prepared data instead of the data of a
 * session.
 */
#ifndef MP_SERVING_H
#define MP_SERVING_H

#include "control.h"
#include "sample.h"
#include "server.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Timeout of clients in tests that do not test the timeout: the machine may be busy. */
#define SERVING_PATIENCE_MS	20000

/* Timeouts in tests of the timeout. */
#define SERVING_IDLE_MS		300
#define SERVING_TOTAL_MS	2000
#define SERVING_BIG		30000

struct serving {
	struct mp_control control;
	char dir[64];
	int listen;
	pid_t pid;
	int idle_ms;
	int total_ms;
	/* what the session watches, for "targets" */
	uint32_t target;
	uint64_t alloc_rate;
	/* how long each answer takes */
	int slow_ms;
};

static inline int serving_init(struct serving *serving)
{
	*serving = (struct serving){
		.listen = -1,
		.idle_ms = SERVING_PATIENCE_MS,
		.total_ms = SERVING_PATIENCE_MS,
	};
	strcpy(serving->dir, "/tmp/memprof-test-XXXXXX");
	if (!mkdtemp(serving->dir))
		return -errno;
	setenv(MP_CONTROL_DIR_ENV, serving->dir, 1);
	return mp_control_init(&serving->control);
}

static inline void serving_end(struct serving *serving)
{
	if (serving->pid > 0) {
		kill(serving->pid, SIGKILL);
		waitpid(serving->pid, NULL, 0);
	}
	if (serving->listen >= 0)
		close(serving->listen);
	unlink(serving->control.socket.sun_path);
	unlink(serving->control.lock);
	rmdir(serving->dir);
}

/* Answers requests like a collector whose session has the profile of sample.h. */
static inline void serving_handle(void *context, const char *verb,
				  struct mp_reply *reply)
{
	const struct serving *serving = context;
	struct mp_row row;
	uint32_t pid;

	usleep(serving->slow_ms * 1000);
	sample_profile(&reply->profile);
	reply->status = !strcmp(verb, "status") || !strcmp(verb, "reset");
	reply->rows = !strcmp(verb, "report") || !strcmp(verb, "stop");
	if (!strcmp(verb, "targets")) {
		mp_profile_free(&reply->profile);
		row = sample_process(serving->target, "", 0, 0, 0);
		reply->profile = (struct mp_profile){ 0 };
		sample_meta(&reply->profile.meta);
		reply->profile.meta.alloc.rate = serving->alloc_rate;
		reply->rows = !mp_profile_add(&reply->profile, &row);
	}
	reply->quit = !strcmp(verb, "stop");
	if (reply->quit)
		reply->profile.meta.status.stop_ns = 13300000000;
	if (!strcmp(verb, "big")) {
		for (pid = 1000; pid < 1000 + SERVING_BIG; pid++) {
			row = sample_process(pid, "big", 12, pid, pid);
			mp_profile_add(&reply->profile, &row);
		}
		reply->rows = true;
	}
	if (!reply->status && !reply->rows) {
		reply->err = EINVAL;
		reply->action = "unknown request";
	}
}

/* Opens the socket and forks. Returns 1 in the child, 0 in the parent, or -errno. */
static inline int serving_fork(struct serving *serving)
{
	serving->listen = mp_control_listen(&serving->control);
	if (serving->listen < 0)
		return serving->listen;
	serving->pid = fork();
	/* a test that fails may skip its teardown: do not outlive it */
	if (!serving->pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return serving->pid < 0 ? -errno : !serving->pid;
}

/* Forks a process that serves until it is killed or receives a stop request. */
static inline int serving_start(struct serving *serving)
{
	struct mp_server server = {
		.stop_fd = -1,
		.watch_fd = -1,
		.idle_ms = serving->idle_ms,
		.total_ms = serving->total_ms,
		.handle = serving_handle,
		.context = serving,
	};
	int child = serving_fork(serving);

	if (child <= 0)
		return child;
	server.listen_fd = serving->listen;
	if (mp_server_run(&server))
		_exit(1);
	unlink(serving->control.socket.sun_path);
	mp_server_close(&server);
	_exit(0);
}

/*
 * Forks a process that reads the request of one client, sends @text @times, and then closes
 * the socket.
 */
static inline int serving_hostile(struct serving *serving, const char *text,
				  size_t len, int times, int wait_ms)
{
	int child = serving_fork(serving), fd;
	char request[MP_CONTROL_MAX_REQUEST];

	if (child <= 0)
		return child;
	do {
		usleep(1000);
		fd = accept(serving->listen, NULL, NULL);
	} while (fd < 0);
	/* who has not sent its request yet would be told that nobody reads it */
	if (recv(fd, request, sizeof(request), 0) <= 0)
		_exit(1);
	while (times-- > 0 && send(fd, text, len, MSG_NOSIGNAL) > 0)
		;
	usleep(wait_ms * 1000);
	_exit(0);
}

#endif
