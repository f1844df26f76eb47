// SPDX-License-Identifier: GPL-2.0-only
/*
 * session-start: starts a session and its collector process
 *
 * All steps that can fail are done before the function returns: lock, socket,
 * device, targets, start, fork. If the program exits early, the kernel undoes
 * them: the session ends when its last file descriptor is closed, so an
 * incomplete session cannot remain.
 */
#include "session-start.h"
#include "collector.h"
#include "message.h"
#include "request.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the collector. Set by mp_session_start(). */
static pid_t latest;

static int cannot_lock(const struct mp_control *control, int err)
{
	if (err == -EWOULDBLOCK)
		return mp_fail(0, "memprofctl stop ends it",
			       "a session is already running, or being started");
	if (err == -EPERM)
		return mp_fail(err,
			       "run as root, or set " MP_CONTROL_DIR_ENV
			       " to a folder that only you can write to",
			       "cannot use the folder %s", control->dir);
	return mp_fail(err, err == -EACCES ?
		       "run as root; with CAP_PERFMON alone, set "
		       MP_CONTROL_DIR_ENV : NULL, "cannot lock %s",
		       control->lock);
}

/* Waits for the collector's first answer. */
static int await_collector(const char *verb, pid_t pid, struct mp_meta *meta)
{
	struct mp_profile profile = { 0 };
	struct mp_diag diag = { 0 };
	int status;

	mp_request("status", &profile, &diag);
	status = mp_message_diag(&diag, verb);
	if (status) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	*meta = profile.meta;
	mp_profile_free(&profile);
	return status;
}

int mp_session_start(const char *verb, const struct mp_record_options *options,
		     bool bound, struct mp_meta *meta)
{
	/* static, because it is too large for the stack */
	static struct mp_collector collector = { .lock = -1, .listen = -1 };
	int status, err = mp_control_init(&collector.control);
	struct mp_diag diag = { 0 };
	pid_t pid;

	collector.owner = bound ? getpid() : 0;
	if (err) {
		mp_request_bad_dir(err, &diag);
		return mp_message_diag(&diag, verb);
	}
	collector.lock = mp_control_lock(&collector.control);
	if (collector.lock < 0)
		return cannot_lock(&collector.control, collector.lock);
	collector.listen = mp_control_listen(&collector.control);
	if (collector.listen < 0) {
		status = mp_fail(collector.listen, NULL, "cannot listen on %s",
				 collector.control.socket.sun_path);
		mp_collector_close(&collector);
		return status;
	}
	mp_collector_spawn(&collector, options, &pid, &diag);
	status = mp_message_diag(&diag, verb);
	if (status)
		unlink(collector.control.socket.sun_path);
	if (!status)
		status = await_collector(verb, pid, meta);
	latest = status ? 0 : pid;
	return status;
}

pid_t mp_session_pid(void)
{
	return latest;
}

int mp_session_start_own(const char *verb, const struct mp_record_options *options)
{
	char folder[] = "/tmp/memprof-own-XXXXXX";
	struct mp_meta meta;
	int status;

	if (!mkdtemp(folder))
		return mp_fail(errno, NULL, "cannot make a folder in /tmp");
	setenv(MP_CONTROL_DIR_ENV, folder, true);
	status = mp_session_start(verb, options, true, &meta);
	if (status) {
		char lock[sizeof(folder) + 8];

		snprintf(lock, sizeof(lock), "%s/lock", folder);
		unlink(lock);
		rmdir(folder);
	}
	return status;
}
