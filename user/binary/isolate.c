// SPDX-License-Identifier: GPL-2.0-only
/*
 * apart: a child process for each piece of work
 *
 * A fork and a pipe, about a millisecond. The child has so much address space
 * and CPU time and no more, and is killed when the caller's patience ends; it
 * leaves the way it came, without running anyone's exit handlers.
 *
 * It has one file, cannot write to others, gains no rights by exec and gives up
 * most of those it has. That is no sandbox: the user stays who it is, for as
 * nobody it could not read the debug files of closed folders.
 */
#include "isolate.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_BYTES	(4UL << 30)
#define MAX_SECONDS	10

/* From the end of the pipe, or from SIGKILL, to the end of the child. */
#define EXIT_MS		2000

/* To read any file, and to find them below /proc/PID/root. */
#define CAPABILITIES	(1U << CAP_DAC_READ_SEARCH | 1U << CAP_SYS_PTRACE)

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void bound(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit limit = { soft, hard };

	setrlimit(resource, &limit);
}

static bool write_all(int fd, const void *data, size_t size)
{
	const char *at = data;
	ssize_t put;

	for (; size; at += put, size -= put) {
		put = write(fd, at, size);
		if (put <= 0)
			return false;
	}
	return true;
}

/* Those from @from to in front of @to; the standard ones stay. */
static void close_between(int from, int to)
{
	if (from <= STDERR_FILENO)
		from = STDERR_FILENO + 1;
	if (from < to)
		close_range(from, to - 1, 0);
}

static void close_others(int fd, int to)
{
	int low = fd < to ? fd : to, high = fd < to ? to : fd;

	close_between(0, low);
	close_between(low + 1, high);
	close_between(high + 1, INT_MAX);
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return;
	sets[0].permitted &= CAPABILITIES;
	sets[0].effective &= CAPABILITIES;
	sets[0].inheritable = 0;
	memset(&sets[1], 0, sizeof(sets[1]));
	syscall(SYS_capset, &header, sets);
}

/* What is refused, as old kernels and sandboxes do, is done without. */
static void confine(const struct mp_isolate *isolate, int to)
{
	size_t bytes = isolate->bytes ? isolate->bytes : MAX_BYTES;
	int seconds = isolate->seconds ? isolate->seconds : MAX_SECONDS;

	close_others(isolate->fd, to);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	bound(RLIMIT_CORE, 0, 0);
	/* pipes have no size */
	bound(RLIMIT_FSIZE, 0, 0);
	bound(RLIMIT_AS, bytes, bytes);
	/* SIGXCPU says why; at the hard limit it would be SIGKILL */
	bound(RLIMIT_CPU, seconds, seconds + 1);
	drop_capabilities();
}

static void prepare(const struct mp_isolate *isolate, int to)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	confine(isolate, to);
	/* no library is to ask the network because of a stranger's file */
	unsetenv("DEBUGINFOD_URLS");
}

static void child(const struct mp_isolate *isolate, int to)
{
	prepare(isolate, to);
	isolate->work(isolate->context, isolate->result);
	_exit(!write_all(to, isolate->result, isolate->size));
}

static void stream_child(const struct mp_isolate_stream *stream, int to)
{
	FILE *file;

	prepare(&stream->isolate, to);
	file = fdopen(to, "w");
	_exit(!file || !stream->send(stream->isolate.context, file) ||
	      fflush(file));
}

/* Return: bytes, 0 at the end, or a negative errno: -ETIME, -EPIPE. */
static ssize_t read_some(int fd, void *data, size_t size, int64_t end_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	int64_t left_ms;
	ssize_t got;

	do {
		left_ms = end_ms - now_ms();
		if (left_ms <= 0)
			return -ETIME;
	} while (poll(&wait, 1, (int)left_ms) <= 0);
	got = read(fd, data, size);
	return got < 0 ? -EPIPE : got;
}

/* Return: 0, -ETIME, or -EPIPE where the child ends before all has come. */
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

/* Return: 0, -ETIME, -EPIPE, or -EFBIG; room for @max is room for less. */
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
 * Return: the child's status, or -1: it does not end, for it waits in the kernel
 * for something that no signal interrupts. Then it stays behind.
 */
static int reap(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 200000 };
	int64_t end_ms = now_ms() + EXIT_MS;
	int status;
	pid_t got;

	do {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return status;
		nanosleep(&pause, NULL);
	} while ((!got || errno == EINTR) && now_ms() < end_ms);
	return -1;
}

static bool is_done(int status, int seconds, char *why)
{
	if (status < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "reading it does not end");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "it takes more than %d s to read",
			 seconds ? seconds : MAX_SECONDS);
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
	return now_ms() + patience_ms(isolate);
}

/* How it went, from how its answer came (@err) and how it ended. */
static bool conclude(const struct mp_isolate *isolate, pid_t pid, int err, char *why)
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
		snprintf(why, MP_ISOLATE_WHY_SIZE, "reading it brought too much");
	else if (err && done)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "reading it brought nothing");
	return done && !err;
}

/* Return: the child, 0 in it, or -1; @ends[0] is to be closed. */
static pid_t start(int ends[2], char *why)
{
	pid_t pid = -1;

	if (!pipe(ends)) {
		fflush(NULL);
		pid = fork();
		if (pid)
			close(ends[1]);
		if (pid < 0)
			close(ends[0]);
	}
	if (pid < 0)
		snprintf(why, MP_ISOLATE_WHY_SIZE, "%s", strerror(errno));
	return pid;
}

bool mp_isolate_run(const struct mp_isolate *isolate, char *why)
{
	int ends[2], err;
	pid_t pid = start(ends, why);

	if (pid < 0)
		return false;
	if (!pid)
		child(isolate, ends[1]);
	err = read_all(ends[0], isolate->result, isolate->size, end_ms(isolate));
	close(ends[0]);
	return conclude(isolate, pid, err, why);
}

bool mp_isolate_stream(const struct mp_isolate_stream *stream,
		     struct mp_isolate_answer *answer, char *why)
{
	int ends[2], err;
	pid_t pid = start(ends, why);

	*answer = (struct mp_isolate_answer){ 0 };
	if (pid < 0)
		return false;
	if (!pid)
		stream_child(stream, ends[1]);
	err = read_stream(ends[0], answer, stream->max, end_ms(&stream->isolate));
	close(ends[0]);
	if (conclude(&stream->isolate, pid, err, why))
		return true;
	free(answer->data);
	*answer = (struct mp_isolate_answer){ 0 };
	return false;
}
