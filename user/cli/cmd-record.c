// SPDX-License-Identifier: GPL-2.0-only
/*
 * record: records a session into a file that perf can also read
 *
 * If a command is given, it waits until recording has begun, and its exit
 * status becomes the exit status of memprofctl. It is recorded; if other targets are
 * given, they are recorded while it runs. Without a command the recording
 * ends with Ctrl-C, after --duration, or when the target processes exited.
 */
#include "command.h"
#include "human.h"
#include "injected-record.h"
#include "input.h"
#include "loader.h"
#include "loop.h"
#include "message.h"
#include "output.h"
#include "preload.h"
#include "record.h"
#include "record-arguments.h"
#include "samplers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_OPERANDS	4096

struct request {
	struct mp_record record;
	struct mp_samplers samplers;
	uint64_t rate;
	bool named;
	bool preload;
	bool quiet;
};

static int set_rate(void *to, const struct mp_argument *argument)
{
	return mp_command_bytes(argument->value, 1, MP_PRELOAD_MAX_RATE, to) ? 0 :
	       mp_misuse("record", "--rate takes bytes from 1 to 32G, such as 512K, not '%s'",
			 argument->value);
}

static const struct mp_option options[] = {
	{ 'o', "output", "FILE", NULL,
	  "default " MP_INPUT_DEFAULT "; an older recording of this name becomes .old",
	  MP_TEXT(struct request, record.output), MP_GIVEN(struct request, named) },
	{ 'f', "force", NULL, NULL, "replace an existing file",
	  MP_FLAG(struct request, record.force), MP_RARE },
	{ 'd', "duration", "TIME", "10s 1m 1h", "end after this time, such as 0.5, 90s, 2h",
	  MP_DURATION(struct request, record.duration_ms) },
	{ 0, "snapshot-interval", "TIME", "1s 10s 1m",
	  "interval for the module's tallies; default only at the end",
	  MP_DURATION(struct request, record.interval_ms), MP_RARE },
	{ 0, "preload", NULL, NULL,
	  "sample with a library in the command: no traps, no root",
	  MP_FLAG(struct request, preload), MP_RARE },
	{ 0, "rate", "BYTES", "64K 512K 4M",
	  "with --preload, mean bytes between samples; default 512K",
	  MP_SET(struct request, rate, set_rate), MP_RARE },
	{ 0, "interval", "TIME", "1s 10s 1m",
	  "look at the pages of targets so often, for report --at; default only at the end",
	  MP_DURATION(struct request, record.moment_ms), MP_RARE },
	MP_RECORD_OPTIONS(struct request, record.options),
	MP_READY_OPTION(struct request, record.ready_fd),
	MP_OPTION_QUIET(struct request, quiet),
	MP_OPTION_HELP,
	MP_OPTION_HELP_ALL,
	{ 0 },
};

static void print_summary(const struct request *request)
{
	const struct mp_record *record = &request->record;
	char size[MP_HUMAN_SIZE];

	if (record->nr_lost)
		mp_warn(record->options.samplers ?
			"fewer events: fewer targets, --faults with a larger period" :
			"fewer events: --inject, fewer targets, --faults with a larger period",
			"%" PRIu64 " events were lost: the rings were full",
			record->nr_lost);
	if (record->moment_ms && !record->nr_moments)
		mp_warn(record->source != MP_SOURCE_SMAPS ?
			"a shorter --interval, and --alloc or --inject" : "--source perf",
			"--interval found no moment at which it could look at pages");
	if (request->quiet)
		return;
	if (!record->launch.pid && !mp_targets_exist(&record->options.targets))
		fputs("[ memprofctl record: what was to be recorded has ended ]\n", stderr);
	fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
		" samples, %" PRIu64 " lost, source %s ]\n",
		mp_human_bytes(size, record->nr_bytes), record->output,
		record->nr_samples, record->nr_lost,
		mp_source_name(record->source));
	if (record->nr_moments)
		fprintf(stderr, "[ memprofctl record: looked at the pages %" PRIu64
			" times: memprofctl report --at TIME shows one ]\n", record->nr_moments);
}

/*
 * Forks the command's process and makes it the target, unless it only tells how long to
 * record. If its allocations are sampled, they are sampled by the library, which costs
 * no traps.
 */
