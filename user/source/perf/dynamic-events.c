// SPDX-License-Identifier: GPL-2.0-only
/*
 * dynamic-events: creates and removes uprobes and kprobes through files in tracefs
 *
 * Creating an event takes about 20 ms.
 */
#include "dynamic-events.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#define GROUP		"memprof_"
#define LINE_SIZE	(4096 + 512)

/*
 * Removes the events of the groups that @is_ours selects. Returns their number. Each attempt
 * can take 50 ms. If an event is in use, a child of its dead owner still closes it, see
 * mp_tracer_close_later(), and will remove all of the group.
 */
static size_t remove_some(unsigned int types, bool (*is_ours)(const char *group, pid_t owner),
			  pid_t owner)
{
	struct tracefs_dynevent **all = tracefs_dynevent_get_all(types, NULL);
	char *group, *busy = NULL;
	size_t nr = 0;
	int i;

	for (i = 0; all && all[i]; i++) {
		group = NULL;
		tracefs_dynevent_info(all[i], &group, NULL, NULL, NULL, NULL);
		if (group && !strncmp(group, GROUP, strlen(GROUP)) &&
		    (!busy || strcmp(busy, group)) &&
		    is_ours(group + strlen(GROUP), owner)) {
			if (!tracefs_dynevent_destroy(all[i], false)) {
				nr++;
			} else if (errno == EBUSY) {
				free(busy);
				busy = group;
				group = NULL;
			}
		}
		free(group);
	}
	free(busy);
	tracefs_dynevent_list_free(all);
	return nr;
}

/* One file at a time: libtracefs may stop at one that is empty or that the kernel lacks. */
static size_t remove_all(bool (*is_ours)(const char *group, pid_t owner), pid_t owner)
{
	return remove_some(TRACEFS_DYNEVENT_UPROBE, is_ours, owner) +
	       remove_some(TRACEFS_DYNEVENT_URETPROBE, is_ours, owner) +
	       remove_some(TRACEFS_DYNEVENT_KPROBE, is_ours, owner) +
	       remove_some(TRACEFS_DYNEVENT_KRETPROBE, is_ours, owner);
}

static bool is_of(const char *group, pid_t owner)
{
	char *end;

	return strtol(group, &end, 10) == owner && !*end;
}

/* Also what an earlier process with the id of this one has left. */
static bool is_left_behind(const char *group, pid_t self)
{
	char *end;
	long pid = strtol(group, &end, 10);

	return pid > 0 && !*end && (pid == self || (kill((pid_t)pid, 0) && errno == ESRCH));
}

size_t mp_dynamic_events_sweep(void)
{
	return remove_all(is_left_behind, getpid());
}

void mp_dynamic_events_remove(pid_t owner)
{
	remove_all(is_of, owner);
}

int mp_dynamic_event_make(const char *file, const char *kind, const char *name,
			  const char *place, const char *args, struct mp_trace_event *event)
{
	char line[LINE_SIZE], system[MP_EVENT_NAME_SIZE];
	int len;

	snprintf(system, sizeof(system), GROUP "%d", (int)getpid());
	len = snprintf(line, sizeof(line), "%s:%s/%s %s%s\n", kind, system, name, place, args);
	if (len >= (int)sizeof(line))
		return -ENAMETOOLONG;
	errno = EIO;
	if (tracefs_instance_file_append(NULL, file, line) != len)
		return -errno;
	return mp_tracepoint_find(system, name, event);
}

int mp_tracepoint_find(const char *system, const char *name, struct mp_trace_event *event)
{
	char *text = mp_tracepoint_text(system, name);
	int err = text && mp_format_parse(&event->format, text) ? 0 : -ENOENT;

	free(text);
	snprintf(event->system, sizeof(event->system), "%s", system);
	snprintf(event->name, sizeof(event->name), "%s", name);
	return err;
}

char *mp_tracing_text(const char *name)
{
	return tracefs_instance_file_read(NULL, name, NULL);
}

char *mp_tracepoint_text(const char *system, const char *name)
{
	return tracefs_event_file_read(NULL, system, name, "format", NULL);
}
