// SPDX-License-Identifier: GPL-2.0-only
/*
 * push: starts the program that sends profiles, and hands it one file after the other
 *
 * Nothing here waits. A file is removed when the program says that it was sent: so whoever is
 * killed, each file is sent, and the one in flight perhaps twice. Only this process has the
 * folder: the program gets a descriptor of one file, and its settings in memory.
 */
#include "push.h"
#include "nobody.h"
#include "push-protocol.h"
#include "push-settings.h"
#include "send-files.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

const char * const mp_push_drop_names[MP_PUSH_NR_DROPS] = {
	[MP_PUSH_DROP_FULL] = "queue_full",
	[MP_PUSH_DROP_REFUSED] = "refused",
	[MP_PUSH_DROP_FORMAT] = "other_format",
	[MP_PUSH_DROP_UNREADABLE] = "unreadable",
};

int mp_push_open(struct mp_push *push, const struct mp_push_settings *settings,
		 const char *folder, const char *agent, struct mp_diag *diag)
{
	*push = (struct mp_push){ .socket = -1, .pidfd = -1,
				  .max_bytes = settings->max_bytes };
	return mp_push_settings_text(settings, agent, &push->settings, diag) ?:
	       mp_push_queue_open(&push->queue, folder, mp_push_format_names[settings->format],
				  &push->nr_drops[MP_PUSH_DROP_FORMAT], diag);
}

/* Where the program is, from the folder of this one: in the build tree, and installed. */
static const char * const places[] = {
	"/" MP_PUSH_PROGRAM, "/../libexec/memprof/" MP_PUSH_PROGRAM,
};

static int open_program(void)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;
	int fd = -1;

	if (len > 0) {
		self[len] = '\0';
		*strrchr(self, '/') = '\0';
	}
	for (i = 0; fd < 0 && len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", self, places[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0)
		fd = open(MP_LIBEXECDIR "/" MP_PUSH_PROGRAM, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int settings_file(const char *text)
{
	int fd = memfd_create("push", MFD_CLOEXEC);
	const ssize_t size = (ssize_t)strlen(text);

	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)size) != size) {
		close(fd);
		return -ENOSPC;
	}
	return fd;
}

/* In the child: the program has three files besides the standard ones. */
static void become_program(int program, int settings, int socket)
{
	char *const argv[] = { MP_PUSH_PROGRAM, NULL };
	int a = fcntl(settings, F_DUPFD, 6), b = fcntl(socket, F_DUPFD, 6);
	int c = fcntl(program, F_DUPFD, 6);
	sigset_t none;

	dup2(a, MP_PUSH_SETTINGS);
	dup2(b, MP_PUSH_SOCKET);
	dup3(c, MP_PUSH_SOCKET + 1, O_CLOEXEC);
	close_range(MP_PUSH_SOCKET + 2, ~0U, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	mp_nobody_become();
	/* the path may lead through folders that nobody may not enter */
	fexecve(MP_PUSH_SOCKET + 1, argv, environ);
	_exit(127);
}

static int start(struct mp_push *push)
{
	int ends[2], err, program = open_program(), settings;
	pid_t pid;

	if (program < 0)
		return program;
	settings = settings_file(push->settings);
	err = settings < 0 ? settings : 0;
	if (!err && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		err = -errno;
	if (!err) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			fcntl(ends[1], F_SETFL, 0);
			become_program(program, settings, ends[1]);
		}
		err = pid < 0 ? -errno : 0;
		close(ends[1]);
		if (err)
			close(ends[0]);
	}
	if (!err) {
		push->socket = ends[0];
		push->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	}
	if (settings >= 0)
		close(settings);
	close(program);
	return err;
}

static void forget_program(struct mp_push *push)
{
	if (push->socket >= 0)
		close(push->socket);
	if (push->pidfd >= 0)
		close(push->pidfd);
	push->socket = push->pidfd = -1;
	push->in_flight = 0;
}

int mp_push_add(struct mp_push *push, uint64_t from_s, uint64_t until_s)
{
	const bool pack = push->queue.format == mp_push_format_names[MP_PUSH_OTLP];
	int err = mp_push_queue_add(&push->queue, pack, from_s, until_s);

	push->nr_drops[MP_PUSH_DROP_FULL] +=
		mp_push_queue_prune(&push->queue, push->max_bytes, push->in_flight);
	return err;
}

static int send_job(struct mp_push *push, const struct mp_push_entry *entry, int file)
{
	struct mp_push_job job = {
		.number = entry->number, .from_s = entry->from_s, .until_s = entry->until_s,
		.bytes = entry->bytes,
	};

	return mp_send_files(push->socket, &job, sizeof(job), &file, 1);
}

int mp_push_work(struct mp_push *push)
{
	const struct mp_push_entry *entry;
	int err, file = -1;

	if (push->in_flight)
		return 0;
	/* a file that somebody removed or changed would be in the way for ever */
	while (push->queue.nr && file < 0) {
		file = mp_push_queue_read(&push->queue, push->queue.entries);
		if (file < 0) {
			push->nr_drops[MP_PUSH_DROP_UNREADABLE]++;
			mp_push_queue_remove(&push->queue, push->queue.entries->number);
		}
	}
	if (file < 0)
		return 0;
	entry = push->queue.entries;
	err = push->socket < 0 ? start(push) : 0;
	if (!err)
		err = send_job(push, entry, file);
	if (!err)
		push->in_flight = entry->number;
	else if (push->socket >= 0)
		forget_program(push);
	close(file);
	return err;
}

/* The process is not trusted: it can only speak of the file that it has. */
static enum mp_push_event take(struct mp_push *push, const struct mp_push_answer *answer)
{
	if (answer->number != push->in_flight || !push->in_flight)
		return MP_PUSH_NOTHING;
	mp_text_escape(push->text, sizeof(push->text), answer->text, sizeof(answer->text));
	if (answer->result == MP_PUSH_DELAYED) {
		push->nr_delays++;
		return MP_PUSH_WAITS;
	}
	mp_push_queue_remove(&push->queue, push->in_flight);
	push->in_flight = 0;
	if (answer->result == MP_PUSH_SENT) {
		push->nr_sent++;
		return MP_PUSH_DONE;
	}
	push->nr_drops[MP_PUSH_DROP_REFUSED]++;
	return MP_PUSH_LOST;
}

enum mp_push_event mp_push_next_event(struct mp_push *push)
{
	struct mp_push_answer answer;
	ssize_t got;

	if (push->socket < 0)
		return MP_PUSH_NOTHING;
	got = recv(push->socket, &answer, sizeof(answer), MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return MP_PUSH_NOTHING;
	if (got != sizeof(answer)) {
		forget_program(push);
		return MP_PUSH_ENDED;
	}
	return take(push, &answer);
}

void mp_push_close(struct mp_push *push)
{
	/* it may be in a request that takes long */
	if (push->pidfd >= 0)
		syscall(SYS_pidfd_send_signal, push->pidfd, SIGKILL, NULL, 0);
	forget_program(push);
	free(push->settings);
	push->settings = NULL;
	mp_push_queue_free(&push->queue);
}
