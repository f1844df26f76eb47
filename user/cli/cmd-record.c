// SPDX-License-Identifier: GPL-2.0-only
/*
 * record: a session into a file that perf reads, too
 *
 * The command, if there is one, waits until all is in place, and its exit status
 * is ours. Without one the recording ends with Ctrl-C, with --duration, or with
 * the processes that were asked for.
 */
#include "command.h"
#include "human.h"
#include "kmod.h"
#include "loader.h"
#include "message.h"
#include "preload.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FILE	"memprof.data"
#define MAX_OPERANDS	4096

/* Of the stack, with --call-graph dwarf. */

/* Rings are looked at so often at least, in ms. */
#define PATIENCE	200

/* What a shell says of commands that it cannot run. */
#define EXIT_NOT_FOUND	127
#define EXIT_CANNOT_RUN	126

enum {
	OPT_DURATION = MP_WISH_END,
	OPT_INTERVAL,
	OPT_PRELOAD,
	OPT_RATE,
};

static const struct mp_option options[] = {
	{ 'o', "output", "FILE", NULL, "default " DEFAULT_FILE },
	{ 'f', "force", NULL, NULL, "replace an existing file" },
	{ OPT_DURATION, "duration", "SECONDS", NULL, "end after that time" },
	{ OPT_INTERVAL, "snapshot-interval", "SECONDS", NULL,
	  "add the module's tallies so often; default only at the end" },
	{ OPT_PRELOAD, "preload", NULL, NULL,
	  "by a library in the command, without a trap and without root" },
	{ OPT_RATE, "rate", "BYTES", "64K 512K 4M",
	  "with --preload, mean bytes between samples; default 512K" },
	MP_RECORD_OPTIONS,
	{ 'q', "quiet", NULL, NULL, "print nothing on success" },
	MP_OPTION_HELP,
	{ 0 },
};

struct request {
	struct mp_record_options options;
	const char *output;
	uint64_t duration;
	uint64_t interval;
	uint64_t rate;
	bool preload;
	bool has_record_option;
	bool force;
	bool quiet;
	char pid[16];
};

static int take_seconds(uint64_t *seconds, const char *name, const char *value)
{
	if (mp_command_number(value, 1, 1UL << 31, seconds))
		return 0;
	return mp_misuse("record", "--%s takes a number of seconds, not '%s'",
			 name, value);
}

static int take(void *context, int code, const char *value)
{
	struct request *request = context;

	switch (code) {
	case 'o':
		request->output = value;
		return 0;
	case 'f':
		request->force = true;
		return 0;
	case 'q':
		request->quiet = true;
		return 0;
	case OPT_DURATION:
		return take_seconds(&request->duration, "duration", value);
	case OPT_INTERVAL:
		return take_seconds(&request->interval, "snapshot-interval",
				    value);
	case OPT_PRELOAD:
		request->preload = true;
		return 0;
	case OPT_RATE:
		return mp_command_bytes(value, 1, MP_PRELOAD_MAX_RATE,
					&request->rate) ? 0 :
		       mp_misuse("record", "--rate takes bytes from 1 to 32G, such as 512K, not '%s'",
				 value);
	default:
		request->has_record_option = true;
		return mp_record_options_take(&request->options, code, value);
	}
}

/* A command that waits for a byte before it begins. */
struct child {
	pid_t pid;
	int go;
	int status;
	bool ended;
	uint64_t max_rss;		/* bytes; 0: not known */
};

static int fork_child(struct child *child, char **argv)
{
	int ends[2], status;
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return mp_fail(errno, NULL, "cannot run %s", argv[0]);
	child->pid = fork();
	if (child->pid < 0)
		return mp_fail(errno, NULL, "cannot run %s", argv[0]);
	if (!child->pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
			_exit(EXIT_NOT_FOUND);
		execvp(argv[0], argv);
		status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
		mp_fail(errno, NULL, "cannot run %s", argv[0]);
		_exit(status);
	}
	close(ends[0]);
	child->go = ends[1];
	return 0;
}

static void reap(struct child *child, int flags)
{
	struct rusage its, ours;
	int status;

	if (child->pid <= 0 || child->ended ||
	    wait4(child->pid, &status, flags, &its) != child->pid)
		return;
	child->ended = true;
	/* until it called exec it was as large as we are: less tells nothing */
	if (!getrusage(RUSAGE_SELF, &ours) && its.ru_maxrss > ours.ru_maxrss)
		child->max_rss = (uint64_t)its.ru_maxrss * 1024;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					    128 + WTERMSIG(status);
}

static int block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether any process that was asked for is left. */
static bool has_targets(const struct mp_record_options *options)
{
	unsigned int i;

	for (i = 0; i < options->targets.nr; i++)
		if (options->targets.list[i].kind != MEMPROF_TARGET_PROCESS ||
		    !kill((pid_t)options->targets.list[i].number, 0) ||
		    errno == EPERM)
			return true;
	return false;
}

/* Whether SIGINT or SIGTERM came. */
static bool is_ended(int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			return true;
	return false;
}

static int loop(const struct request *request, struct mp_recorder *recorder,
		struct child *child, int signals)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = recorder->session->tracer.rings.poll_fd,
		  .events = POLLIN },
		{ .fd = mp_session_probes(recorder->session) ?
			recorder->follower.fd : -1, .events = POLLIN },
	};
	int64_t start = now_ms(), next = start + 1000 * (int64_t)request->interval;
	int err = 0;

	while (!err) {
		poll(polls, 3, PATIENCE);
		err = mp_recorder_work(recorder);
		reap(child, WNOHANG);
		if (is_ended(signals) || child->ended ||
		    !has_targets(&request->options) ||
		    (request->duration && now_ms() - start >=
		     1000 * (int64_t)request->duration))
			break;
		if (request->interval && now_ms() >= next && !err) {
			err = mp_recorder_snapshot(recorder);
			next += 1000 * (int64_t)request->interval;
		}
	}
	return err;
}

