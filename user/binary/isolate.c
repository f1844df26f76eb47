// SPDX-License-Identifier: GPL-2.0-only
/*
 * isolate: runs each piece of work in a new child process
 *
 * A run costs a fork, a pipe and a system call filter: about a millisecond, and less if the
 * zygote forks. The child has limits of address space and CPU time, and is killed after a
 * time limit. It exits without running exit handlers. Of its rights, see confine.c.
 */
#include "isolate.h"
#include "clock.h"
#include "confine.h"
#include "write-all.h"
#include "zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limit for the exit of the child, after it closed the pipe or was killed. */
#define EXIT_MS		2000

static void prepare(const struct mp_isolate *isolate, int to)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	mp_confine(isolate, to);
	/* no library may use the network because of an untrusted file */
	unsetenv("DEBUGINFOD_URLS");
}

static bool send_result(const struct mp_isolate *isolate, int to)
{
	/* a child of the zygote does not have the caller's memory */
	void *result = isolate->context_size ? calloc(1, isolate->size) : isolate->result;

	if (!result)
		return false;
	isolate->work(isolate->context, result);
	return !mp_write_all(to, result, isolate->size);
}

static bool send_stream(const struct mp_isolate_stream *stream, int to)
{
	FILE *file = fdopen(to, "w");

	return file && stream->send(stream->isolate.context, file) && !fflush(file);
}

/* Runs in the child. */
static void run_child(const struct mp_isolate_stream *stream, int to)
{
	prepare(&stream->isolate, to);
	_exit(stream->send ? !send_stream(stream, to) : !send_result(&stream->isolate, to));
}

/* Returns the number of bytes, 0 at the end, or -ETIME or -EPIPE. */
static ssize_t read_some(int fd, void *data, size_t size, int64_t end_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int64_t left_ms;
	ssize_t got;

	do {
		left_ms = end_ms - mp_clock_ms();
		if (left_ms <= 0)
			return -ETIME;
	} while (poll(&wait, 1, (int)left_ms) <= 0);
	got = read(fd, data, size);
	return got < 0 ? -EPIPE : got;
}

/* Returns 0, -ETIME, or -EPIPE if the child closed the pipe too early. */
static int read_all(int fd, void *data, size_t size, int64_t end_ms)
{
	char *at = data, *end = at + size;
	ssize_t got;

	for (; at < end; at += got) {
		got = read_some(fd, at, end - at, end_ms);
		if (got <= 0)
			return got ? (int)got : -EPIPE;
	}
	return 0;
}

static bool grow(struct mp_isolate_answer *answer, size_t *room, size_t max)
{
	size_t size = *room ? *room * 2 : 65536;
	char *data;

	if (answer->size < *room)
		return true;
	if (*room >= max)
		return false;
	size = size < max ? size : max;
	data = realloc(answer->data, size);
	if (data) {
		answer->data = data;
		*room = size;
	}
	return data;
}

/*
 * Returns 0, -ETIME, -EPIPE, or -EFBIG. The result must be smaller than @max.
 */
static int read_stream(int fd, struct mp_isolate_answer *answer, size_t max,
		       int64_t end_ms)
{
	size_t room = 0;
	ssize_t got;

	do {
		if (!grow(answer, &room, max))
			return -EFBIG;
		got = read_some(fd, answer->data + answer->size,
				room - answer->size, end_ms);
		if (got > 0)
			answer->size += got;
	} while (got > 0);
	return (int)got;
}

/*
 * Returns the child's exit status. Returns -1 if the child does not exit in
 * time, because it is blocked in the kernel and no signal interrupts it. Then
 * this process stops waiting for the child.
 */
