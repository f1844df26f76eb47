// SPDX-License-Identifier: GPL-2.0-only
/*
 * examine-apart: a child process for each file
 *
 * A fork and a pipe, about a millisecond. The child may use MAX_BYTES of
 * address space besides its own and MAX_SECONDS of CPU time; it leaves the way
 * it came, without running anyone's exit handlers.
 */
#include "examine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(4UL << 30)
#define MAX_SECONDS	20

/* What goes through the pipe; both ends are the same program. */
struct result {
	bool examined;
	char why[MP_REMARK_SIZE];
	struct mp_scan scan;
};

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

static void child(const struct mp_user_functions *user, int fd,
		  const char *path, int to)
{
	static struct result result;
	const char *why;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	bound(RLIMIT_CORE, 0);
	bound(RLIMIT_AS, MAX_BYTES);
	bound(RLIMIT_CPU, MAX_SECONDS);
	why = mp_examine(user, fd, path, &result.scan);
	result.examined = !why;
	snprintf(result.why, sizeof(result.why), "%s", why ? why : "");
	_exit(!write_all(to, &result, sizeof(result)));
}

static bool reap(pid_t pid, char *why)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return true;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, MP_REMARK_SIZE, "it takes more than %d s to read",
			 MAX_SECONDS);
	else if (WIFSIGNALED(status))
		snprintf(why, MP_REMARK_SIZE, "reading it failed (%s): corrupt, or changed meanwhile",
			 strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, MP_REMARK_SIZE, "reading it failed");
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

bool mp_examine_apart(const struct mp_user_functions *user, int fd,
		      const char *path, struct mp_scan *scan, char *why)
{
	static struct result result;	/* too large for a stack */
	int ends[2];
	bool whole;
	pid_t pid;

	memset(scan, 0, sizeof(*scan));
	if (pipe(ends)) {
		snprintf(why, MP_REMARK_SIZE, "%s", strerror(errno));
		return false;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(user, fd, path, ends[1]);
	close(ends[1]);
	whole = pid > 0 && read_all(ends[0], &result, sizeof(result));
	close(ends[0]);
	if (pid < 0)
		snprintf(why, MP_REMARK_SIZE, "%s", strerror(errno));
	if (pid < 0 || !reap(pid, why) || !whole)
		return false;
	snprintf(why, MP_REMARK_SIZE, "%s", result.why);
	*scan = result.scan;
	return result.examined;
}
