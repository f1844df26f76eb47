// SPDX-License-Identifier: GPL-2.0-only
/*
 * collector: hold the session, answer requests
 *
 * Sleeps in poll between requests; a report costs a snapshot in the kernel and
 * about 300 bytes a row here while it is sent. SIGTERM and SIGINT end it as
 * `memprofctl stop` does. However it dies, the kernel ends the session; a
 * socket left behind is replaced by the next start.
 */
#include "collector.h"
#include "kmod.h"
#include "server.h"
#include "title.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A client that stands still loses its answer. The whole time is for a million
 * rows on a busy machine: some ten seconds on an idle one.
 */
#define IDLE_MS		10000
#define TOTAL_MS	300000

static void handle_report(struct mp_collector *collector,
			  struct mp_answer *answer)
{
	answer->err = -mp_kmod_profile(collector->device, 0, &answer->profile);
	answer->action = "cannot take a snapshot";
	if (!answer->err && collector->alloc_rate)
		answer->err = -mp_prober_report(&collector->prober,
						&answer->profile);
	answer->rows = !answer->err;
}

static void handle_status(struct mp_collector *collector,
			  struct mp_answer *answer)
{
	answer->err = -mp_kmod_meta(collector->device, &answer->profile.meta);
	answer->action = "cannot read the session's status";
	answer->status = !answer->err;
}

/* The processes whose allocators are probed: none without allocations. */
static void handle_targets(struct mp_collector *collector,
			   struct mp_answer *answer)
{
	handle_status(collector, answer);
	answer->status = false;
	if (answer->err)
		return;
	if (collector->alloc_rate)
		answer->err = -mp_prober_targets(&collector->prober,
						 &answer->profile);
	answer->action = "cannot look for the targets";
	answer->rows = !answer->err;
}

static void handle_stop(struct mp_collector *collector,
			struct mp_answer *answer)
{
	int err = mp_dev_stop(collector->device);

	/* the session may have been stopped for an earlier client */
	if (!err || err == -EBUSY)
		handle_report(collector, answer);
	else
		answer->err = -err;
	if (answer->err)
		answer->action = "cannot read the stopped session";
	answer->quit = true;
}

static void handle_reset(struct mp_collector *collector,
			 struct mp_answer *answer)
{
	int err = mp_dev_reset(collector->device);

	handle_status(collector, answer);
	if (err) {
		answer->status = false;
		answer->err = -err;
		answer->action = "cannot reset the tallies";
	}
}

static void handle(void *context, const char *verb, struct mp_answer *answer)
{
	struct mp_collector *collector = context;

	memcpy(answer->profile.meta.targets, collector->targets,
	       sizeof(collector->targets));
	if (collector->alloc_rate)
		answer->profile.meta.alloc = (struct mp_alloc_meta){
			.rate = collector->alloc_rate,
			.nr_probes = collector->prober.nr_probes,
			.nr_binaries = collector->prober.nr_binaries,
			.rescan_errno = -collector->follower.err,
		};
	if (!strcmp(verb, "report")) {
		handle_report(collector, answer);
	} else if (!strcmp(verb, "status")) {
		handle_status(collector, answer);
	} else if (!strcmp(verb, "targets")) {
		handle_targets(collector, answer);
	} else if (!strcmp(verb, "reset")) {
		handle_reset(collector, answer);
	} else if (!strcmp(verb, "stop")) {
		handle_stop(collector, answer);
	} else {
		answer->err = EINVAL;
		answer->action = "unknown request";
	}
}

static void watch(void *context)
{
	struct mp_collector *collector = context;

	mp_follower_work(&collector->follower);
}

/* Files of whoever called start, such as pipes to a test that waits for us. */
static void close_others(const struct mp_collector *collector)
{
	int max = sysconf(_SC_OPEN_MAX);
	int fd, last = collector->device;

	if (collector->lock > last)
		last = collector->lock;
	if (collector->listen > last)
		last = collector->listen;
	for (fd = STDERR_FILENO + 1; fd < last; fd++)
		if (fd != collector->device && fd != collector->lock &&
		    fd != collector->listen)
			close(fd);
	if (close_range(last + 1, ~0U, 0))
		for (fd = last + 1; fd < max; fd++)
			close(fd);
}

static void detach(const struct mp_collector *collector)
{
	int null;

	setsid();
	umask(077);
	if (chdir("/"))
		_exit(1);
	null = open("/dev/null", O_RDWR);
	if (null < 0)
		_exit(1);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close_others(collector);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	mp_title_set("memprofctl: collector");
}

static int stop_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

/*
 * The session and the socket go before the clients are told: whoever waits for
 * `memprofctl stop` may unload the module or start anew right away.
 */
static void run(struct mp_collector *collector)
{
	struct mp_server server = {
		.listen_fd = collector->listen,
		.idle_ms = IDLE_MS,
		.total_ms = TOTAL_MS,
		.watch_fd = -1,
		.handle = handle,
		.watch = watch,
		.context = collector,
	};

	detach(collector);
	server.stop_fd = stop_signals();
	if (collector->alloc_rate) {
		mp_follower_open(&collector->follower, &collector->prober);
		server.watch_fd = collector->follower.fd;
	}
	mp_server_run(&server);
	if (collector->alloc_rate)
		mp_follower_close(&collector->follower);
	unlink(collector->control.socket.sun_path);
	mp_collector_close(collector);
	mp_server_close(&server);
	_exit(0);
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void mp_collector_close(struct mp_collector *collector)
{
	close_file(&collector->device);
	close_file(&collector->listen);
	close_file(&collector->lock);
}

pid_t mp_collector_spawn(struct mp_collector *collector)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		run(collector);
	mp_collector_close(collector);
	return pid;
}
