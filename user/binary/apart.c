// SPDX-License-Identifier: GPL-2.0-only
/*
 * apart: a child process for each piece of work
 *
 * A fork and a pipe, about a millisecond. The child may use MAX_BYTES of
 * address space and MAX_SECONDS of CPU time, and is killed when the caller's
 * patience ends; it leaves the way it came, without running anyone's exit
 * handlers.
 *
 * It has one file, cannot write to others, gains no rights by exec and gives up
 * most of those it has. That is no sandbox: the user stays who it is, for as
 * nobody it could not read the debug files of closed folders.
 */
#include "apart.h"

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
static void confine(int fd, int to)
{
	close_others(fd, to);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	bound(RLIMIT_CORE, 0, 0);
	/* pipes have no size */
	bound(RLIMIT_FSIZE, 0, 0);
	bound(RLIMIT_AS, MAX_BYTES, MAX_BYTES);
	/* SIGXCPU says why; at the hard limit it would be SIGKILL */
	bound(RLIMIT_CPU, MAX_SECONDS, MAX_SECONDS + 1);
	drop_capabilities();
}

static void child(const struct mp_apart *apart, int to)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	confine(apart->fd, to);
	/* no library is to ask the network because of a stranger's file */
	unsetenv("DEBUGINFOD_URLS");
	apart->work(apart->context, apart->result);
	_exit(!write_all(to, apart->result, apart->size));
}

/* Return: 0, -ETIME, or -EPIPE where the child ends before all has come. */
static int read_all(int fd, void *data, size_t size, int64_t end_ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char *at = data, *end = at + size;
	int64_t left_ms;
	ssize_t got;

	while (at < end) {
		left_ms = end_ms - now_ms();
		if (left_ms <= 0)
			return -ETIME;
		if (poll(&wait, 1, (int)left_ms) <= 0)
			continue;
		got = read(fd, at, end - at);
		if (got <= 0)
			return -EPIPE;
		at += got;
	}
	return 0;
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

static bool is_done(int status, char *why)
{
	if (status < 0)
		snprintf(why, MP_APART_WHY_SIZE, "reading it does not end");
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_APART_WHY_SIZE, "it takes more than %d s to read",
			 MAX_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(why, MP_APART_WHY_SIZE,
			 "reading it failed (%s): corrupt, or changed meanwhile",
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, MP_APART_WHY_SIZE, "reading it failed");
	return status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool follow(const struct mp_apart *apart, pid_t pid, int from, char *why)
{
	int patience_ms = apart->patience_ms ? apart->patience_ms :
					       MP_APART_PATIENCE_MS;
	int err = read_all(from, apart->result, apart->size,
			   now_ms() + patience_ms);
	bool done;

	if (err == -ETIME)
		kill(pid, SIGKILL);
	done = is_done(reap(pid), why);
	if (err == -ETIME)
		snprintf(why, MP_APART_WHY_SIZE,
			 "it was not read within %d.%d s",
			 patience_ms / 1000, patience_ms % 1000 / 100);
	else if (err && done)
		snprintf(why, MP_APART_WHY_SIZE, "reading it brought nothing");
	return done && !err;
}

bool mp_apart_run(const struct mp_apart *apart, char *why)
{
	bool done = false;
	int ends[2];
	pid_t pid;

	if (pipe(ends)) {
		snprintf(why, MP_APART_WHY_SIZE, "%s", strerror(errno));
		return false;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(apart, ends[1]);
	close(ends[1]);
	if (pid < 0)
		snprintf(why, MP_APART_WHY_SIZE, "%s", strerror(errno));
	else
		done = follow(apart, pid, ends[0], why);
	close(ends[0]);
	return done;
}
