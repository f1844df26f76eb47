// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-watch: at most one capture a minute for each event, and one in five seconds for
 * what was killed
 *
 * A cgroup at its limit has thousands of events a second, and each capture is a snapshot.
 */
#include "agent-watch.h"
#include "cgroup-memory.h"
#include "clock.h"
#include "message.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS	1000000000ULL
#define DEAF_NS		SECOND_NS
#define GAP_NS		(60 * SECOND_NS)
#define KILL_GAP_NS	(5 * SECOND_NS)

void mp_agent_watch_look(struct mp_agent_watch *watch, const struct mp_agent_config *config)
{
	const struct mp_targets *targets = &config->options.targets;
	const char *roots[sizeof(targets->list) / sizeof(targets->list[0])];
	size_t nr = 0;
	unsigned int i;

	if (!watch->open)
		return;
	for (i = 0; i < targets->nr; i++)
		if (targets->list[i].text &&
		    targets->list[i].kind == MEMPROF_TARGET_CGROUP)
			roots[nr++] = targets->list[i].text;
	mp_memory_watch_look(&watch->memory, roots, nr);
}

/* Says when triggers look at the cgroups: now, and then from time to time. */
static void set_period(struct mp_agent_watch *watch, const struct mp_agent_config *config)
{
	watch->period_ns = mp_triggers_period_ns(&config->triggers, config->interval_ms);
	watch->look_ns = watch->period_ns ? mp_clock_ns() : UINT64_MAX;
}

void mp_agent_watch_open(struct mp_agent_watch *watch, const struct mp_agent_config *config)
{
	struct mp_diag diag = { 0 };

	*watch = (struct mp_agent_watch){
		.memory = { .inotify = -1, .pressure = -1 }, .log = -1,
		.open = config->captures.nr, .look_ns = UINT64_MAX,
	};
	if (!watch->open)
		return;
	mp_memory_watch_open(&watch->memory, config->pressure_ms, &diag);
	mp_message_diag(&diag, "agent");
	watch->log = mp_oom_log_open();
	mp_agent_watch_look(watch, config);
	set_period(watch, config);
}

void mp_agent_watch_reload(struct mp_agent_watch *watch, const struct mp_agent_config *config)
{
	struct mp_diag diag = { 0 };

	if (!watch->open || !config->captures.nr) {
		mp_agent_watch_close(watch);
		mp_agent_watch_open(watch, config);
		return;
	}
	mp_memory_watch_press(&watch->memory, config->pressure_ms, &diag);
	mp_message_diag(&diag, "agent");
	mp_agent_watch_look(watch, config);
	set_period(watch, config);
}

/* Begins a capture, of which only the time is known. */
static struct mp_memory_trouble *begin(struct mp_agent_watch *watch)
{
	watch->capture = (struct mp_capture){
		.time_s = (uint64_t)time(NULL), .log_unread = watch->log < 0,
	};
	return &watch->capture.trouble;
}

/* Makes the capture that was begun the last one of its event. */
static void settle(struct mp_agent_watch *watch, uint64_t now)
{
	struct mp_capture *capture = &watch->capture;
	const struct mp_memory_trouble *trouble = &capture->trouble;
	char path[2 * PATH_MAX];

	watch->next_ns[trouble->event] =
		now + (trouble->event == MP_MEMORY_OOM_KILL ? KILL_GAP_NS : GAP_NS);
	if (!trouble->cgroup[0])
		return;
	snprintf(path, sizeof(path), "%s%s", watch->memory.mount, trouble->cgroup);
	capture->current = mp_cgroup_memory_number(path, "memory.current");
	capture->max = mp_cgroup_memory_number(path, "memory.max");
}

