// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent: holds a session, and keeps a snapshot of it at each interval
 *
 * It runs under systemd, or in a terminal. What fails is said once, until it works
 * again; the next interval tries again. If the session ends, by `memprofctl stop` or
 * because its collector was killed, a new one begins.
 */
#include "agent-config.h"
#include "agent-folder.h"
#include "agent-limits.h"
#include "agent-outlook.h"
#include "agent-publish.h"
#include "agent-push.h"
#include "agent-watch.h"
#include "clock.h"
#include "command.h"
#include "message.h"
#include "request.h"
#include "service.h"
#include "session-save.h"
#include "session-start.h"
#include "text.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct agent {
	const char *path;		/* of the configuration; NULL: the default */
	bool check;
	int argc;
	char **argv;
	struct mp_agent_config config;
	struct mp_history history;
	uint64_t number;		/* of the latest snapshot */
	uint64_t session;		/* CLOCK_REALTIME of its begin; 0: none */
	uint64_t begin_ns;		/* the same, by the session's own clock */
	pid_t collector;		/* of the session, a child; 0: it has ended */
	unsigned int nr_silent;		/* intervals in which it did not answer */
	struct mp_agent_publish publish;
	struct mp_agent_health health;
	struct mp_agent_watch watch;
	struct mp_capture owed;		/* for which there was no snapshot yet */
	bool is_owed;
	struct mp_agent_push push;
	struct mp_agent_limits limits;
	int signals;			/* file from which they are read */
	bool troubled;			/* the last snapshot failed, and that was said */
	unsigned int nr_failures;	/* of attempts to start a session */
	unsigned int nr_waits;		/* intervals until the next attempt */
};

/* Intervals after which a collector that does not answer is ended. */
#define MAX_SILENT	10

/* Time that it has to end by itself, in tenths of a second. */
#define END_WAIT	50

static const struct mp_option options[] = {
	{ 'c', "config", "FILE", NULL, "configuration; default " MP_AGENT_CONFIG_FILE,
	  MP_TEXT(struct agent, path) },
	{ 0, "check-config", NULL, NULL, "only read the configuration, and say what is wrong",
	  MP_FLAG(struct agent, check) },
	MP_OPTION_HELP,
	{ 0 },
};

static void own_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGHUP);
}

/* Prints a failure, unless the attempt before failed, too. */
static void say_once(struct agent *agent, const struct mp_diag *diag)
{
	if (diag->failed && !agent->troubled)
		mp_message_diag(diag, "agent");
	if (!diag->failed && agent->troubled)
		mp_say(MP_PRIORITY_INFO, "agent", "snapshots are written again");
	agent->troubled = diag->failed;
}

/* Signals stay blocked: the collector sets a mask of its own. */
static int start_session(struct agent *agent)
{
	/* static, because it is too large for the stack */
	static struct mp_record_options options;
	struct mp_meta meta = { 0 };
	int status;

	options = agent->config.options;
	mp_agent_limits_thin(&agent->limits, &options);
	mp_agent_limits_restart(&agent->limits);
	status = mp_session_start("agent", &options, true, &meta);
	agent->session = status ? 0 : (uint64_t)time(NULL);
	agent->begin_ns = meta.status.start_ns;
	agent->collector = mp_session_pid();
	agent->nr_silent = 0;
	agent->health.nr_sessions += !status;
	if (!status)
		mp_agent_folder_tell(agent->config.folder);
	return status;
}

/* Whether the session that runs is the agent's: somebody may have started another one. */
static bool is_own(const struct agent *agent)
{
	struct mp_profile profile = { 0 };
	struct mp_diag unused = { 0 };
	bool running = false;

	if (agent->session)
		mp_request_if_running("status", &profile, &running, &unused);
	running = running && profile.meta.status.start_ns == agent->begin_ns;
	mp_profile_free(&profile);
	return running;
}

/* Also of processes that pushed. */
static void reap(struct agent *agent)
{
	pid_t ended;

	while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
		if (ended == agent->collector)
			agent->collector = 0;
}

/* Ends a collector that does not answer. */
static void end_collector(struct agent *agent)
{
	int i;

	reap(agent);
	if (agent->collector)
		kill(agent->collector, SIGTERM);
	for (i = 0; i < END_WAIT && agent->collector; i++) {
		usleep(100000);
		reap(agent);
	}
	if (agent->collector && !kill(agent->collector, SIGKILL))
		waitpid(agent->collector, NULL, 0);
	agent->collector = 0;
}

/*
 * Whether the session goes on, though it has not answered. On a machine that is overloaded,
 * or is suspended, an answer may take longer than a request waits.
 */
