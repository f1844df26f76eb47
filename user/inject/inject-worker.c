// SPDX-License-Identifier: GPL-2.0-only
/*
 * inject-worker: does what a socket asks for, one process after the other
 */
#include "inject-worker.h"
#include "title.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the worker has its socket: the first number after the standard files. */
#define SOCKET	(STDERR_FILENO + 1)

struct request {
	pid_t pid;
	bool ejects;
};

struct answer {
	int status;
	struct mp_injection result;
	struct mp_diag diag;
};

static bool receive(int socket, void *message, size_t size)
{
	ssize_t got;

	do {
		got = recv(socket, message, size, 0);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)size;
}

static void work(const struct mp_inject_options *options)
{
	static struct answer answer;
	struct request request;

	while (receive(SOCKET, &request, sizeof(request))) {
		answer = (struct answer){ 0 };
		answer.status = request.ejects ?
			mp_eject(request.pid, &answer.result, &answer.diag) :
			mp_inject(request.pid, options, &answer.result, &answer.diag);
		if (send(SOCKET, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* It prints nothing, and must not keep a pipe open that its parent wrote to. */
static void drop_standard_files(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (null < 0)
			close(fd);
		else if (fd != null)
			dup2(null, fd);
}

/* It ends with the socket: a signal to the terminal's group would be too early. */
static void run(int end, const struct mp_inject_options *options)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* the events of a session end when their last file is closed */
	if (end != SOCKET && dup2(end, SOCKET) < 0)
		return;
	close_range(SOCKET + 1, ~0U, 0);
	drop_standard_files();
	mp_title_set("memprofctl: injections");
	work(options);
}

void mp_inject_worker_begin(struct mp_inject_worker *worker,
			    const struct mp_inject_options *options)
{
	int ends[2];

	*worker = (struct mp_inject_worker){ 0 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return;
	worker->socket = ends[0];
	worker->pid = fork();
	if (!worker->pid) {
		close(worker->socket);
		run(ends[1], options);
		_exit(0);
	}
	close(ends[1]);
	if (worker->pid > 0)
		return;
	close(worker->socket);
	worker->pid = 0;
}

/* Returns whether the worker did it; if not, it has ended. */
static bool ask(const struct mp_inject_worker *worker, struct request request,
		struct answer *answer)
{
	return worker->pid &&
	       send(worker->socket, &request, sizeof(request), MSG_NOSIGNAL) >= 0 &&
	       receive(worker->socket, answer, sizeof(*answer));
}

static int take(const struct answer *answer, struct mp_injection *result,
		struct mp_diag *diag)
{
	*result = answer->result;
	*diag = answer->diag;
	return answer->status;
}

int mp_inject_worker_inject(const struct mp_inject_worker *worker, pid_t pid,
			    const struct mp_inject_options *options,
			    struct mp_injection *result, struct mp_diag *diag)
{
	static struct answer answer;

	return ask(worker, (struct request){ .pid = pid }, &answer) ?
	       take(&answer, result, diag) : mp_inject(pid, options, result, diag);
}

int mp_inject_worker_eject(const struct mp_inject_worker *worker, pid_t pid,
			   struct mp_injection *result, struct mp_diag *diag)
{
	static struct answer answer;

	return ask(worker, (struct request){ .pid = pid, .ejects = true }, &answer) ?
	       take(&answer, result, diag) : mp_eject(pid, result, diag);
}

void mp_inject_worker_end(struct mp_inject_worker *worker)
{
	if (!worker->pid)
		return;
	close(worker->socket);
	while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*worker = (struct mp_inject_worker){ 0 };
}