static int launch_command(struct request *request, char **command,
			  struct mp_diag *diag)
{
	/* static, because the targets keep a pointer to it */
	static char pid[16];
	struct mp_record *record = &request->record;
	int err = 0;

	if (record->times)
		return mp_launch_fork(&record->launch, command, NULL, NULL, diag);
	if (mp_samplers_wanted(&record->options, command[0]))
		err = mp_samplers_begin(&request->samplers, &record->options, diag);
	if (!err && request->samplers.rate)
		record->regions = request->samplers.folder.regions;
	if (!err)
		err = mp_launch_fork(&record->launch, command, record->options.samplers ?
				     mp_samplers_prepare : NULL, &request->samplers, diag);
	if (err)
		return err;
	snprintf(pid, sizeof(pid), "%d", (int)record->launch.pid);
	return mp_targets_add_option(&record->options.targets,
				     MEMPROF_TARGET_PROCESS, pid, diag);
}

static void say_signal(const struct request *request, const char *command, int number)
{
	if (number && !request->quiet)
		fprintf(stderr, "[ memprofctl record: %s was killed by signal %d (%s) ]\n",
			command, number, strsignal(number));
}

/* Waits for the command, which may run longer than the recording. */
static int wait_for_command(struct request *request, char **command, int status)
{
	struct mp_launch *launch = &request->record.launch;
	int err;

	mp_launch_cancel(launch);
	mp_launch_reap(launch, WNOHANG);
	if (launch->pid > 0 && !launch->ended && !status && !request->quiet)
		fprintf(stderr, "[ memprofctl record: the recording has ended; waiting for %s, which goes on; memprofctl report works already ]\n",
			command[0]);
	mp_launch_wait(launch);
	err = mp_launch_error(launch);
	if (err)
		mp_fail(err, NULL, "cannot run %s", command[0]);
	say_signal(request, command[0], launch->signal);
	mp_launch_close(launch);
	return status ? status : launch->status;
}

static void say_result(const struct request *request, const struct mp_preload_result *result)
{
	char size[MP_HUMAN_SIZE];

	if (!request->quiet)
		fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
			" samples of %zu process%s, source preload ]\n",
			mp_human_bytes(size, result->nr_bytes), request->record.output,
			result->nr_samples, result->nr_processes,
			result->nr_processes == 1 ? "" : "es");
}

static struct mp_preload preload_of(const struct request *request)
{
	const struct mp_record *record = &request->record;

	return (struct mp_preload){
		.output = record->output, .force = record->force,
		.keeps_old = record->keeps_old, .rate = request->rate,
		.argc = record->argc, .argv = (char **)record->argv,
	};
}

static int run_preload(const struct request *request, char **command)
{
	struct mp_preload preload = preload_of(request);
	struct mp_preload_result result;
	struct mp_diag diag = { 0 };
	int status;

	if (!command[0])
		return mp_misuse("record", "--preload needs a command");
	if (request->record.options.given || request->record.times ||
	    request->record.duration_ms || request->record.interval_ms ||
	    request->record.moment_ms || request->record.ready_fd)
		return mp_misuse("record",
				 "with --preload only -o, -f, -q and --rate can be used: --rate is its --alloc, it ends with the command, and memprofctl snapshot -p PID looks at it before");
	preload.command = command;
	mp_preload_record(&preload, &result, &diag);
	status = mp_message_diag(&diag, "record");
	say_signal(request, command[0], result.signal);
	if (!status)
		say_result(request, &result);
	return result.status ? result.status : status;
}

/*
 * Whether a command can be recorded by the library alone, because the kernel refuses
 * perf's events to this user: then nothing may be asked for that only events have.
 */
static bool is_refused(const struct request *request, int err)
{
	const struct mp_record *record = &request->record;

	return (err == -EACCES || err == -EPERM) && record->launch.pid > 0 &&
	       record->options.samplers && !record->options.given && !record->times &&
	       !record->duration_ms && !record->interval_ms && !record->moment_ms &&
	       !record->ready_fd;
}

/* The same for processes that run, which the user may trace. */
static bool is_refused_inside(const struct request *request, int err)
{
	const struct mp_record *record = &request->record;

	return (err == -EACCES || err == -EPERM) && record->options.inject &&
	       !record->times && !record->interval_ms && !record->moment_ms &&
	       mp_record_options_can_do_without(&record->options);
}