static bool is_busy(struct agent *agent)
{
	reap(agent);
	if (!agent->session || !agent->collector)
		return false;
	agent->nr_silent++;
	/* in the first interval, it may just be ending */
	if (agent->nr_silent == 2)
		mp_say(MP_PRIORITY_WARNING, "agent",
		       "the session does not answer: no snapshots until it does");
	if (agent->nr_silent <= MAX_SILENT)
		return true;
	mp_say(MP_PRIORITY_ERROR, "agent", "it has not answered for %d intervals, and is ended",
	       MAX_SILENT);
	end_collector(agent);
	return false;
}

/* Each failure is a message, so attempts become rare: every 64th interval in the end. */
static void start_again(struct agent *agent)
{
	if (agent->nr_waits) {
		agent->nr_waits--;
		return;
	}
	agent->nr_failures = start_session(agent) ? agent->nr_failures + 1 : 0;
	agent->nr_waits = (1U << (agent->nr_failures < 6 ? agent->nr_failures : 6)) - 1;
}

static void end_session(struct agent *agent)
{
	struct mp_profile profile = { 0 };
	struct mp_diag unused = { 0 };

	if (is_own(agent))
		mp_request("stop", &profile, &unused);
	else
		end_collector(agent);
	mp_profile_free(&profile);
	agent->session = 0;
}

static void publish(struct agent *agent, struct mp_profile *profile)
{
	struct mp_agent_health *health = &agent->health;
	struct mp_agent_use use = { 0 };
	size_t i;

	health->interval_ms = mp_agent_limits_interval_ms(&agent->limits, &agent->config);
	mp_agent_use_read(&use, agent->collector);
	health->cpu_ns = use.agent_ns;
	health->collector_ns = use.collector_ns;
	health->memory_bytes = use.bytes;
	health->cpu_limit = agent->limits.cpu;
	health->memory_limit = agent->limits.bytes;
	health->thinning = mp_agent_limits_thinning(&agent->limits);
	health->history_nr = agent->history.nr;
	health->history_bytes = 0;
	for (i = 0; i < agent->history.nr; i++)
		health->history_bytes += agent->history.entries[i].bytes;
	mp_agent_push_measure(&agent->push, health);
	mp_agent_publish_now(&agent->publish, &agent->config, health, profile);
}

/* Without a session, the agent's own numbers. */
static void publish_nothing(struct agent *agent)
{
	struct mp_profile none = { 0 };

	publish(agent, &none);
	mp_profile_free(&none);
}

/* @last: the session ends */
static void take_snapshot(struct agent *agent, bool last)
{
	struct mp_agent_config *config = &agent->config;
	struct mp_history_entry entry = {
		.number = agent->number + 1, .time_s = (uint64_t)time(NULL),
		.session = agent->session,
	};
	char draft[PATH_MAX];
	const struct mp_preload file = {
		.output = draft, .force = true, .argc = agent->argc, .argv = agent->argv,
	};
	const uint64_t began = mp_clock_ns();
	struct mp_profile profile = { 0 };
	struct mp_diag diag = { 0 };
	uint64_t bytes;

	mp_history_draft(config->folder, draft);
	if (!mp_session_read(&profile, &diag) &&
	    !mp_preload_write(&file, &profile, &bytes, &diag) &&
	    !mp_history_add(&agent->history, config->folder, &entry, &diag))
		agent->number++;
	say_once(agent, &diag);
	mp_history_prune(&agent->history, config->folder, &config->limits, entry.time_s);
	agent->health.snapshot_ns = mp_clock_ns() - began;
	if (!diag.failed)
		agent->health.snapshot_s = entry.time_s;
	agent->health.nr_snapshots += !diag.failed;
	agent->health.nr_failures += diag.failed;
	mp_agent_watch_exits(&agent->watch, config, &profile);
	mp_agent_push_now(&agent->push, config, &profile, last);
	publish(agent, &profile);
	mp_profile_free(&profile);
	/* until the next one the rows' memory is not needed */
	malloc_trim(0);
}

/* Makes a capture of the last snapshot, for the reason that the watch has. */
static void keep_capture(struct agent *agent)
{
	struct mp_agent_config *config = &agent->config;
	const struct mp_memory_trouble *trouble = &agent->watch.capture.trouble;
	struct mp_diag diag = { 0 };
	char cgroup[256];

	agent->is_owed = false;
	mp_agent_watch_victims(&agent->watch);
	mp_captures_add(config->folder, &agent->history, &agent->watch.capture,
			&config->captures, &diag);
	mp_message_diag(&diag, "agent");
	agent->health.nr_captures += !diag.failed;
	mp_text_escape(cgroup, sizeof(cgroup), trouble->cgroup, sizeof(trouble->cgroup));
	if (!diag.failed)
		mp_say(MP_PRIORITY_WARNING, "agent", "captured %s%s%s (memprofctl postmortem)",
		       mp_memory_event_name(trouble->event), cgroup[0] ? " of " : "", cgroup);
}

