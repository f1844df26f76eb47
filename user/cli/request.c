// SPDX-License-Identifier: GPL-2.0-only
/*
 * request: sends a request to the collector and reads the answer
 *
 * It waits at most TIMEOUT_MS for an answer, and not at all if a signal has
 * stopped the collector (SIGSTOP). Errors are reported in @diag.
 */
#include "request.h"
#include "agent-folder.h"
#include "control.h"
#include "message.h"
#include "process-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Time limit: a snapshot of the largest tables takes seconds on a busy machine. */
#define TIMEOUT_MS	30000

int mp_request_bad_dir(int err, struct mp_diag *diag)
{
	return mp_diag_fail(diag, err, "an absolute path of less than 100 bytes is needed",
			    "cannot use the folder in " MP_CONTROL_DIR_ENV);
}

static int report_cannot_connect(const struct mp_control *control, int err,
				 struct mp_diag *diag)
{
	const char *hint = NULL;

	if (err == -ENOENT || err == -ECONNREFUSED)
		return mp_diag_fail(diag, 0, mp_agent_folder_is_told() ?
				    "memprofctl report --history shows what the agent kept" :
				    "memprofctl start begins one; record -p PID, or record -- COMMAND, makes a file that report reads",
				    "no session is running");
	if (err == -EACCES || err == -EPERM)
		hint = "run as the user who started the session, or as root";
	return mp_diag_fail(diag, err, hint, "cannot connect to %s",
			    control->socket.sun_path);
}

static int report_cannot_ask(const char *verb, int err,
		      const struct mp_json_line *line, struct mp_diag *diag)
{
	switch (err) {
	case -EREMOTEIO:
		return mp_diag_fail(diag, line->err, NULL, "%s", line->message);
	case -EAGAIN:
		return mp_diag_fail(diag, ETIMEDOUT, NULL,
				    "no answer from the collector to %s", verb);
	case -EBADMSG:
		return mp_diag_fail(diag, err, "do both have the same version?",
				    "cannot read the collector's answer to %s",
				    verb);
	case -ECONNRESET:
	case -EPIPE:
		return mp_diag_fail(diag, 0, "it was stopped, serves too many clients, or crashed: then the kernel's log says so",
				    "the collector closed the connection during %s", verb);
	default:
		return mp_diag_fail(diag, err, NULL,
				    "cannot ask the collector to %s", verb);
	}
}

/* Returns true if SIGSTOP or SIGTSTP has stopped the collector, so it cannot answer. */
static bool is_stopped(int fd, pid_t *pid)
{
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;
	char line[64], state;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return false;
	*pid = peer.pid;
	return mp_process_file_line(peer.pid, "status", "State:", line,
				    sizeof(line)) &&
	       sscanf(line, "State: %c", &state) == 1 && state == 'T';
}

/* Sends the request, reads the answer, and closes @fd. */
static int send_request(int fd, const char *verb, struct mp_profile *profile,
			struct mp_diag *diag)
{
	struct mp_json_line line;
	pid_t pid;
	int err;

	if (is_stopped(fd, &pid)) {
		close(fd);
		return mp_diag_fail(diag, 0, "kill -CONT lets it go on",
				    "the collector, process %d, is stopped",
				    (int)pid);
	}
	err = mp_control_ask(fd, verb, profile, &line);

	if ((!err || err == -EREMOTEIO) && !strcmp(verb, "stop"))
		err = mp_control_drain(fd) ?: err;
	close(fd);
	return err ? report_cannot_ask(verb, err, &line, diag) : 0;
}

int mp_request(const char *verb, struct mp_profile *profile,
	       struct mp_diag *diag)
{
	struct mp_control control;
	int fd, err = mp_control_init(&control);

	if (err)
		return mp_request_bad_dir(err, diag);
	fd = mp_control_connect(&control, TIMEOUT_MS);
	if (fd < 0)
		return report_cannot_connect(&control, fd, diag);
	return send_request(fd, verb, profile, diag);
}

bool mp_request_session_runs(void)
{
	struct mp_control control;
	int fd = mp_control_init(&control) ?: mp_control_connect(&control, TIMEOUT_MS);

	if (fd >= 0)
		close(fd);
	/* -EACCES: one may run, but this user cannot see it */
	return fd != -ENOENT && fd != -ECONNREFUSED && fd != -EACCES;
}

time_t mp_request_session_begin(void)
{
	struct mp_control control;
	struct stat st;

	/* the socket is made at the begin */
	return mp_control_init(&control) || stat(control.socket.sun_path, &st) ? 0 :
	       st.st_mtime;
}

int mp_request_if_running(const char *verb, struct mp_profile *profile,
			  bool *running, struct mp_diag *diag)
{
	struct mp_control control;
	int fd = mp_control_init(&control);

	if (!fd)
		fd = mp_control_connect(&control, TIMEOUT_MS);
	*running = fd >= 0;
	return *running ? send_request(fd, verb, profile, diag) : 0;
}

int mp_request_run(const struct mp_command *command, int argc, char **argv,
		   void (*show)(struct mp_profile *profile, bool flag))
{
	struct mp_profile profile = { 0 };
	struct mp_diag diag = { 0 };
	struct mp_request_flag flag = { 0 };
	int status = mp_command_parse(command, argc, argv, &flag);

	if (status != MP_PARSED)
		return status;
	mp_request(command->name, &profile, &diag);
	status = mp_message_diag(&diag, command->name);
	if (!status)
		show(&profile, flag.given);
	mp_profile_free(&profile);
	return status;
}
