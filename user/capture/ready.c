// SPDX-License-Identifier: GPL-2.0-only
/*
 * ready: writes a line to a file descriptor when recording has begun
 *
 * The line is that of sd_notify(3). Errors are ignored: recording continues
 * even if the reader has closed the descriptor.
 */
#include "ready.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

static const char line[] = "READY=1\n";

bool mp_ready_open(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       !fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void mp_ready_tell(int fd)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	ssize_t written;

	if (!fd)
		return;
	sigaction(SIGPIPE, &ignore, &before);
	written = write(fd, line, sizeof(line) - 1);
	(void)written;
	sigaction(SIGPIPE, &before, NULL);
	close(fd);
}
