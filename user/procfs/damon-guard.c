// SPDX-License-Identifier: GPL-2.0-only
/*
 * damon-guard: a child that waits for the end of a pipe
 *
 * It is in a session of its own and takes no part in what the terminal sends. A byte in the
 * pipe says that there is nothing left to do.
 */
#include "damon-guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Keeps only two files: what reads the output of the caller must not wait for the guard. */
static void close_others(int pipe, int lock)
{
	const int low = pipe < lock ? pipe : lock, high = pipe < lock ? lock : pipe;

	if (low > 0)
		close_range(0, (unsigned int)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned int)low + 1, (unsigned int)high - 1, 0);
	close_range((unsigned int)high + 1, ~0U, 0);
}

static void watch(int pipe, int lock, void (*give_back)(void))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	ssize_t got;
	size_t i;
	char byte;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	setsid();
	close_others(pipe, lock);
	do
		got = read(pipe, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (!got)
		give_back();
	_exit(0);
}

int mp_damon_guard_begin(struct mp_damon_guard *guard, int lock, void (*give_back)(void))
{
	int fds[2];

	*guard = (struct mp_damon_guard){ .pipe = -1 };
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	guard->pid = fork();
	if (!guard->pid)
		watch(fds[0], lock, give_back);
	close(fds[0]);
	if (guard->pid < 0) {
		close(fds[1]);
		guard->pid = 0;
		return -EAGAIN;
	}
	guard->pipe = fds[1];
	return 0;
}

void mp_damon_guard_end(struct mp_damon_guard *guard)
{
	if (!guard->pid)
		return;
	/* the guard has ended if somebody killed it: SIGPIPE must not end the caller */
	signal(SIGPIPE, SIG_IGN);
	(void)!write(guard->pipe, "", 1);
	close(guard->pipe);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}