static int reap(pid_t pid)
{
	/* if pidfd_open() fails, waitpid() is tried each millisecond */
	struct pollfd exited = { .fd = pidfd_open(pid, 0), .events = POLLIN };
	int64_t end_ms = mp_clock_ms() + EXIT_MS;
	int status;
	pid_t got;

	do {
		poll(&exited, 1, 1);
		got = waitpid(pid, &status, WNOHANG);
	} while ((!got || (got < 0 && errno == EINTR)) && mp_clock_ms() < end_ms);
	if (exited.fd >= 0)
		close(exited.fd);
	return got == pid ? status : -1;
}

static bool is_done(int status, int seconds, char *why)
{
	if (status < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "the process that reads it does not exit");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "it takes more than %d s to read",
			 seconds ? seconds : MP_ISOLATE_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(why, MP_ISOLATE_WHY_SIZE,
			 "reading it failed (%s): corrupt, or changed meanwhile",
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, MP_ISOLATE_WHY_SIZE, "reading it failed");
	return status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static int patience_ms(const struct mp_isolate *isolate)
{
	return isolate->patience_ms ? isolate->patience_ms : MP_ISOLATE_PATIENCE_MS;
}

static int64_t end_ms(const struct mp_isolate *isolate)
{
	return mp_clock_ms() + patience_ms(isolate);
}

/*
 * Returns whether the child succeeded, from its status and the transfer's @err;
 * sets @why.
 */
static bool get_outcome(const struct mp_isolate *isolate, pid_t pid, int err, char *why)
{
	int ms = patience_ms(isolate);
	bool done;

	if (err == -ETIME || err == -EFBIG)
		kill(pid, SIGKILL);
	done = is_done(reap(pid), isolate->seconds, why);
	if (err == -ETIME)
		snprintf(why, MP_ISOLATE_WHY_SIZE,
			 "it was not read within %d.%d s",
			 ms / 1000, ms % 1000 / 100);
	else if (err == -EFBIG)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "its result is too large");
	else if (err && done)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "it gave no result");
	return done && !err;
}

static pid_t fork_here(const struct mp_isolate_stream *stream, int to)
{
	pid_t pid;

	mp_confine_prepare(to);
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_child(stream, to);
	return pid;
}

/*
 * Forks by the zygote or, @here, by itself. Returns the child's pid, or -1. @from: out; the
 * caller closes it.
 */
static pid_t fork_child(const struct mp_isolate_stream *stream, bool here, int *from)
{
	pid_t pid;
	int ends[2];

	if (pipe(ends))
		return -1;
	pid = here ? fork_here(stream, ends[1]) :
	      mp_zygote_fork(stream, ends[1]);
	close(ends[1]);
	*from = ends[0];
	if (pid < 0)
		close(ends[0]);
	return pid;
}

/* A zygote that fails may have left a child, so the next one gets a pipe of its own. */
static pid_t start_child(const struct mp_isolate_stream *stream, int *from, char *why)
{
	pid_t pid = -1;

	if (stream->isolate.context_size)
		pid = fork_child(stream, false, from);
	if (pid < 0)
		pid = fork_child(stream, true, from);
	if (pid < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "%s", strerror(errno));
	return pid;
}

void mp_isolate_begin(void)
{
	mp_zygote_begin(run_child);
}

bool mp_isolate_run(const struct mp_isolate *isolate, char *why)
{
	const struct mp_isolate_stream stream = { .isolate = *isolate };
	int from, err;
	pid_t pid = start_child(&stream, &from, why);

	if (pid < 0)
		return false;
	err = read_all(from, isolate->result, isolate->size, end_ms(isolate));
	close(from);
	return get_outcome(isolate, pid, err, why);
}

bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		       struct mp_isolate_answer *answer, char *why)
{
	int from, err;
	pid_t pid = start_child(stream, &from, why);

	*answer = (struct mp_isolate_answer){ 0 };
	if (pid < 0)
		return false;
	err = read_stream(from, answer, stream->max, end_ms(&stream->isolate));
	close(from);
	if (get_outcome(&stream->isolate, pid, err, why))
		return true;
	free(answer->data);
	*answer = (struct mp_isolate_answer){ 0 };
	return false;
}
