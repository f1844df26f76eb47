// SPDX-License-Identifier: GPL-2.0-only
/*
 * mark, pause, resume: control a process that runs with libmemprof
 *
 * They write to the process's region. The process gets no signal and is not
 * stopped.
 */
#include "command.h"
#include "message.h"
#include "preload.h"
#include "process.h"
#include "prober.h"
#include "record-arguments.h"
#include "region.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct request {
	const char *verb;
	struct mp_targets targets;
	bool quiet;
};

static const struct mp_option options[] = {
	{ 'p', "pid", "PID", NULL, "a process that runs with the library; repeatable",
	  MP_SET(struct request, targets, mp_target_argument),
	  .constant = MEMPROF_TARGET_PROCESS },
	{ 'G', "cgroup", "CGROUP", NULL, "those in a cgroup v2 or below; repeatable",
	  MP_SET(struct request, targets, mp_target_argument),
	  .constant = MEMPROF_TARGET_CGROUP },
	{ 0, "comm", "NAME", NULL, "those of this command name; repeatable",
	  MP_SET(struct request, targets, mp_target_argument),
	  .constant = MEMPROF_TARGET_COMM },
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static int write_region(const struct request *request, pid_t pid, const char *path)
{
	struct mp_region region;
	int err = mp_region_open(&region, path, true);

	/* the process id in the region may be of another pid namespace */
	region.pid = pid;
	if (err == -EBADMSG)
		err = mp_fail(0, NULL, "process %d: %s", (int)pid, region.why);
	else if (err)
		err = mp_fail(err, NULL, "cannot open %s", path);
	else if (!strcmp(request->verb, "mark"))
		err = mp_region_mark(&region);
	else
		err = mp_region_pause(&region, *request->verb == 'p');
	if (err < 0)
		err = mp_fail(err, NULL, "cannot write %s", path);
	mp_region_close(&region);
	if (!err && !request->quiet)
		printf("%s%s process %d\n", request->verb,
		       *request->verb == 'm' ? "ed" : "d", (int)pid);
	return err;
}

struct walk {
	const struct request *request;
	const struct mp_prober *filter;
	size_t nr;
	int err;
};

/* A process without the library, or without samples since a fork, is passed over. */
static void write_wanted(void *context, pid_t pid)
{
	struct walk *walk = context;
	char path[PATH_MAX];
	int err;

	if (!mp_prober_wants(walk->filter, pid) || mp_region_find(pid, path))
		return;
	err = write_region(walk->request, pid, path);
	walk->nr += !err;
	walk->err = walk->err ?: err;
}

static int write_all(const struct request *request)
{
	struct mp_prober filter = { 0 };
	struct walk walk = { .request = request, .filter = &filter };

	mp_prober_open(&filter, &request->targets);
	mp_process_each(write_wanted, &walk);
	mp_prober_close(&filter);
	if (walk.nr || walk.err)
		return walk.err;
	return mp_fail(0, "memprofctl inject puts it into processes that run",
		       "no process of the targets has the library");
}

/* A process that was named must have the library. */
static int write_named(const struct request *request)
{
	struct mp_diag diag = { 0 };
	char path[PATH_MAX];
	int status = 0, err;
	unsigned int i;
	pid_t pid;

	for (i = 0; i < request->targets.nr; i++) {
		if (request->targets.list[i].kind != MEMPROF_TARGET_PROCESS)
			return write_all(request);
		pid = (pid_t)request->targets.list[i].number;
		if (mp_region_of(pid, path, &diag))
			return mp_message_diag(&diag, request->verb);
		err = write_region(request, pid, path);
		status = status ?: err;
	}
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { .verb = command->name };
	int status = mp_command_parse(command, argc, argv, &request);
	struct mp_diag diag = { 0 };

	if (status != MP_PARSED)
		return status;
	if (!request.targets.nr)
		return mp_misuse(command->name, "-p PID, -G CGROUP or --comm NAME is needed");
	if (mp_targets_find(&request.targets, &diag))
		return mp_message_diag(&diag, command->name);
	return write_named(&request);
}

const struct mp_command mp_cmd_mark = {
	.name = "mark",
	.summary = "set a mark in processes that run with the library",
	.usage = "-p PID | -G CGROUP | --comm NAME [-q]",
	.options = options,
	.run = run,
};

const struct mp_command mp_cmd_pause = {
	.name = "pause",
	.summary = "pause sampling in processes that run with the library",
	.usage = "-p PID | -G CGROUP | --comm NAME [-q]",
	.options = options,
	.run = run,
};

const struct mp_command mp_cmd_resume = {
	.name = "resume",
	.summary = "resume sampling after a pause",
	.usage = "-p PID | -G CGROUP | --comm NAME [-q]",
	.options = options,
	.run = run,
};
