// SPDX-License-Identifier: GPL-2.0-only
/*
 * inject, eject: put libmemprof into running processes, and take it out again
 *
 * If one of several processes fails, the others are done nevertheless.
 */
#include "command.h"
#include "inject.h"
#include "library.h"
#include "message.h"
#include "number.h"
#include "preload.h"
#include "record-options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_PIDS	1024

struct request {
	pid_t pids[MAX_PIDS];
	size_t nr_pids;
	uint64_t rate;
	const char *out;
	bool paused, mappings, quiet;
};

static int add_pid(void *to, const struct mp_argument *argument)
{
	struct request *request = to;
	uint64_t pid;

	if (!mp_command_number(argument->value, 1, INT_MAX, &pid))
		return mp_misuse(argument->verb, "'%s' is not a process id",
				 argument->value);
	if (request->nr_pids == MAX_PIDS)
		return mp_misuse(argument->verb, "at most %d processes", MAX_PIDS);
	request->pids[request->nr_pids++] = (pid_t)pid;
	return 0;
}

static int set_rate(void *to, const struct mp_argument *argument)
{
	return mp_command_bytes(argument->value, 1, MP_PRELOAD_MAX_RATE, to) ? 0 :
	       mp_misuse(argument->verb,
			 "--rate takes bytes from 1 to 32G, such as 512K, not '%s'",
			 argument->value);
}

#define OPTION_PID \
	{ 'p', "pid", "PID", NULL, "a running process; repeatable", \
	  .set = add_pid }

static const struct mp_option inject_options[] = {
	OPTION_PID,
	{ 0, "rate", "BYTES", "64K 512K 4M",
	  "a sample per BYTES allocated, on average (16K, 2000 a second and thread at most)",
	  MP_SET(struct request, rate, set_rate) },
	{ 0, "out", "PATH", NULL, "the file of samples, with %p for the process id",
	  MP_TEXT(struct request, out) },
	{ 0, "paused", NULL, NULL, "sample nothing until memprofctl resume",
	  MP_FLAG(struct request, paused) },
	{ 0, "mappings", NULL, NULL, "sample mappings, too",
	  MP_FLAG(struct request, mappings) },
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static const struct mp_option eject_options[] = {
	OPTION_PID,
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	{ 0 },
};

static void print_pause(const struct mp_injection *injection)
{
	printf("    thread %d paused for %" PRIu64 ".%03" PRIu64 " ms, found in %" PRIu32
	       " %s\n", (int)injection->thread, injection->paused_ns / 1000000,
	       injection->paused_ns / 1000 % 1000, injection->tries,
	       injection->tries == 1 ? "try" : "tries");
}

/* What the library says about itself comes from the process, and is not trusted. */
static void print_injection(pid_t pid, const struct mp_injection *injection)
{
	const struct memprof_attachment *attachment = &injection->attachment;

	printf("injected into process %d: %" PRIu32 " calls in %" PRIu32 " binaries",
	       (int)pid, attachment->slots, attachment->objects);
	if (attachment->foreign)
		printf(", %" PRIu32 " left alone", attachment->foreign);
	if (attachment->failed)
		printf(", %" PRIu32 " failed", attachment->failed);
	putchar('\n');
	print_pause(injection);
}

static int inject(const struct request *request, pid_t pid, const char *library)
{
	const struct mp_inject_options options = {
		.library = library,
		.flags = (request->paused ? MEMPROF_ATTACH_PAUSED : 0) |
			 (request->mappings ? MEMPROF_ATTACH_MMAP : 0),
		/* a rate that the user chose has no limit of samples a second */
		.rate = request->rate ?: MP_SAMPLERS_RATE,
		.pace = request->rate ? 0 : MP_PACE,
		.out = request->out,
	};
	struct mp_injection injection;
	struct mp_diag diag = { 0 };

	if (mp_inject(pid, &options, &injection, &diag))
		return mp_message_diag(&diag, "inject");
	if (request->quiet)
		return 0;
	print_injection(pid, &injection);
	if (request->paused)
		printf("    memprofctl resume -p %d lets it begin\n", (int)pid);
	else
		printf("    memprofctl snapshot -p %d and then report show what it allocates from now on\n",
		       (int)pid);
	return 0;
}

static int eject(const struct request *request, pid_t pid)
{
	struct mp_injection injection;
	struct mp_diag diag = { 0 };

	if (mp_eject(pid, &injection, &diag))
		return mp_message_diag(&diag, "eject");
	if (request->quiet)
		return 0;
	printf("ejected from process %d: %d calls lead to its allocator again\n",
	       (int)pid, injection.nr_restored);
	print_pause(&injection);
	return 0;
}

static int check(const struct mp_command *command, const struct request *request)
{
	if (!request->nr_pids)
		return mp_misuse(command->name, "-p PID is needed");
	if (request->out && strlen(request->out) >= MEMPROF_ATTACH_PATH)
		return mp_misuse(command->name, "--out takes at most %d bytes",
				 MEMPROF_ATTACH_PATH - 1);
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { .nr_pids = 0 };
	int status = mp_command_parse(command, argc, argv, &request), failed = 0;
	bool is_eject = command == &mp_cmd_eject;
	struct mp_diag diag = { 0 };
	char library[PATH_MAX];
	size_t i;

	if (status != MP_PARSED)
		return status;
	status = check(command, &request);
	if (status)
		return status;
	if (!is_eject && mp_library_find(library, &diag))
		return mp_message_diag(&diag, command->name);
	for (i = 0; i < request.nr_pids; i++) {
		status = is_eject ? eject(&request, request.pids[i]) :
			 inject(&request, request.pids[i], library);
		failed = status ?: failed;
		fflush(stdout);
	}
	return failed;
}

const struct mp_command mp_cmd_inject = {
	.heading = "the sampler inside processes:",
	.name = "inject",
	.summary = "put the library into a running process",
	.usage = "-p PID [-p PID]... [--rate BYTES] [--out PATH] [--paused] [--mappings] [-q]",
	.options = inject_options,
	.run = run,
};

const struct mp_command mp_cmd_eject = {
	.name = "eject",
	.summary = "take the library out of a running process",
	.usage = "-p PID [-p PID]... [-q]",
	.options = eject_options,
	.run = run,
};