/*
 * Keeps a snapshot of this moment, with those before. Who is killed for memory is often
 * known only after that.
 */
static void capture_now(struct agent *agent)
{
	const uint64_t before = agent->number;

	/* a session that does not answer now may answer at the next interval */
	if (!agent->is_owed || agent->owed.trouble.event != MP_MEMORY_OOM_KILL)
		agent->owed = agent->watch.capture;
	agent->is_owed = true;
	if (!is_own(agent))
		return;
	take_snapshot(agent, false);
	if (agent->number != before)
		keep_capture(agent);
}

/* Makes the capture for which there was no snapshot when it was due. */
static void keep_owed(struct agent *agent)
{
	if (!agent->is_owed || !agent->history.nr)
		return;
	agent->watch.capture = agent->owed;
	keep_capture(agent);
}

/* Decides whether the agent does less or more from now on. */
static enum mp_agent_step look_at_limits(struct agent *agent)
{
	struct mp_agent_use use = { 0 };

	mp_agent_use_read(&use, agent->collector);
	return mp_agent_limits_next(&agent->limits, &use, mp_clock_ns());
}

/* The snapshot of this interval is the last one of a session that ends. */
static void take_step(struct agent *agent, enum mp_agent_step step)
{
	mp_agent_limits_say(&agent->limits, step, &agent->config);
	if (step != MP_AGENT_THINNER && step != MP_AGENT_THICKER)
		return;
	end_session(agent);
	start_again(agent);
}

static void each_interval(struct agent *agent)
{
	const uint64_t before = agent->number;
	enum mp_agent_step step;

	/* a process that was killed is started again */
	mp_agent_push_answer(&agent->push, &agent->config);
	mp_agent_watch_look(&agent->watch, &agent->config);
	reap(agent);
	if (is_own(agent)) {
		agent->nr_silent = 0;
		step = look_at_limits(agent);
		take_snapshot(agent, step == MP_AGENT_THINNER || step == MP_AGENT_THICKER);
		if (agent->number != before)
			keep_owed(agent);
		/* of a process that exited there is nothing newer */
		if (agent->history.nr && mp_agent_watch_exited(&agent->watch))
			keep_capture(agent);
		take_step(agent, step);
		return;
	}
	if (is_busy(agent))
		return;
	if (agent->session)
		mp_say(MP_PRIORITY_NOTICE, "agent", "the session has ended: a new one begins");
	agent->session = 0;
	start_again(agent);
	publish_nothing(agent);
}

static int open_history(struct agent *agent)
{
	const char *folder = agent->config.folder;
	struct mp_diag diag = { 0 };

	mp_history_free(&agent->history);
	if (!mp_history_prepare(folder, &diag))
		mp_history_read(&agent->history, folder, &diag);
	if (agent->history.nr)
		agent->number = agent->history.entries[agent->history.nr - 1].number;
	return mp_message_diag(&diag, "agent");
}

/* With a mistake in the file, the agent goes on as before. */
static void reload(struct agent *agent)
{
	/* static, because it is too large for the stack */
	static struct mp_agent_config config;

	mp_service_say("RELOADING=1");
	if (mp_agent_config_load(&config, agent->path)) {
		mp_say(MP_PRIORITY_ERROR, "agent",
		       "the configuration has a mistake: the agent goes on with the old one");
	} else {
		if (is_own(agent))
			take_snapshot(agent, true);
		end_session(agent);
		mp_agent_push_close(&agent->push);
		mp_agent_publish_close(&agent->publish, &agent->config);
		mp_agent_config_move(&agent->config, &config);
		mp_agent_limits_set(&agent->limits, &agent->config);
		mp_agent_publish_open(&agent->publish, &agent->config);
		mp_agent_watch_reload(&agent->watch, &agent->config);
		if (!open_history(agent) && !mp_agent_push_open(&agent->push, &agent->config))
			start_session(agent);
		publish_nothing(agent);
		mp_say(MP_PRIORITY_INFO, "agent", "read the configuration again");
	}
	mp_service_say("READY=1");
}

static uint64_t earliest(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t first = a < b ? a : b;

	return first < c ? first : c;
}

