// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-memory: asks a child to read, which is started by the first read
 *
 * Cost: a fork for the first read, and 20 us for each.
 */
#include "process-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time for one read, in ms */
#define PATIENCE	200

struct question {
	pid_t pid;
	uint64_t address;
	uint64_t size;
};

static void answer(int fd, const struct question *question)
{
	static char bytes[MP_PROCESS_MEMORY_MAX];
	const struct iovec here = { bytes, question->size };
	const struct iovec there = { (void *)question->address, question->size };
	ssize_t got = question->size <= sizeof(bytes) ?
		      process_vm_readv(question->pid, &here, 1, &there, 1, 0) : -1;

	/* an answer of one byte more than was asked for says that it was read */
	if (got == (ssize_t)question->size) {
		const struct iovec parts[] = { { (void *)"", 1 }, { bytes, question->size } };
		const struct msghdr message = { .msg_iov = (void *)parts, .msg_iovlen = 2 };

		sendmsg(fd, &message, MSG_NOSIGNAL);
	} else {
		send(fd, "", 1, MSG_NOSIGNAL);
	}
}

/* Has nothing of its parent open: a session ends with the last descriptor of it. */
static void serve(int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct question question;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (fd)
		close_range(0, (unsigned int)fd - 1, 0);
	close_range((unsigned int)fd + 1, UINT_MAX, 0);
	while (recv(fd, &question, sizeof(question), 0) == sizeof(question))
		answer(fd, &question);
	_exit(0);
}

static bool start(struct mp_process_memory *memory)
{
	int fds[2];

	if (memory->child)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return false;
	memory->child = fork();
	if (!memory->child)
		serve(fds[1]);
	close(fds[1]);
	memory->fd = fds[0];
	if (memory->child > 0)
		return true;
	close(fds[0]);
	memory->child = 0;
	return false;
}

void mp_process_memory_close(struct mp_process_memory *memory)
{
	if (!memory->child)
		return;
	close(memory->fd);
	kill(memory->child, SIGKILL);
	while (waitpid(memory->child, NULL, 0) < 0 && errno == EINTR)
		;
	memory->child = 0;
}

bool mp_process_read(struct mp_process_memory *memory, pid_t pid, uint64_t address, void *to,
		     size_t size)
{
	const struct question question = { pid, address, size };
	char mark;
	struct iovec parts[] = { { &mark, 1 }, { to, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	struct pollfd wait = { .events = POLLIN };
	ssize_t got;

	memory->has_hung = false;
	if (size > MP_PROCESS_MEMORY_MAX || !start(memory))
		return false;
	wait.fd = memory->fd;
	if (send(memory->fd, &question, sizeof(question), MSG_NOSIGNAL) == sizeof(question) &&
	    poll(&wait, 1, PATIENCE) == 1) {
		got = recvmsg(memory->fd, &message, MSG_DONTWAIT);
		if (got > 0)
			return got == (ssize_t)size + 1;
	}
	/* it hangs, or somebody has killed it */
	memory->has_hung = true;
	mp_process_memory_close(memory);
	return false;
}
