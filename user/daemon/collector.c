// SPDX-License-Identifier: GPL-2.0-only
/*
 * collector: keeps the session open and answers requests
 *
 * It sleeps in poll() between requests. A report costs a snapshot in the
 * kernel, and about 300 bytes per row here while it is sent. SIGTERM and SIGINT
 * end the collector like `memprofctl stop`. If it is killed, the kernel ends
 * the session, and the next start replaces the old socket.
 */
#include "collector.h"
#include "isolate.h"
#include "server.h"
#include "title.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Time limits of a client. A client that neither reads nor writes for IDLE_MS
 * is dropped. TOTAL_MS is enough to send a million rows on a busy machine; an
 * idle machine needs about ten seconds for them.
 */
#define IDLE_MS		10000
#define TOTAL_MS	300000

/*
 * Least time between two looks at the session's events. Each program that begins brings
 * several events, and each look has work of its own.
 */
#define WATCH_MS	10

static void handle_report(struct mp_collector *collector, bool stacks,
			  const struct mp_cold *cold, struct mp_reply *reply)
{
	reply->err = -mp_live_profile(&collector->live, stacks, cold, &reply->profile);
	reply->action = "cannot take a snapshot";
	reply->rows = !reply->err;
}

/*
 * A report with the ages of pages, which the client keeps in an open file: @place is its
 * process, the number of the file, and "stacks" or "report". Clients are our user or root,
 * and the file is only read.
 */
static void handle_cold(struct mp_collector *collector, const char *place,
			struct mp_reply *reply)
{
	struct mp_cold cold = { 0 };
	unsigned int pid, number;
	char path[64], kind[8];
	int fd = -1;

	reply->err = EINVAL;
	reply->action = "cannot read the ages of pages";
	if (sscanf(place, "%u %u %7s", &pid, &number, kind) != 3)
		return;
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", pid, number);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	reply->err = fd < 0 ? errno : -mp_cold_read(&cold, fd);
	if (!reply->err)
		handle_report(collector, *kind == 's', &cold, reply);
	if (fd >= 0)
		close(fd);
	mp_cold_free(&cold);
}

static void handle_status(struct mp_collector *collector,
			  struct mp_reply *reply)
{
	reply->err = -mp_live_meta(&collector->live, &reply->profile.meta);
	reply->action = "cannot read the session's status";
	reply->status = !reply->err;
}

/*
 * Returns the processes whose allocators are probed; none if allocations are
 * off.
 */
static void handle_targets(struct mp_collector *collector,
			   struct mp_reply *reply)
{
	handle_status(collector, reply);
	reply->status = false;
	if (reply->err)
		return;
	if (collector->session.alloc_rate)
		reply->err = -mp_prober_targets(&collector->session.prober,
						&reply->profile);
	reply->action = "cannot look for the targets";
	reply->rows = !reply->err;
}

/* Stops recording. What was recorded can be read until a client asks for "stop". */
static int handle_halt(struct mp_collector *collector, struct mp_reply *reply)
{
	int err = mp_live_stop(&collector->live);

	/* -EBUSY: an earlier client has stopped the session */
	if (err == -EBUSY)
		err = 0;
	reply->err = -err;
	reply->action = "cannot stop recording";
	return err;
}

static void handle_stop(struct mp_collector *collector,
			struct mp_reply *reply)
{
	if (!handle_halt(collector, reply))
		handle_report(collector, false, NULL, reply);
	if (reply->err)
		reply->action = "cannot read the stopped session";
	reply->quit = true;
}

static void handle_reset(struct mp_collector *collector,
			 struct mp_reply *reply)
{
	int err = mp_live_reset(&collector->live);

	handle_status(collector, reply);
	if (err) {
		reply->status = false;
		reply->err = -err;
		reply->action = "cannot reset the tallies";
	}
}

static void handle_request(void *context, const char *verb, struct mp_reply *reply)
{
	struct mp_collector *collector = context;
	const struct mp_session *session = &collector->session;

	memcpy(reply->profile.meta.targets, session->targets,
	       sizeof(session->targets));
	reply->profile.meta.source = session->source;
	mp_session_alloc_meta(session, &reply->profile.meta.alloc);
	if (!strcmp(verb, "report") || !strcmp(verb, "stacks")) {
		handle_report(collector, *verb == 's', NULL, reply);
	} else if (!strncmp(verb, "cold ", 5)) {
		handle_cold(collector, verb + 5, reply);
	} else if (!strcmp(verb, "status")) {
		handle_status(collector, reply);
	} else if (!strcmp(verb, "targets")) {
		handle_targets(collector, reply);
	} else if (!strcmp(verb, "reset")) {
		handle_reset(collector, reply);
	} else if (!strcmp(verb, "halt")) {
		handle_halt(collector, reply);
	} else if (!strcmp(verb, "stop")) {
		handle_stop(collector, reply);
	} else {
		reply->err = EINVAL;
		reply->action = "unknown request";
	}
}

