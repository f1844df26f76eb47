// SPDX-License-Identifier: GPL-2.0-only
/*
 * start: begin a session and leave a collector behind
 *
 * Everything that can fail fails here, in the foreground, in an order in which
 * leaving undoes it: lock, socket, device, targets, start, fork. The session
 * ends with the last copy of its file, so there is none half-open.
 */
#include "alloc-fn.h"
#include "collector.h"
#include "command.h"
#include "human.h"
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
	OPT_ALLOC,
	OPT_ALLOC_ALL,
	OPT_ALLOC_FN,
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
	{ OPT_ALLOC, "alloc", "exact|BYTES|off", "exact off 64K 512K 4M",
	  "follow allocations: each, or a sample every BYTES; 512K with -p, -G, --comm" },
	{ OPT_ALLOC_ALL, "alloc-all", NULL, NULL,
	  "follow the allocations of every process, at a cost to each" },
	{ OPT_ALLOC_FN, "alloc-fn", "NAME=KIND", NULL,
	  "NAME is an allocator function of this KIND; repeatable" },
	{ OPT_MAX_PROCESSES, "max-processes", "N", NULL,
	  "rows to keep, exited ones included; default 16384" },
	{ 'q', "quiet", NULL, NULL, "print nothing on success" },
	MP_OPTION_HELP,
	{ 0 },
};

/* Whether the user said something on allocations, and what. */
enum alloc_wish {
	ALLOC_DEFAULT,
	ALLOC_OFF,
	ALLOC_ON,
};

struct request {
	struct mp_targets targets;
	struct memprof_start start;
	struct mp_user_functions functions;
	enum alloc_wish alloc;
	bool alloc_all;
	bool quiet;
};

static int take_alloc(struct request *request, const char *value)
{
	uint64_t rate = 1;

	request->alloc = ALLOC_ON;
	if (!strcmp(value, "off"))
		request->alloc = ALLOC_OFF;
	else if (strcmp(value, "exact") &&
		 !mp_command_bytes(value, 1, MEMPROF_MAX_RATE, &rate))
		return mp_misuse("start",
				 "--alloc takes exact, off, or bytes such as 512K, not '%s'",
				 value);
	request->start.alloc_rate = rate;
	return 0;
}

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
	case OPT_ALLOC:
		return take_alloc(request, value);
	case OPT_ALLOC_ALL:
		request->alloc_all = true;
		return 0;
	case OPT_ALLOC_FN:
		return mp_alloc_fn_take(&request->functions, "start", value);
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

/* What was not asked for is left out where the module cannot do it. */
static int choose_alloc(struct request *request, int device)
{
	bool all = request->targets.list[0].kind == MEMPROF_TARGET_ALL;
	struct memprof_info info;
	int err = mp_dev_info(device, &info);

	if (err)
		return mp_fail(err, NULL, "cannot ask the module what it can do");
	if (request->alloc == ALLOC_OFF ||
	    (request->alloc == ALLOC_DEFAULT &&
	     (all || !(info.features & MEMPROF_FEATURE_ALLOC)) &&
	     !request->alloc_all))
		return 0;
	if (!(info.features & MEMPROF_FEATURE_ALLOC))
		return mp_fail(0, "leave out --alloc, or use a newer module",
			       "this module or kernel cannot follow allocations");
	request->start.flags |= MEMPROF_START_ALLOC;
	return 0;
}

static int begin_alloc(const struct request *request,
		       struct mp_collector *collector)
{
	struct mp_prober *prober = &collector->prober;
	size_t i;
	int status;

	prober->user = request->functions;
	mp_prober_open(prober, collector->device, &request->targets);
	status = mp_prober_begin(prober);
	if (status)
		return status;
	for (i = 0; i < prober->nr_warnings; i++)
		mp_warn(NULL, "%s", prober->warnings[i]);
	if (prober->nr_failed)
		mp_warn(strerror(-prober->err), "%zu of %zu probes failed, the first of them %s",
			prober->nr_failed, prober->nr_failed + prober->nr_probes,
			prober->refused);
	return 0;
}

/*
 * Device, targets, start, probes: a probe that the kernel refuses, which any
 * target's binary may bring about, is one probe less. The caller closes what this
 * opened.
 */
static int begin(struct request *request, struct mp_collector *collector)
{
	int status, err;

	collector->device = mp_dev_open();
	if (collector->device < 0)
		return cannot_open(collector->device);
	if (mp_targets_add(&request->targets, collector->device,
			   collector->targets))
		return MP_EXIT_FAILURE;
	status = choose_alloc(request, collector->device);
	if (status)
		return status;
	if (request->start.flags & MEMPROF_START_ALLOC)
		collector->alloc_rate = request->start.alloc_rate ?
					request->start.alloc_rate :
					MEMPROF_DEFAULT_RATE;
	else
		request->start.alloc_rate = 0;
	err = mp_dev_start(collector->device, &request->start);
	if (err)
		return cannot_start(err);
	return request->start.flags & MEMPROF_START_ALLOC ?
	       begin_alloc(request, collector) : 0;
}

static void print_alloc(const struct mp_alloc_meta *alloc, uint32_t streams)
{
	char rate[MP_HUMAN_SIZE];

	if (!(streams & MEMPROF_START_ALLOC))
		puts("no allocations");
	else if (alloc->rate == 1)
		printf("every allocation (%u probes)\n", alloc->nr_probes);
	else
		printf("1 allocation per %s bytes (%u probes)\n",
		       mp_human_bytes(rate, alloc->rate), alloc->nr_probes);
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
	printf("%s growth, ", status->streams & MEMPROF_START_GROWTH ? "all" :
								       "no");
	print_alloc(&meta->alloc, status->streams);
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

static int start(struct request *request)
{
	/* too large for a stack; one start a program */
	static struct mp_collector collector = {
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
	mp_finder_free(&collector.prober.finder);
	mp_collector_close(&collector);
	return status;
}

/* -a is dear with allocations: it takes a word of its own. */
static int check_alloc(const struct request *request)
{
	bool all = request->targets.list[0].kind == MEMPROF_TARGET_ALL;

	if (request->alloc_all && !all)
		return mp_misuse("start",
				 "--alloc-all is for every process: no target goes with it");
	if (request->alloc_all && request->alloc == ALLOC_OFF)
		return mp_misuse("start",
				 "--alloc-all and --alloc off contradict each other");
	if (request->alloc == ALLOC_ON && all && !request->alloc_all)
		return mp_misuse("start",
				 "--alloc slows every allocation of its targets: choose them with -p, -G or --comm, or say --alloc-all");
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.targets.children = true,
		.start.flags = MEMPROF_START_FAULTS | MEMPROF_START_GROWTH,
	};
	int status = mp_command_parse(command, argc, argv, take, &request);

	if (status != MP_PARSED)
		return status;
	status = mp_targets_close(&request.targets);
	if (!status)
		status = check_alloc(&request);
	return status ? status : start(&request);
}

const struct mp_command mp_cmd_start = {
	.name = "start",
	.summary = "begin a session and leave a collector behind",
	.usage = "[-a | -p PID... -G CGROUP... --comm NAME...] [OPTION]...",
	.options = options,
	.run = run,
};
