// SPDX-License-Identifier: GPL-2.0-only
/*
 * start: starts a session and its collector process
 *
 * All steps that can fail are done before `start` returns: lock, socket,
 * device, targets, start, fork. If the program exits early, the kernel undoes
 * them: the session ends when its last file descriptor is closed, so an
 * incomplete session cannot remain.
 */
#include "collector.h"
#include "command.h"
#include "human.h"
#include "message.h"
#include "request.h"
#include "record-arguments.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct request {
	struct mp_record_options options;
	bool quiet;
};

static const struct mp_option options[] = {
	MP_RECORD_OPTIONS(struct request, options),
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

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

static void print_alloc(const struct mp_alloc_meta *alloc, uint32_t streams)
{
	char rate[MP_HUMAN_SIZE];

	if (!(streams & MEMPROF_START_ALLOC))
		printf("no allocations");
	else if (alloc->rate == 1)
		printf("every allocation (%u probes)", alloc->nr_probes);
	else
		printf("1 allocation per %s bytes (%u probes)",
		       mp_human_bytes(rate, alloc->rate), alloc->nr_probes);
}

static void print_started(const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;

	printf("started session %u: %s; ", status->session, meta->targets);
	if (meta->source == MP_SOURCE_SMAPS) {
		puts("sizes only; source smaps");
		return;
	}
	if (status->streams & MEMPROF_START_FAULTS)
		printf("1 of %u minor and 1 of %u major faults, ",
		       status->minor_period, status->major_period);
	else
		printf("no faults, ");
	printf("%s growth, ", status->streams & MEMPROF_START_GROWTH ? "all" :
								       "no");
	print_alloc(&meta->alloc, status->streams);
	printf("; source %s\n", mp_source_name(meta->source));
}

/* Waits for the collector's first answer and prints the session. */
static int await_collector(pid_t pid, bool quiet)
{
	struct mp_profile profile = { 0 };
	struct mp_diag diag = { 0 };
	int status;

	mp_request("status", &profile, &diag);
	status = mp_message_diag(&diag, "start");

	if (status) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	} else if (!quiet) {
		print_started(&profile.meta);
	}
	mp_profile_free(&profile);
	return status;
}

static int start_session(struct request *request)
{
	/* static, because it is too large for the stack */
	static struct mp_collector collector = { .lock = -1, .listen = -1 };
	int status, err = mp_control_init(&collector.control);
	struct mp_diag diag = { 0 };
	pid_t pid;

	if (err) {
		mp_request_bad_dir(err, &diag);
		return mp_message_diag(&diag, "start");
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
	mp_collector_spawn(&collector, &request->options, &pid, &diag);
	status = mp_message_diag(&diag, "start");
	if (status)
		unlink(collector.control.socket.sun_path);
	return status ? status : await_collector(pid, request->quiet);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { 0 };
	int status;

	mp_record_options_init(&request.options);
	status = mp_command_parse(command, argc, argv, &request);
	if (status != MP_PARSED)
		return status;
	status = mp_record_arguments_check(&request.options, "start");
	return status ? status : start_session(&request);
}

const struct mp_command mp_cmd_start = {
	.heading = "a session that goes on; report, top and export show it:",
	.name = "start",
	.summary = "start a session in the background",
	.usage = "[-a | -p PID... -G CGROUP... --comm NAME...] [OPTION]...",
	.options = options,
	.run = run,
};