bool mp_agent_watch_happened(struct mp_agent_watch *watch, bool is_pressure)
{
	const uint64_t now = mp_clock_ns();
	struct mp_memory_trouble *trouble = begin(watch);

	mp_memory_watch_read(&watch->memory, is_pressure, trouble);
	watch->deaf_until_ns = now + DEAF_NS;
	if (trouble->event == MP_NR_MEMORY_EVENTS || now < watch->next_ns[trouble->event])
		return false;
	settle(watch, now);
	return true;
}

bool mp_agent_watch_is_due(const struct mp_agent_watch *watch)
{
	return watch->open && mp_clock_ns() >= watch->look_ns;
}

bool mp_agent_watch_triggered(struct mp_agent_watch *watch, const struct mp_agent_config *config,
			      bool can_capture)
{
	const uint64_t now = mp_clock_ns();
	struct mp_memory_trouble *trouble;
	bool wanted[MP_NR_MEMORY_EVENTS];
	struct mp_diag diag = { 0 };
	int i, err;

	watch->look_ns = now + watch->period_ns;
	for (i = 0; i < MP_NR_MEMORY_EVENTS; i++)
		wanted[i] = can_capture && now >= watch->next_ns[i];
	trouble = begin(watch);
	err = mp_triggers_look(&config->triggers, &watch->memory, now, wanted, trouble);
	if (err && !watch->is_blind)
		mp_diag_warn(&diag, strerror(-err), "the growth of some cgroups is not watched");
	watch->is_blind = err;
	mp_message_diag(&diag, "agent");
	if (trouble->event == MP_NR_MEMORY_EVENTS)
		return false;
	settle(watch, now);
	return true;
}

/* The process was killed, and there is a capture of that. */
static bool was_killed(void *context, uint32_t pid)
{
	const struct mp_agent_watch *watch = context;
	size_t i;

	for (i = 0; i < watch->nr_killed; i++)
		if (watch->killed[i] == pid)
			return true;
	return false;
}

void mp_agent_watch_exits(struct mp_agent_watch *watch, const struct mp_agent_config *config,
			  const struct mp_profile *profile)
{
	struct mp_memory_trouble *exit = &watch->exit;

	if (!watch->open || !config->triggers.exit_bytes || exit->event == MP_MEMORY_EXIT)
		return;
	mp_large_exits_look(&watch->exits, profile, config->triggers.exit_bytes, was_killed,
			    watch, exit);
}

bool mp_agent_watch_exited(struct mp_agent_watch *watch)
{
	const uint64_t now = mp_clock_ns();

	if (!watch->open || watch->exit.event != MP_MEMORY_EXIT ||
	    now < watch->next_ns[MP_MEMORY_EXIT])
		return false;
	*begin(watch) = watch->exit;
	watch->exit = (struct mp_memory_trouble){ 0 };
	settle(watch, now);
	return true;
}

void mp_agent_watch_victims(struct mp_agent_watch *watch)
{
	struct mp_capture *capture = &watch->capture;
	const uint64_t now = mp_clock_ns();
	const size_t before = watch->nr_victims;
	size_t i;

	mp_oom_log_read(watch->log, watch->victims, &watch->nr_victims);
	if (watch->nr_victims > before)
		watch->victims_ns = now;
	if (capture->trouble.event == MP_MEMORY_OOM_KILL) {
		capture->nr_victims = watch->nr_victims;
		memcpy(capture->victims, watch->victims, sizeof(watch->victims));
		for (i = 0; i < capture->nr_victims; i++)
			watch->killed[i] = capture->victims[i].pid;
		watch->nr_killed = capture->nr_victims ?: watch->nr_killed;
	}
	/* older ones belong to no capture that comes */
	if (capture->trouble.event == MP_MEMORY_OOM_KILL || now > watch->victims_ns + GAP_NS)
		watch->nr_victims = 0;
}

void mp_agent_watch_close(struct mp_agent_watch *watch)
{
	if (!watch->open)
		return;
	mp_memory_watch_close(&watch->memory);
	if (watch->log >= 0)
		close(watch->log);
	watch->open = false;
	watch->look_ns = UINT64_MAX;
}
