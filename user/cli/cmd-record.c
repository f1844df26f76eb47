// SPDX-License-Identifier: GPL-2.0-only
/*
 * record: records a session into a file that perf can read, too
 *
 * A command, if given, waits until recording has begun. Its exit status is the
 * exit status of memprofctl. Without a command the recording ends with Ctrl-C,
 * after --duration, or when the target processes exited.
 */
#include "command.h"
#include "human.h"
#include "loader.h"
#include "loop.h"
#include "message.h"
#include "preload.h"
#include "record.h"
#include "record-arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>

#define DEFAULT_FILE	"memprof.data"
#define MAX_OPERANDS	4096

enum {
	OPT_DURATION = MP_RECORD_END,
	OPT_INTERVAL,
	OPT_PRELOAD,
	OPT_RATE,
	OPT_READY,
};

static const struct mp_option options[] = {
	{ 'o', "output", "FILE", NULL, "default " DEFAULT_FILE },
	{ 'f', "force", NULL, NULL, "replace an existing file" },
	{ OPT_DURATION, "duration", "SECONDS", NULL, "end after this time" },
	{ OPT_INTERVAL, "snapshot-interval", "SECONDS", NULL,
	  "interval for the module's tallies; default only at the end" },
	{ OPT_PRELOAD, "preload", NULL, NULL,
	  "sample with a library in the command: no traps, no root" },
	{ OPT_RATE, "rate", "BYTES", "64K 512K 4M",
	  "with --preload, mean bytes between samples; default 512K" },
	MP_RECORD_OPTIONS,
	MP_READY_OPTION(OPT_READY),
	{ 'q', "quiet", NULL, NULL, "print nothing on success" },
	MP_OPTION_HELP,
	{ 0 },
};

struct request {
	struct mp_record record;
	uint64_t rate;
	bool preload;
	bool has_record_option;
	bool quiet;
};

static int parse_seconds(uint64_t *seconds, const char *name, const char *value)
{
	if (mp_command_number(value, 1, 1UL << 31, seconds))
		return 0;
	return mp_misuse("record", "--%s takes a number of seconds, not '%s'",
			 name, value);
}

static int parse_record_option(void *context, int code, const char *value)
{
	struct request *request = context;

	switch (code) {
	case 'o':
		request->record.output = value;
		return 0;
	case 'f':
		request->record.force = true;
		return 0;
	case 'q':
		request->quiet = true;
		return 0;
	case OPT_DURATION:
		return parse_seconds(&request->record.duration_s, "duration", value);
	case OPT_INTERVAL:
		return parse_seconds(&request->record.interval_s, "snapshot-interval",
				     value);
	case OPT_PRELOAD:
		request->preload = true;
		return 0;
	case OPT_RATE:
		return mp_command_bytes(value, 1, MP_PRELOAD_MAX_RATE,
					&request->rate) ? 0 :
		       mp_misuse("record", "--rate takes bytes from 1 to 32G, such as 512K, not '%s'",
				 value);
	case OPT_READY:
		return mp_ready_argument(&request->record.ready_fd, "record",
					 value);
	default:
		request->has_record_option = true;
		return mp_record_argument(&request->record.options, "record", code,
					  value);
	}
}

static void print_summary(const struct request *request)
{
	const struct mp_record *record = &request->record;
	char size[MP_HUMAN_SIZE];

	if (record->nr_lost)
		mp_warn("fewer events: -p, -G, --faults with a larger period, --alloc BYTES with the module",
			"%" PRIu64 " events were lost: the rings were full",
			record->nr_lost);
	if (request->quiet)
		return;
	fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
		" samples, %" PRIu64 " lost, source %s ]\n",
		mp_human_bytes(size, record->nr_bytes), record->output,
		record->nr_samples, record->nr_lost,
		mp_source_name(record->source));
}

/* Makes the command's process the target. */
static int target_command(struct mp_record *record, char **command,
			  struct mp_diag *diag)
{
	/* the targets keep a pointer to it */
	static char pid[16];
	int err = mp_launch_fork(&record->launch, command, NULL, NULL, diag);

