// SPDX-License-Identifier: GPL-2.0-only
/*
 * apart: a child process for each piece of work
 *
 * A fork and a pipe, about a millisecond. The child may use MAX_BYTES of
 * address space and MAX_SECONDS of CPU time; it leaves the way it came, without
 * running anyone's exit handlers.
 */
#include "apart.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(4UL << 30)
#define MAX_SECONDS	20

static void bound(int resource, rlim_t max)
{
	struct rlimit limit = { max, max };

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

static bool read_all(int fd, void *data, size_t size)
{
	char *at = data;
	ssize_t got;

	for (; size; at += got, size -= got) {
		do {
			got = read(fd, at, size);
		} while (got < 0 && errno == EINTR);
		if (got <= 0)
			return false;
	}
	return true;
}

static void child(void (*work)(void *context, void *result), void *context,
		  void *result, size_t size, int to)
{
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	bound(RLIMIT_CORE, 0);
	bound(RLIMIT_AS, MAX_BYTES);
	bound(RLIMIT_CPU, MAX_SECONDS);
	work(context, result);
	_exit(!write_all(to, result, size));
}

static bool reap(pid_t pid, char *why)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return true;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_APART_WHY_SIZE, "it takes more than %d s to read",
			 MAX_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(why, MP_APART_WHY_SIZE,
			 "reading it failed (%s): corrupt, or changed meanwhile",
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, MP_APART_WHY_SIZE, "reading it failed");
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool mp_apart_run(void (*work)(void *context, void *result), void *context,
		  void *result, size_t size, char *why)
{
	int ends[2];
	bool whole;
	pid_t pid;

	if (pipe(ends)) {
		snprintf(why, MP_APART_WHY_SIZE, "%s", strerror(errno));
		return false;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(work, context, result, size, ends[1]);
	close(ends[1]);
	if (pid < 0)
		snprintf(why, MP_APART_WHY_SIZE, "%s", strerror(errno));
	whole = pid > 0 && read_all(ends[0], result, size);
	close(ends[0]);
	return pid > 0 && reap(pid, why) && whole;
}
