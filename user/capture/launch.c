// SPDX-License-Identifier: GPL-2.0-only
/*
 * launch: forks a process that waits for a byte from a pipe, then calls exec
 *
 * The process exists before the command starts, so the command can be recorded
 * from its first instruction. If exec fails, the child sends errno through
 * another pipe, which a successful exec closes.
 */
#include "launch.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit statuses that shells use for commands that they cannot run. */
#define EXIT_NOT_FOUND	127
#define EXIT_CANNOT_RUN	126

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void run_command(char **argv, int go, int failed)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(EXIT_NOT_FOUND);
	/* memprofctl ignores this signal; the command must not */
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(EXIT_CANNOT_RUN);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

int mp_launch_fork(struct mp_launch *launch, char **argv,
		   void (*prepare)(void *context), void *context,
		   struct mp_diag *diag)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 }, err = 0;

	*launch = (struct mp_launch){ .go = -1, .failed = -1 };
	fflush(NULL);
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		err = errno;
	if (!err)
		launch->pid = fork();
	if (!err && !launch->pid) {
		close_fd(&go[1]);
		close_fd(&failed[0]);
		if (prepare)
			prepare(context);
		run_command(argv, go[0], failed[1]);
	}
	if (launch->pid < 0)
		err = errno;
	close_fd(&go[0]);
	close_fd(&failed[1]);
	if (err) {
		close_fd(&go[1]);
		close_fd(&failed[0]);
		launch->pid = 0;
		return mp_diag_fail(diag, err, NULL, "cannot run %s", argv[0]);
	}
	launch->go = go[1];
	launch->failed = failed[0];
	return 0;
}

int mp_launch_go(struct mp_launch *launch)
{
	return write(launch->go, "", 1) == 1 ? 0 : -errno;
}

void mp_launch_reap(struct mp_launch *launch, int flags)
{
	struct rusage its, ours;
	int status;
	pid_t got;

	if (launch->pid <= 0 || launch->ended)
		return;
	do
		got = wait4(launch->pid, &status, flags, &its);
	while (got < 0 && errno == EINTR);
	if (got != launch->pid)
		return;
	launch->ended = true;
	launch->ended_ns = mp_clock_ns();
	/*
	 * before exec the child was a copy of this process: a peak that is not
	 * above our own may be that of the copy, and not of the command
	 */
	if (!getrusage(RUSAGE_SELF, &ours) && its.ru_maxrss > ours.ru_maxrss)
		launch->max_rss = (uint64_t)its.ru_maxrss * 1024;
	launch->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	launch->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					     128 + WTERMSIG(status);
}

void mp_launch_wait(struct mp_launch *launch)
{
	siginfo_t ended;

	while (launch->pid > 0 && !launch->ended) {
		/* the command stays a zombie, so that its usage can be read */
		if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT)) {
			if (errno != EINTR)
				return;
			continue;
		}
		if (ended.si_pid == launch->pid)
			mp_launch_reap(launch, 0);
		else
			waitpid(ended.si_pid, NULL, WNOHANG);
	}
}

int mp_launch_error(struct mp_launch *launch)
{
	int err;

	if (launch->failed >= 0 &&
	    read(launch->failed, &err, sizeof(err)) == sizeof(err))
		launch->error = err;
	return launch->error;
}

void mp_launch_cancel(struct mp_launch *launch)
{
	close_fd(&launch->go);
}

void mp_launch_close(struct mp_launch *launch)
{
	mp_launch_cancel(launch);
	close_fd(&launch->failed);
}