	if (err)
		return err;
	snprintf(pid, sizeof(pid), "%d", (int)record->launch.pid);
	return mp_targets_add_option(&record->options.targets,
				     MEMPROF_TARGET_PROCESS, pid, diag);
}

/* The command may run longer than the recording. */
static int wait_for_command(struct request *request, char **command, int status)
{
	struct mp_launch *launch = &request->record.launch;
	int err;

	mp_launch_cancel(launch);
	mp_launch_reap(launch, WNOHANG);
	if (launch->pid > 0 && !launch->ended && !status && !request->quiet)
		fprintf(stderr, "[ memprofctl record: waiting for %s ]\n",
			command[0]);
	mp_launch_reap(launch, 0);
	err = mp_launch_error(launch);
	if (err)
		mp_fail(err, NULL, "cannot run %s", command[0]);
	mp_launch_close(launch);
	return status ? status : launch->status;
}

static int run_request(struct request *request, char **command)
{
	struct mp_record *record = &request->record;
	struct mp_diag diag = { 0 };
	int signals, status, err = 0;

	if (command[0])
		err = target_command(record, command, &diag);
	if (!err)
		err = mp_record_options_check(&record->options, &diag);
	if (!err)
		err = mp_record_check_output(record->output, record->force,
					     &diag);
	if (!err && command[0])
		mp_loader_find_all(command[0], &record->options);
	signals = mp_loop_signals();
	if (!err)
		err = mp_record_begin(record, &diag);
	/* print warnings before the command's own output */
	status = mp_message_diag(&diag, "record");
	if (!err) {
		diag.nr_warnings = 0;
		err = mp_record_run(record, signals, &diag);
		status = mp_message_diag(&diag, "record");
	}
	if (!err)
		print_summary(request);
	mp_loop_signals_end(signals);
	return wait_for_command(request, command, status);
}

static int run_preload(const struct request *request, int argc, char **argv,
		       char **command)
{
	const struct mp_preload preload = {
		.output = request->record.output, .force = request->record.force,
		.rate = request->rate,
		.argc = argc, .argv = argv, .command = command,
	};
	struct mp_preload_result result;
	struct mp_diag diag = { 0 };
	char size[MP_HUMAN_SIZE];
	int status;

	if (!command[0])
		return mp_misuse("record", "--preload needs a command");
	if (request->has_record_option || request->record.duration_s ||
	    request->record.interval_s || request->record.ready_fd)
		return mp_misuse("record",
				 "with --preload only -o, -f, -q and --rate can be used");
	mp_preload_record(&preload, &result, &diag);
	status = mp_message_diag(&diag, "record");
	if (!status && !request->quiet)
		fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
			" samples of %zu process%s, source preload ]\n",
			mp_human_bytes(size, result.nr_bytes), preload.output,
			result.nr_samples, result.nr_processes,
			result.nr_processes == 1 ? "" : "es");
	return result.status ? result.status : status;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.record = {
			.output = DEFAULT_FILE, .argv = argv, .argc = argc,
			.launch = { .go = -1, .failed = -1 },
		},
	};
	int status;

	mp_record_options_init(&request.record.options);
	request.record.options.chain = MP_CHAIN_FP;
	status = mp_command_parse(command, argc, argv, parse_record_option, &request);
	if (status != MP_PARSED)
		return status;
	if (argv[optind] && request.record.options.targets.nr)
		return mp_misuse("record",
				 "a command is the target: -a, -p, -G and --comm cannot be used with it");
	if (request.rate && !request.preload)
		return mp_misuse("record", "--rate needs --preload");
	if (request.preload)
		return run_preload(&request, argc, argv, argv + optind);
	return run_request(&request, argv + optind);
}

const struct mp_command mp_cmd_record = {
	.name = "record",
	.summary = "record into a file that report -i and perf read",
	.usage = "[-o FILE] [-a | -p PID | -G CGROUP | -- COMMAND [ARG]...] [OPTION]...",
	.options = options,
	.nr_operands = MAX_OPERANDS,
	.run = run,
};