static void watch_session(void *context)
{
	struct mp_collector *collector = context;

	mp_live_work(&collector->live);
}

/*
 * Closes the files that `memprofctl start` inherited from its caller, such as a
 * pipe whose reader waits until all writers have closed it. Called before the
 * session begins.
 */
static void close_others(const struct mp_collector *collector, int tell)
{
	int fd, last = tell;

	if (collector->lock > last)
		last = collector->lock;
	if (collector->listen > last)
		last = collector->listen;
	for (fd = STDERR_FILENO + 1; fd < last; fd++)
		if (fd != tell && fd != collector->lock &&
		    fd != collector->listen)
			close(fd);
	close_range(last + 1, ~0U, 0);
}

static void detach(void)
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

/* Ends this process when @owner ends, if it is not 0. Signals are handled by now. */
static void end_with(pid_t owner)
{
	if (!owner)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* it may have ended before */
	if (getppid() != owner)
		raise(SIGTERM);
}

/*
 * The session and the socket are closed before the clients' connections: when
 * `memprofctl stop` returns, its caller may unload the module or start a new
 * session at once.
 */
static void serve_session(struct mp_collector *collector)
{
	struct mp_server server = {
		.listen_fd = collector->listen,
		.idle_ms = IDLE_MS,
		.total_ms = TOTAL_MS,
		.watch_ms = WATCH_MS,
		.handle = handle_request,
		.watch = watch_session,
		.context = collector,
	};

	detach();
	mp_control_serve(collector->listen);
	server.stop_fd = stop_signals();
	end_with(collector->owner);
	mp_live_open(&collector->live, &collector->session);
	server.watch_fd = collector->live.fd;
	mp_server_run(&server);
	mp_live_close(&collector->live);
	mp_session_end(&collector->session);
	unlink(collector->control.socket.sun_path);
	if (collector->owner) {
		unlink(collector->control.lock);
		rmdir(collector->control.dir);
	}
	mp_collector_close(collector);
	mp_server_close(&server);
	_exit(0);
}

/*
 * Opens the module's events if stacks are requested. Without them, a session still
 * has all sums, so what was not asked for is only missed.
 */
static int open_stacks(struct mp_session *session, enum mp_chain wanted,
		       struct mp_diag *diag)
{
	int err = session->source == MP_SOURCE_KMOD &&
		  mp_session_streams(session) ?
		  mp_session_open_rings(session) : 0;

	if (err && wanted == MP_CHAIN_DEFAULT) {
		mp_tracer_close(&session->tracer);
		session->tracer.chain = session->tracer.growth_chain = MP_CHAIN_NONE;
		mp_diag_warn(diag, strerror(-err),
			     "no stacks: the module's events cannot be opened");
		return 0;
	}
	return err ? mp_diag_fail(diag, err, "--call-graph no does without",
				  "cannot open the module's events") : 0;
}

/* The diagnostics are sent to the parent through a pipe, into which they fit. */
static void run_child(struct mp_collector *collector,
		      const struct mp_record_options *options, int tell)
{
	/* static, because it is too large for the stack */
	static struct mp_diag diag;
	int err;

	close_others(collector, tell);
	mp_isolate_begin();
	err = mp_session_begin(&collector->session, options, false, &diag) ?:
	      open_stacks(&collector->session, options->chain, &diag);
	if (err)
		mp_session_end(&collector->session);
	if (write(tell, &diag, sizeof(diag)) != sizeof(diag) || err)
		_exit(1);
	close(tell);
	serve_session(collector);
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void mp_collector_close(struct mp_collector *collector)
{
	close_file(&collector->listen);
	close_file(&collector->lock);
}

static bool read_diag(int fd, struct mp_diag *diag)
{
	size_t nr = 0;
	ssize_t got;

	while (nr < sizeof(*diag)) {
		got = read(fd, (char *)diag + nr, sizeof(*diag) - nr);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		nr += (size_t)got;
	}
	return true;
}

int mp_collector_spawn(struct mp_collector *collector,
		       const struct mp_record_options *options, pid_t *pid,
		       struct mp_diag *diag)
{
	int ends[2], err = 0;

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC))
		return mp_diag_fail(diag, errno, NULL,
				    "cannot fork the collector");
	*pid = fork();
	if (!*pid)
		run_child(collector, options, ends[1]);
	close(ends[1]);
	if (*pid < 0)
		err = mp_diag_fail(diag, errno, NULL,
				   "cannot fork the collector");
	else if (!read_diag(ends[0], diag)) {
		*diag = (struct mp_diag){ 0 };
		err = mp_diag_fail(diag, 0, NULL, "the collector died");
	} else if (diag->failed) {
		err = -EINVAL;
	}
	close(ends[0]);
	mp_collector_close(collector);
	if (err && *pid > 0)
		waitpid(*pid, NULL, 0);
	return err;
}
