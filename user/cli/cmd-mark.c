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
#include "region.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct request {
	const char *verb;
	uint64_t pid;
	bool quiet;
};

static const struct mp_option options[] = {
	{ 'p', "pid", "PID", NULL, "a process that runs with the library",
	  MP_NUMBER(struct request, pid, 1, INT_MAX) },
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static int write_region(const struct request *request, const char *path)
{
	struct mp_region region;
	int err = mp_region_open(&region, path, true);

	/* the region may have an id of another namespace */
	region.pid = (pid_t)request->pid;
	if (err == -EBADMSG)
		err = mp_fail(0, NULL, "process %d: %s", (int)request->pid,
			      region.why);
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
		       *request->verb == 'm' ? "ed" : "d", (int)request->pid);
	return err;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { .verb = command->name };
	int status = mp_command_parse(command, argc, argv, &request);
	struct mp_diag diag = { 0 };
	char path[PATH_MAX];

	if (status != MP_PARSED)
		return status;
	if (!request.pid)
		return mp_misuse(command->name, "-p PID is needed");
	if (mp_region_of((pid_t)request.pid, path, &diag))
		return mp_message_diag(&diag, command->name);
	return write_region(&request, path);
}

const struct mp_command mp_cmd_mark = {
	.name = "mark",
	.summary = "set a mark in a process that runs with the library",
	.usage = "-p PID [-q]",
	.options = options,
	.run = run,
};

const struct mp_command mp_cmd_pause = {
	.name = "pause",
	.summary = "pause sampling in a process that runs with the library",
	.usage = "-p PID [-q]",
	.options = options,
	.run = run,
};

const struct mp_command mp_cmd_resume = {
	.name = "resume",
	.summary = "resume sampling after a pause",
	.usage = "-p PID [-q]",
	.options = options,
	.run = run,
};
