// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-watch: at most one capture a minute for each event, and one in five seconds for
 * what was killed
 *
 * A cgroup at its limit has thousands of events a second, and each capture is a snapshot.
 */
#include "agent-watch.h"
#include "cgroup.h"
#include "clock.h"
#include "message.h"

#include <inttypes.h>
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

void mp_agent_watch_open(struct mp_agent_watch *watch, const struct mp_agent_config *config)
{
	struct mp_diag diag = { 0 };

	*watch = (struct mp_agent_watch){
		.memory = { .inotify = -1, .pressure = -1 }, .log = -1,
		.open = config->captures.nr,
	};
	if (!watch->open)
		return;
	mp_memory_watch_open(&watch->memory, config->pressure_ms, &diag);
	mp_message_diag(&diag, "agent");
	watch->log = mp_oom_log_open();
	mp_agent_watch_look(watch, config);
}

static uint64_t read_limit(const struct mp_memory_watch *memory, const char *cgroup,
			   const char *name)
{
	char path[2 * PATH_MAX + 32];
	uint64_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s/%s", memory->mount, cgroup, name);
	file = fopen(path, "re");
	/* "max", which is no limit, is no number */
	if (file && fscanf(file, "%" SCNu64, &value) != 1)
		value = 0;
	if (file)
		fclose(file);
	return value;
}

bool mp_agent_watch_happened(struct mp_agent_watch *watch, bool is_pressure)
{
	const uint64_t now = mp_clock_ns();
	struct mp_memory_trouble *trouble = &watch->capture.trouble;

	watch->capture = (struct mp_capture){
		.time_s = (uint64_t)time(NULL), .log_unread = watch->log < 0,
	};
	mp_memory_watch_read(&watch->memory, is_pressure, trouble);
	watch->deaf_until_ns = now + DEAF_NS;
	if (trouble->event == MP_NR_MEMORY_EVENTS || now < watch->next_ns[trouble->event])
		return false;
	watch->next_ns[trouble->event] =
		now + (trouble->event == MP_MEMORY_OOM_KILL ? KILL_GAP_NS : GAP_NS);
	if (trouble->cgroup[0]) {
		watch->capture.current = read_limit(&watch->memory, trouble->cgroup,
						    "memory.current");
		watch->capture.max = read_limit(&watch->memory, trouble->cgroup, "memory.max");
	}
	return true;
}

void mp_agent_watch_victims(struct mp_agent_watch *watch)
{
	mp_oom_log_read(watch->log, watch->capture.victims, &watch->capture.nr_victims);
}

void mp_agent_watch_close(struct mp_agent_watch *watch)
{
	if (!watch->open)
		return;
	mp_memory_watch_close(&watch->memory);
	if (watch->log >= 0)
		close(watch->log);
	watch->open = false;
}
