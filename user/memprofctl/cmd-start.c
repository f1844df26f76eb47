// SPDX-License-Identifier: GPL-2.0-only
/*
 * start: begin a session and leave a collector behind
 *
 * Everything that can fail fails here, in the foreground, in an order in which
 * leaving undoes it: lock, socket, device, targets, start, fork. The session
 * ends with the last copy of its file, so there is none half-open.
 */
#include "collector.h"
#include "command.h"
#include "kmod.h"
#include "message.h"
#include "request.h"
#include "targets.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum {
	OPT_COMM = MP_OPTION_LONG,
	OPT_FAULTS,
	OPT_GROWTH,
	OPT_NO_CHILDREN,
	OPT_MAX_PROCESSES,
};

static const struct mp_option options[] = {
	{ 'a', "all", NULL, NULL, "every process; the default" },
	{ 'p', "pid", "PID", NULL,
	  "a process and its later children; repeatable" },
	{ 'G', "cgroup", "CGROUP", NULL,
	  "tasks in a cgroup v2 or below; repeatable" },
	{ OPT_COMM, "comm", "NAME", NULL,
	  "processes of this command name; repeatable" },
	{ OPT_NO_CHILDREN, "no-children", NULL, NULL,
	  "-p does not extend to children" },
	{ OPT_FAULTS, "faults", "PERIOD|off", "off 1 10 100 1000",
	  "sample every PERIOD-th minor fault; default 100" },
	{ OPT_GROWTH, "growth", "on|off", "on off",
	  "follow brk, mmap, munmap, mremap; default on" },
	{ OPT_MAX_PROCESSES, "max-processes", "N", NULL,
	  "rows to keep, exited ones included; default 16384" },
	{ 'q', "quiet", NULL, NULL, "print nothing on success" },
	MP_OPTION_HELP,
	{ 0 },
};

struct request {
	struct mp_targets targets;
	struct memprof_start start;
	bool quiet;
};

static int take_faults(struct memprof_start *start, const char *value)
{
	uint64_t period = 0;

	start->flags &= ~MEMPROF_START_FAULTS;
	start->minor_period = 0;
	if (!strcmp(value, "off"))
		return 0;
	if (!mp_command_number(value, 1, MEMPROF_MAX_PERIOD, &period))
		return mp_misuse("start",
				 "--faults takes off or a period from 1 to %u, not '%s'",
				 MEMPROF_MAX_PERIOD, value);
	start->flags |= MEMPROF_START_FAULTS;
	start->minor_period = period;
	return 0;
}

static int take_growth(struct memprof_start *start, const char *value)
{
	if (strcmp(value, "on") && strcmp(value, "off"))
		return mp_misuse("start", "--growth takes on or off, not '%s'",
				 value);
	start->flags &= ~MEMPROF_START_GROWTH;
	if (!strcmp(value, "on"))
		start->flags |= MEMPROF_START_GROWTH;
	return 0;
}

static int take_max_processes(struct memprof_start *start, const char *value)
{
	uint64_t max;

	if (!mp_command_number(value, 1, MEMPROF_MAX_PROCESSES, &max))
		return mp_misuse("start",
				 "--max-processes takes a number from 1 to %u, not '%s'",
				 MEMPROF_MAX_PROCESSES, value);
	start->max_processes = max;
	return 0;
}

static int take(void *context, int code, const char *value)
{
	struct request *request = context;

	switch (code) {
	case 'a':
		return mp_targets_take(&request->targets, MEMPROF_TARGET_ALL,
				       "");
	case 'p':
		return mp_targets_take(&request->targets,
				       MEMPROF_TARGET_PROCESS, value);
	case 'G':
		return mp_targets_take(&request->targets,
				       MEMPROF_TARGET_CGROUP, value);
	case OPT_COMM:
		return mp_targets_take(&request->targets, MEMPROF_TARGET_COMM,
				       value);
	case OPT_NO_CHILDREN:
		request->targets.children = false;
		return 0;
	case OPT_FAULTS:
		return take_faults(&request->start, value);
	case OPT_GROWTH:
		return take_growth(&request->start, value);
	case OPT_MAX_PROCESSES:
		return take_max_processes(&request->start, value);
	default:
		request->quiet = true;
		return 0;
	}
}

