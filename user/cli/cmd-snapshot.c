// SPDX-License-Identifier: GPL-2.0-only
/*
 * snapshot: records the live blocks of a process that runs with libmemprof, or what the
 * session has seen
 *
 * It reads the process's region, which takes milliseconds, or asks the collector. No
 * process is stopped, and the session goes on.
 */
#include "chunk-look.h"
#include "clock.h"
#include "command.h"
#include "human.h"
#include "input.h"
#include "message.h"
#include "output.h"
#include "preload.h"
#include "regions.h"
#include "session-save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

/* Limit of the time for looking into malloc of the process */
#define CHUNKS_NS	2000000000ULL

struct request {
	struct mp_preload preload;
	uint64_t pid;
	bool since_mark;
	bool quiet;
};

static const struct mp_option options[] = {
	{ 'p', "pid", "PID", NULL, "a process that runs with the library",
	  MP_NUMBER(struct request, pid, 1, INT_MAX) },
	MP_OUTPUT_OPTIONS(struct request, preload.output, preload.force,
			  "default " MP_INPUT_DEFAULT "; an older recording of this name becomes .old"),
	{ 0, "since-mark", NULL, NULL,
	  "only live blocks allocated after memprofctl mark",
	  MP_FLAG(struct request, since_mark) },
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static void say_written(const struct request *request, uint64_t bytes)
{
	char size[MP_HUMAN_SIZE];

	if (!request->quiet)
		fprintf(stderr, "[ memprofctl snapshot: wrote %s to %s ]\n",
			mp_human_bytes(size, bytes), request->preload.output);
}

static void add_chunks(struct mp_profile *profile)
{
	const uint64_t end_ns = mp_clock_ns() + CHUNKS_NS;
	struct mp_chunk_look look = { 0 };
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (!(profile->rows[i].flags & MP_ROW_EXITED))
			mp_chunk_look_fill(&look, &profile->rows[i], end_ns);
	mp_chunk_look_close(&look);
}

static int take_snapshot(const struct request *request, const char *path)
{
	struct mp_profile profile = { 0 };
	struct mp_regions regions = {
		.profile = &profile, .since_mark = request->since_mark,
		.pid = (pid_t)request->pid,
	};
	struct mp_diag diag = { 0 };
	uint64_t bytes = 0;
	int err = mp_regions_read(&regions, path), status;

	snprintf(profile.meta.targets, sizeof(profile.meta.targets),
		 "process %d", (int)request->pid);
	if (!err)
		add_chunks(&profile);
	if (err == -EBADMSG)
		mp_diag_fail(&diag, 0, NULL, "process %d: %s",
			     (int)request->pid, regions.why);
	else if (err)
		mp_diag_fail(&diag, err, NULL, "cannot read %s", path);
	else
		mp_preload_write(&request->preload, &profile, &bytes, &diag);
	status = mp_message_diag(&diag, "snapshot");
	if (!status)
		say_written(request, bytes);
	mp_profile_free(&profile);
	return status;
}

static int save_session(const struct request *request)
{
	struct mp_diag diag = { 0 };
	uint64_t bytes = 0;
	int status;

	if (request->since_mark)
		return mp_misuse("snapshot", "--since-mark needs -p PID");
	mp_session_save(&request->preload, &bytes, &diag);
	status = mp_message_diag(&diag, "snapshot");
	if (!status)
		say_written(request, bytes);
	return status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.preload = { .output = MP_INPUT_DEFAULT, .argc = argc,
			     .argv = argv },
	};
	int status = mp_command_parse(command, argc, argv, &request);
	struct mp_diag diag = { 0 };
	char path[PATH_MAX];

	if (status != MP_PARSED)
		return status;
	request.preload.keeps_old = !request.preload.force &&
				    mp_input_is_recording(request.preload.output);
	request.preload.force |= request.preload.keeps_old;
	if (!request.pid)
		return save_session(&request);
	if (mp_region_of((pid_t)request.pid, path, &diag))
		return mp_message_diag(&diag, "snapshot");
	return take_snapshot(&request, path);
}

const struct mp_command mp_cmd_snapshot = {
	.name = "snapshot",
	.summary = "record what the session has seen, or the live blocks of a process with the library",
	.usage = "[-p PID [--since-mark]] [-o FILE] [-f] [-q]",
	.options = options,
	.run = run,
};