static void tell(const struct request *request,
		 const struct mp_recorder *recorder)
{
	char size[MP_HUMAN_SIZE];

	if (recorder->nr_lost)
		mp_warn("fewer events: -p, -G, --faults with a larger period, --alloc BYTES with the module",
			"%" PRIu64 " events were lost: the rings were full",
			recorder->nr_lost);
	if (request->quiet)
		return;
	fprintf(stderr, "[ memprofctl record: wrote %s to %s, %" PRIu64
		" samples, %" PRIu64 " lost, source %s ]\n",
		mp_human_bytes(size, recorder->writer.data_size),
		request->output, recorder->writer.nr_samples, recorder->nr_lost,
		mp_source_name(recorder->session->source));
}

static int record(const struct request *request, struct mp_session *session,
		  struct child *child, int argc, char **argv, int signals)
{
	struct mp_recorder recorder = {
		.session = session, .argv = argv, .argc = argc,
	};
	int err = mp_perf_writer_open(&recorder.writer, request->output,
				      request->force), last;

	if (err)
		return mp_fail(err, err == -EEXIST ?
			       "-f replaces it, -o names another" : NULL,
			       "cannot make %s", request->output);
	/* the others have some */
	err = session->source == MP_SOURCE_SMAPS ?
	      mp_session_open_rings(session) : 0;
	/* of whoever has any; without the module, or with an older one, nobody */
	if (!err)
		mp_tracer_sections(&session->tracer);
	if (!err)
		err = mp_recorder_begin(&recorder);
	if (!err) {
		if (child->pid && write(child->go, "", 1) != 1)
			err = -errno;
		if (!err)
			err = loop(request, &recorder, child, signals);
		if (!err && child->max_rss)
			err = mp_recorder_ended(&recorder, child->pid,
						child->max_rss);
		last = mp_recorder_end(&recorder);
		err = err ? err : last;
	}
	last = mp_perf_writer_close(&recorder.writer);
	err = err ? err : last;
	if (err)
		return mp_fail(err, "memprofctl recover brings back what is there",
			       "cannot record to %s", request->output);
	tell(request, &recorder);
	return 0;
}

/* The command's process is the target. */
static int aim(struct request *request, const struct child *child)
{
	snprintf(request->pid, sizeof(request->pid), "%d", (int)child->pid);
	return mp_targets_take(&request->options.targets, MEMPROF_TARGET_PROCESS,
			       request->pid);
}

static int run_request(struct request *request, int argc, char **argv,
		       char **command)
{
	/* too large for a stack */
	static struct mp_session session;
	struct child child = { .go = -1 };
	int signals, status = 0;

	if (command[0]) {
		status = fork_child(&child, command);
		if (!status)
			status = aim(request, &child);
	}
	if (!status)
		status = mp_record_options_close(&request->options);
	if (!status && !request->force && !access(request->output, F_OK))
		status = mp_fail(EEXIST, "-f replaces it, -o names another",
				 "cannot make %s", request->output);
	if (!status && command[0])
		mp_loader_find_all(command[0], &request->options);
	signals = block_signals();
	request->options.sections = true;
	if (!status) {
		status = mp_session_begin(&session, &request->options,
					  child.pid > 0);
		if (!status)
			status = record(request, &session, &child, argc, argv,
					signals);
		mp_session_end(&session);
	}
	if (child.go >= 0)
		close(child.go);
	unblock_signals();
	reap(&child, WNOHANG);
	if (child.pid > 0 && !child.ended && !status && !request->quiet)
		fprintf(stderr, "[ memprofctl record: waiting for %s ]\n",
			command[0]);
	reap(&child, 0);
	return status ? status : child.status;
}

static int run_preload(const struct request *request, int argc, char **argv,
		       char **command)
{
	const struct mp_preload preload = {
		.output = request->output, .force = request->force,
		.quiet = request->quiet, .rate = request->rate,
		.argc = argc, .argv = argv, .command = command,
	};

	if (!command[0])
		return mp_misuse("record", "--preload needs a command");
	if (request->has_record_option || request->duration || request->interval)
		return mp_misuse("record",
				 "with --preload only -o, -f, -q and --rate mean something");
	return mp_preload_record(&preload);
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = {
		.output = DEFAULT_FILE,
	};
	int status;

	mp_record_options_init(&request.options, "record");
	request.options.chain = MP_CHAIN_FP;
	status = mp_command_parse(command, argc, argv, take, &request);
	if (status != MP_PARSED)
		return status;
	if (argv[optind] && request.options.targets.nr)
		return mp_misuse("record",
				 "a command is the target itself: no -a, -p, -G or --comm goes with it");
	if (request.rate && !request.preload)
		return mp_misuse("record", "--rate goes with --preload");
	if (request.preload)
		return run_preload(&request, argc, argv, argv + optind);
	return run_request(&request, argc, argv, argv + optind);
}

const struct mp_command mp_cmd_record = {
	.name = "record",
	.summary = "record into a file that report -i and perf read",
	.usage = "[-o FILE] [-a | -p PID | -G CGROUP | -- COMMAND [ARG]...] [OPTION]...",
	.options = options,
	.nr_operands = MAX_OPERANDS,
	.run = run,
};