static int cannot_lock(const struct mp_control *control, int err)
{
	if (err == -EWOULDBLOCK)
		return mp_fail(0, "memprofctl stop ends it",
			       "a session is already running, or being started");
	if (err == -EPERM)
		return mp_fail(err,
			       "run as root, or set " MP_CONTROL_DIR_ENV
			       " to a folder that only you may write",
			       "cannot use the folder %s", control->dir);
	return mp_fail(err, err == -EACCES ?
		       "run as root; with CAP_PERFMON alone, set "
		       MP_CONTROL_DIR_ENV : NULL, "cannot lock %s",
		       control->lock);
}

static int cannot_open(int err)
{
	const char *hint = NULL;

	if (err == -ENOENT || err == -ENXIO || err == -ENODEV)
		hint = "load the module: modprobe memprof; memprofctl check tells more";
	else if (err == -EACCES || err == -EPERM)
		hint = "run as root, or grant CAP_PERFMON";
	return mp_fail(err, hint, "cannot open " MEMPROF_DEVICE);
}

static int cannot_start(int err)
{
	const char *hint = NULL;

	if (err == -EPERM)
		hint = "run as root, or grant CAP_PERFMON";
	else if (err == -EUSERS)
		hint = "too many sessions run already";
	else if (err == -EOPNOTSUPP)
		hint = "this kernel lacks a stream: see memprofctl check, --faults off, --growth off";
	else if (err == -ENOMEM)
		hint = "a smaller --max-processes needs less";
	return mp_fail(err, hint, "cannot start the session");
}

/* Device, targets, start. The caller closes what this opened. */
static int begin(const struct request *request, struct mp_collector *collector)
{
	int err;

	collector->device = mp_dev_open();
	if (collector->device < 0)
		return cannot_open(collector->device);
	if (mp_targets_add(&request->targets, collector->device,
			   collector->targets))
		return MP_EXIT_FAILURE;
	err = mp_dev_start(collector->device, &request->start);
	return err ? cannot_start(err) : 0;
}

static void print_started(const struct mp_meta *meta)
{
	const struct memprof_status *status = &meta->status;

	printf("started session %u: %s; ", status->session, meta->targets);
	if (status->streams & MEMPROF_START_FAULTS)
		printf("1 of %u minor and 1 of %u major faults, ",
		       status->minor_period, status->major_period);
	else
		printf("no faults, ");
	printf("%s growth\n", status->streams & MEMPROF_START_GROWTH ? "all" :
								       "no");
}

/* The collector answers once it is on its own feet. */
static int leave(struct mp_collector *collector, bool quiet)
{
	struct mp_profile profile = { 0 };
	pid_t pid = mp_collector_spawn(collector);
	int status;

	if (pid < 0)
		return mp_fail(pid, NULL, "cannot fork the collector");
	status = mp_request("status", &profile);
	if (status) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	} else if (!quiet) {
		print_started(&profile.meta);
	}
	mp_profile_free(&profile);
	return status;
}

static int start(const struct request *request)
{
	struct mp_collector collector = {
		.device = -1, .lock = -1, .listen = -1,
	};
	int status, err = mp_control_init(&collector.control);

	if (err)
		return mp_request_bad_dir(err);
	collector.lock = mp_control_lock(&collector.control);
	if (collector.lock < 0)
		return cannot_lock(&collector.control, collector.lock);
	status = begin(request, &collector);
	if (status)
		goto close;
	collector.listen = mp_control_listen(&collector.control);
	if (collector.listen < 0) {
		status = mp_fail(collector.listen, NULL, "cannot listen on %s",
				 collector.control.socket.sun_path);
		goto close;
	}
	status = leave(&collector, request->quiet);
close:
	mp_collector_close(&collector);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.targets.children = true,
		.start.flags = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
	};
	int status = mp_command_parse(command, argc, argv, take, &request);

	if (status == MP_PARSED)
		status = mp_targets_close(&request.targets);
	else
		return status;
	return status ? status : start(&request);
}

const struct mp_command mp_cmd_start = {
	.name = "start",
	.summary = "begin a session and leave a collector behind",
	.usage = "[-a | -p PID... -G CGROUP... --comm NAME...] [OPTION]...",
	.options = options,
	.run = run,
};
