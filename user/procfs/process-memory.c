// SPDX-License-Identifier: GPL-2.0-only
/*
 * process-memory: asks a child to read, which is started by the first read
 *
 * Cost: a fork for the first read, and 20 us for each. What is read is in memory that both
 * share, so only one byte goes through the socket.
 */
#include "process-memory.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time for one read, in ms */
#define PATIENCE	200

struct question {
	pid_t pid;
	uint64_t address;
	uint64_t size;
};

/* What is open: the memory of a process; after exec it is that of the program before. */
static struct {
	pid_t pid;
	int fd;
} opened = { .fd = -1 };

static void open_memory(pid_t pid)
{
	char path[64];

	if (opened.fd >= 0)
		close(opened.fd);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	opened.pid = pid;
	opened.fd = open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_memory(const struct question *question, char *bytes)
{
	return opened.fd >= 0 && question->size <= MP_PROCESS_MEMORY_MAX &&
	       pread(opened.fd, bytes, question->size, (off_t)question->address) ==
	       (ssize_t)question->size;
}

static void answer(int fd, char *bytes, const struct question *question)
{
	char is_read = question->pid == opened.pid && read_memory(question, bytes);

	if (!is_read) {
		open_memory(question->pid);
		is_read = read_memory(question, bytes);
	}
	send(fd, &is_read, 1, MSG_NOSIGNAL);
}

/* Has nothing of its parent open: a session ends with the last descriptor of it. */
static void serve(int fd, char *bytes)
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
		answer(fd, bytes, &question);
	_exit(0);
}

static bool start_child(struct mp_process_memory *memory)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return false;
	memory->child = fork();
	if (!memory->child)
		serve(fds[1], memory->bytes);
	close(fds[1]);
	memory->fd = fds[0];
	if (memory->child > 0)
		return true;
	close(fds[0]);
	memory->child = 0;
	return false;
}

static bool start(struct mp_process_memory *memory)
{
	if (memory->child)
		return true;
	memory->bytes = mmap(NULL, MP_PROCESS_MEMORY_MAX, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory->bytes == MAP_FAILED)
		return false;
	if (start_child(memory))
		return true;
	munmap(memory->bytes, MP_PROCESS_MEMORY_MAX);
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
	munmap(memory->bytes, MP_PROCESS_MEMORY_MAX);
	memory->child = 0;
}

/* A signal does not end the patience. */
static bool wait_for(struct pollfd *wait)
{
	const int64_t end_ms = mp_clock_ms() + PATIENCE;
	int64_t left = PATIENCE;
	int got;

	do {
		got = poll(wait, 1, (int)left);
		left = end_ms - mp_clock_ms();
	} while (got < 0 && errno == EINTR && left > 0);
	return got == 1;
}

bool mp_process_read(struct mp_process_memory *memory, pid_t pid, uint64_t address, void *to,
		     size_t size)
{
	const struct question question = { pid, address, size };
	struct pollfd wait = { .events = POLLIN };
	char is_read;

	memory->has_hung = false;
	if (size > MP_PROCESS_MEMORY_MAX || !start(memory))
		return false;
	wait.fd = memory->fd;
	if (send(memory->fd, &question, sizeof(question), MSG_NOSIGNAL) == sizeof(question) &&
	    wait_for(&wait)) {
		if (recv(memory->fd, &is_read, 1, MSG_DONTWAIT) == 1) {
			if (is_read)
				memcpy(to, memory->bytes, size);
			return is_read;
		}
	}
	/* it hangs, or somebody has killed it */
	memory->has_hung = true;
	mp_process_memory_close(memory);
	return false;
}
