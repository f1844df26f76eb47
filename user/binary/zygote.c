// SPDX-License-Identifier: GPL-2.0-only
/*
 * zygote: forks children for a process that has much memory
 *
 * fork() copies the page tables of all memory, and afterwards each page that is written
 * faults once: for a collector with 50 MB that is more than what most children do. The
 * zygote is forked early, when there is little memory, and does nothing but fork. (Later
 * it would have all of that memory in its RSS.)
 *
 * It runs the same program at the same addresses, so pointers to functions and to constants
 * are valid in it, and nothing else is: what the work needs is sent to it. CLONE_PARENT makes
 * its children those of the process that asked. It reads nothing that is not its parent's,
 * and none of its children has its socket.
 */
#include "zygote.h"
#include "confine.h"
#include "title.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a fork may take. */
#define PATIENCE_S	2

/* How long its end may take. */
#define END_MS		500

/* The largest message: the pipe and the file. */
#define MAX_FDS		2

/* What is sent; the context follows. */
struct order {
	struct mp_isolate_stream stream;
	int to;
};

union fds {
	char data[CMSG_SPACE(MAX_FDS * sizeof(int))];
	struct cmsghdr align;
};

/* The zygote of the process @owner. After a fork() the child must not use it. */
static struct {
	pid_t owner, pid;
	int fd, pidfd;
} zygote = { .fd = -1, .pidfd = -1 };

/* Returns the number of files in @fds, or -1 at the end. */
static int receive(int socket, struct order *order, void *context, int *fds)
{
	struct iovec parts[] = {
		{ order, sizeof(*order) }, { context, MP_ISOLATE_CONTEXT },
	};
	union fds control;
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = 2,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header;
	ssize_t got;

	do {
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (!header || (size_t)got < sizeof(*order))
		return -1;
	memcpy(fds, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
	return (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
}

/* Gives the files the numbers that they have in the parent. Returns false without room. */
static bool place(const struct order *order, const int *fds, int nr)
{
	const int file = order->stream.isolate.fd, to = order->to;
	const int above = (file > to ? file : to) + 1;
	int copies[MAX_FDS], i;

	/* one may have the number that the other one is to get */
	for (i = 0; i < nr; i++) {
		copies[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, above);
		if (copies[i] < 0)
			return false;
	}
	return dup2(copies[0], to) >= 0 && (nr < 2 || dup2(copies[1], file) >= 0);
}

static void serve(int socket, void (*run)(const struct mp_isolate_stream *, int))
{
	static char context[MP_ISOLATE_CONTEXT];
	struct order order;
	int fds[MAX_FDS], nr, i;
	pid_t pid;

	while ((nr = receive(socket, &order, context, fds)) > 0) {
		order.stream.isolate.context = context;
		mp_confine_prepare(order.to);
		pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
		if (!pid && place(&order, fds, nr))
			run(&order.stream, order.to);
		if (!pid)
			_exit(1);
		for (i = 0; i < nr; i++)
			close(fds[i]);
		if (send(socket, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
			break;
	}
}

static void live(pid_t parent, int socket, void (*run)(const struct mp_isolate_stream *, int))
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	const int null = open("/dev/null", O_RDWR);
	struct rlimit files;
	size_t i;
	int fd;

	/* what a terminal sends to its jobs is not for this process */
	setsid();
	/* the parent may raise its own limit, and the children have its numbers of files */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* nobody may wait for the end of what this process prints */
	for (fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* and no file system is kept mounted */
	if (chdir("/"))
		_exit(1);
	mp_title_set("memprofctl: zygote");
	/* who looks for the collector by its name finds that */
	prctl(PR_SET_NAME, "memprof-zygote");
	mp_confine_files(socket, -1);
	if (getppid() == parent)
		serve(socket, run);
	_exit(0);
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Standard files that are closed would be taken, and then overwritten by the zygote. */
static int above_standard(int fd)
{
	int copy;

	if (fd > STDERR_FILENO)
		return fd;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return copy;
}

void mp_zygote_begin(void (*run)(const struct mp_isolate_stream *stream, int to))
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	const pid_t parent = getpid();
	int ends[2], i;

	if (zygote.owner == parent)
		return;
	close_file(&zygote.fd);
	close_file(&zygote.pidfd);
	zygote.owner = parent;
	zygote.pid = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	for (i = 0; i < 2; i++)
		ends[i] = above_standard(ends[i]);
	if (ends[0] >= 0 && ends[1] >= 0)
		zygote.pid = fork();
	if (!zygote.pid && ends[0] >= 0 && ends[1] >= 0)
		live(parent, ends[1], run);
	close_file(&ends[1]);
	if (zygote.pid <= 0) {
		zygote.pid = 0;
		close_file(&ends[0]);
		return;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	zygote.fd = ends[0];
	zygote.pidfd = pidfd_open(zygote.pid, 0);
}

/*
 * There is no other one: what ends it would end the next one, too. It may be blocked in the
 * kernel, where no signal interrupts it: then nobody waits for it.
 */
static void end(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	close_file(&zygote.fd);
	if (zygote.pidfd >= 0)
		pidfd_send_signal(zygote.pidfd, SIGKILL, NULL, 0);
	for (i = 0; i < END_MS && !waitpid(zygote.pid, NULL, WNOHANG); i++)
		nanosleep(&pause, NULL);
	close_file(&zygote.pidfd);
	zygote.pid = 0;
}

static bool order_child(const struct mp_isolate_stream *stream, int to)
{
	struct order order = { *stream, to };
	struct iovec parts[] = {
		{ &order, sizeof(order) },
		{ stream->isolate.context, stream->isolate.context_size },
	};
	const int fds[MAX_FDS] = { to, stream->isolate.fd };
	const size_t size = (fds[1] < 0 ? 1 : 2) * sizeof(int);
	union fds control = { { 0 } };
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = 2,
		.msg_control = &control, .msg_controllen = CMSG_SPACE(size),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(header), fds, size);
	return sendmsg(zygote.fd, &message, MSG_NOSIGNAL) > 0;
}

pid_t mp_zygote_fork(const struct mp_isolate_stream *stream, int to)
{
	pid_t pid = -1;
	ssize_t got;

	if (!mp_zygote_pid() || stream->isolate.context_size > MP_ISOLATE_CONTEXT)
		return -1;
	got = order_child(stream, to) ? 0 : -1;
	while (!got) {
		got = recv(zygote.fd, &pid, sizeof(pid), 0);
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (!got)
			got = -1;
	}
	if (got != sizeof(pid)) {
		end();
		return -1;
	}
	return pid;
}

pid_t mp_zygote_pid(void)
{
	return zygote.owner == getpid() ? zygote.pid : 0;
}