static void say_begun(const struct mp_record *record)
{
	const char *what = record->options.targets.list[0].kind == MEMPROF_TARGET_ALL ?
			   " everything" : "";
	char span[MP_HUMAN_SIZE];

	if (record->duration_ms)
		fprintf(stderr, "[ memprofctl record: recording%s for %s; Ctrl-C ends it earlier ]\n",
			what, mp_human_span(span, record->duration_ms * 1000000));
	else
		fprintf(stderr, "[ memprofctl record: recording%s; Ctrl-C ends it ]\n", what);
}

static void say_refused(void)
{
	mp_warn("run as root for these", "perf's events are not allowed: no faults, no growth");
}

/* Records processes that run with the library alone. */
static int run_inside(struct request *request, int signals)
{
	const struct mp_injected_record record = {
		.preload = preload_of(request), .targets = &request->record.options.targets,
		.duration_ms = request->record.duration_ms,
		.ready_fd = request->record.ready_fd,
	};
	struct mp_preload_result result;
	struct mp_diag diag = { 0 };
	int status;

	say_refused();
	mp_injected_record(&record, signals, &result, &diag);
	mp_loop_signals_end(signals);
	status = mp_message_diag(&diag, "record");
	if (!status)
		say_result(request, &result);
	return status;
}

/* Records with the library alone. The process that waits to be the command ends. */
static int run_refused(struct request *request, char **command)
{
	struct mp_record *record = &request->record;
	struct mp_diag unused = { 0 };

	mp_launch_cancel(&record->launch);
	mp_launch_reap(&record->launch, 0);
	mp_launch_close(&record->launch);
	mp_samplers_end(&request->samplers, &unused);
	say_refused();
	request->rate = record->options.start.alloc_rate;
	return run_preload(request, command);
}

static int run_request(struct request *request, char **command)
{
	struct mp_record *record = &request->record;
	struct mp_diag diag = { 0 };
	int signals, status, err = 0;

	if (command[0])
		err = launch_command(request, command, &diag);
	if (!err)
		err = mp_record_options_check(&record->options, &diag);
	if (!err)
		err = mp_record_check_output(record->output, record->force,
					     &diag);
	if (!err && command[0] && !record->times)
		mp_loader_find_all(command[0], &record->options);
	signals = mp_loop_signals();
	if (!err)
		err = mp_record_begin(record, &diag);
	if (is_refused(request, err)) {
		mp_loop_signals_end(signals);
		return run_refused(request, command);
	}
	if (is_refused_inside(request, err)) {
		request->rate = record->options.start.alloc_rate;
		return run_inside(request, signals);
	}
	/* print warnings before the command's own output */
	status = mp_message_diag(&diag, "record");
	if (!err && !command[0] && !request->quiet)
		say_begun(record);
	if (!err) {
		diag.nr_warnings = 0;
		err = mp_record_run(record, signals, &diag);
		mp_samplers_end(&request->samplers, &diag);
		status = mp_message_diag(&diag, "record");
	}
	if (!err && !record->launch.error)
		print_summary(request);
	mp_loop_signals_end(signals);
	return wait_for_command(request, command, status);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.record = {
			.output = MP_INPUT_DEFAULT, .argv = argv, .argc = argc,
			.launch = { .go = -1, .failed = -1 },
		},
	};
	int status;

	mp_record_options_init(&request.record.options);
	request.record.options.records = true;
	status = mp_command_parse(command, argc, argv, &request);
	if (status != MP_PARSED)
		return status;
	request.record.keeps_old = !request.record.force &&
				   (!request.named || mp_input_is_recording(request.record.output));
	request.record.force |= request.record.keeps_old;
	request.record.times = argv[optind] && request.record.options.targets.nr;
	if (argv[optind] && request.record.options.inject && !request.record.times)
		return mp_misuse("record",
				 "--inject is for processes that run: a command has the library anyway");
	if (request.rate && !request.preload)
		return mp_misuse("record", "--rate needs --preload");
	if (request.preload)
		return run_preload(&request, argv + optind);
	return run_request(&request, argv + optind);
}

const struct mp_command mp_cmd_record = {
	.heading = "measure a program for a while, and look at it:",
	.name = "record",
	.summary = "record into a file that report -i and perf read",
	.usage = "[-o FILE] [-a | -p PID | -G CGROUP] [OPTION]... [-- COMMAND [ARG]...]",
	.options = options,
	.nr_operands = MAX_OPERANDS,
	.run = run,
};