/* Waits for a signal until a time. Returns its number, or 0. Makes captures meanwhile. */
static int wait_for_signal(struct agent *agent, uint64_t until_ns)
{
	const uint64_t now = mp_clock_ns();
	const bool deaf = !agent->watch.open || now < agent->watch.deaf_until_ns;
	const uint64_t until = earliest(until_ns, agent->watch.look_ns,
					agent->watch.open && deaf ?
					agent->watch.deaf_until_ns : UINT64_MAX);
	const uint64_t left = until > now ? until - now : 0;
	const struct timespec timeout = {
		.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000),
	};
	struct pollfd polls[4] = {
		{ .fd = agent->signals, .events = POLLIN },
		{ .fd = deaf ? -1 : agent->watch.memory.inotify, .events = POLLIN },
		{ .fd = deaf ? -1 : agent->watch.memory.pressure, .events = POLLPRI },
		{ .fd = mp_agent_push_fd(&agent->push), .events = POLLIN },
	};
	struct signalfd_siginfo info;
	int nr = ppoll(polls, 4, &timeout, NULL);

	if (mp_agent_watch_is_due(&agent->watch) &&
	    mp_agent_watch_triggered(&agent->watch, &agent->config, is_own(agent)))
		capture_now(agent);
	if (nr <= 0)
		return 0;
	if (polls[3].revents)
		mp_agent_push_answer(&agent->push, &agent->config);
	if (polls[2].revents & (POLLERR | POLLNVAL))
		mp_memory_watch_no_pressure(&agent->watch.memory);
	if ((polls[1].revents || polls[2].revents & POLLPRI) &&
	    mp_agent_watch_happened(&agent->watch, polls[2].revents & POLLPRI))
		capture_now(agent);
	return polls[0].revents && read(agent->signals, &info, sizeof(info)) == sizeof(info) ?
	       (int)info.ssi_signo : 0;
}

static void serve(struct agent *agent)
{
	uint64_t now = mp_clock_ns(), next, wake, watchdog = mp_service_watchdog_ns();
	int number = 0;

	next = now + mp_agent_limits_interval_ms(&agent->limits, &agent->config) * 1000000;
	while (number != SIGTERM && number != SIGINT) {
		wake = watchdog && now + watchdog < next ? now + watchdog : next;
		number = wait_for_signal(agent, wake);
		now = mp_clock_ns();
		if (number == SIGHUP)
			reload(agent);
		else if (!number && now >= next)
			each_interval(agent);
		if (number == SIGHUP || now >= next)
			next = now + mp_agent_limits_interval_ms(&agent->limits,
								 &agent->config) * 1000000;
		if (watchdog)
			mp_service_say("WATCHDOG=1");
	}
}

static int run_agent(struct agent *agent)
{
	sigset_t signals;
	int status = open_history(agent);

	if (status)
		return status;
	mp_agent_limits_set(&agent->limits, &agent->config);
	own_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	agent->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (agent->signals < 0)
		return mp_fail(errno, NULL, "cannot wait for signals");
	status = mp_agent_publish_open(&agent->publish, &agent->config);
	if (status)
		return status;
	status = mp_agent_push_open(&agent->push, &agent->config) ?: start_session(agent);
	if (status) {
		mp_agent_push_close(&agent->push);
		mp_agent_publish_close(&agent->publish, &agent->config);
		return status;
	}
	mp_agent_watch_open(&agent->watch, &agent->config);
	publish_nothing(agent);
	mp_service_say("READY=1");
	serve(agent);
	mp_service_say("STOPPING=1");
	if (is_own(agent))
		take_snapshot(agent, true);
	end_session(agent);
	mp_agent_watch_close(&agent->watch);
	mp_agent_push_finish(&agent->push, &agent->config);
	mp_agent_push_close(&agent->push);
	mp_agent_publish_close(&agent->publish, &agent->config);
	mp_history_free(&agent->history);
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	/* static, because it is too large for the stack */
	static struct agent agent;
	int status;

	agent.argc = argc;
	agent.argv = argv;
	status = mp_command_parse(command, argc, argv, &agent);
	if (status != MP_PARSED)
		return status;
	status = mp_agent_config_load(&agent.config, agent.path);
	if (!status && agent.check)
		mp_agent_outlook(&agent.config);
	return status || agent.check ? status : run_agent(&agent);
}

const struct mp_command mp_cmd_agent = {
	.name = "agent",
	.summary = "follow the machine permanently, and keep a history for report --history",
	.usage = "[-c FILE] [--check-config]",
	.options = options,
	.run = run,
};
