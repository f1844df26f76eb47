/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory-watch: notices when memory is short, in a cgroup or on the whole machine
 */
#ifndef MP_MEMORY_WATCH_H
#define MP_MEMORY_WATCH_H

#include "diag.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of cgroups that are watched; further ones are counted. */
#define MP_MEMORY_WATCH_MAX	1024

/**
 * enum mp_memory_event - keys of memory.events, pressure, and what triggers notice
 * @MP_MEMORY_HIGH: processes were slowed down, because memory.high was exceeded
 * @MP_MEMORY_MAX: memory.max was about to be exceeded
 * @MP_MEMORY_OOM: an allocation failed, or was about to
 * @MP_MEMORY_OOM_KILL: a process was killed
 * @MP_MEMORY_PRESSURE: the machine's processes waited for memory, see PSI
 * @MP_MEMORY_LIMIT: a cgroup came near memory.max or memory.high
 * @MP_MEMORY_GROWTH: a cgroup keeps growing
 * @MP_MEMORY_EXIT: a process with much memory exited
 */
enum mp_memory_event {
	MP_MEMORY_HIGH,
	MP_MEMORY_MAX,
	MP_MEMORY_OOM,
	MP_MEMORY_OOM_KILL,
	MP_MEMORY_PRESSURE,
	MP_MEMORY_LIMIT,
	MP_MEMORY_GROWTH,
	MP_MEMORY_EXIT,
	MP_NR_MEMORY_EVENTS,
};

/** mp_memory_event_name - name of an event, such as "oom_kill" */
const char *mp_memory_event_name(enum mp_memory_event event);

struct mp_cgroup_track;

/**
 * struct mp_watched_cgroup - a cgroup, and what its memory.events had
 * @watch: of inotify
 * @path: below the mount, begins with a slash; allocated
 * @seen: by enum mp_memory_event; the counts until the last look
 * @found: used while cgroups are looked for
 * @is_near, @is_growing: a trigger has reported it, and it is still so
 * @track: of triggers, its memory in the past; allocated, or NULL
 */
struct mp_watched_cgroup {
	int watch;
	char *path;
	uint64_t seen[MP_MEMORY_PRESSURE];
	bool found;
	bool is_near, is_growing;
	struct mp_cgroup_track *track;
};

/**
 * struct mp_memory_watch - all that is watched
 * @inotify: readable if a memory.events changed; -1: none
 * @pressure: has an exceptional condition (POLLPRI) under pressure; -1: none
 * @mount: of cgroup v2
 * @list, @nr: the cgroups
 * @nr_skipped: cgroups beyond the limit, or that could not be watched, at the last look
 */
struct mp_memory_watch {
	int inotify;
	int pressure;
	char mount[PATH_MAX];
	struct mp_watched_cgroup *list;
	size_t nr, max;
	size_t nr_skipped;
};

#define MP_MEMORY_COMM_SIZE	64

/**
 * struct mp_memory_cause - numbers of what a trigger noticed; all zero: of other events
 * @value: memory of the cgroup; its growth per hour; RSS of the process
 * @bound: of the configuration, in the same unit
 * @limit: memory.max or memory.high of the cgroup
 * @is_high: it is memory.high
 * @window_s: seconds for which it has been growing
 * @pid, @comm: of the process that exited
 */
struct mp_memory_cause {
	uint64_t value, bound, limit;
	bool is_high;
	uint64_t window_s;
	uint32_t pid;
	char comm[MP_MEMORY_COMM_SIZE];
};

/**
 * struct mp_memory_trouble - what happened since the last look
 * @event: the worst event; MP_NR_MEMORY_EVENTS: nothing
 * @cgroup: cgroup of @event, the lowest one that has it; empty for pressure
 * @counts: by enum mp_memory_event, of @cgroup
 * @cause: what a trigger noticed
 */
struct mp_memory_trouble {
	enum mp_memory_event event;
	char cgroup[PATH_MAX];
	uint64_t counts[MP_NR_MEMORY_EVENTS];
	struct mp_memory_cause cause;
};

/**
 * mp_memory_watch_open - begin to watch
 * @stall_ms: time in each second that processes wait for memory, from which on it is
 *	pressure; 0: pressure is not watched
 *
 * What cannot be watched is a warning in @diag.
 */
void mp_memory_watch_open(struct mp_memory_watch *watch, uint64_t stall_ms,
			  struct mp_diag *diag);

/**
 * mp_memory_watch_look - find the cgroups to watch, and forget those that are gone
 * @roots: paths of cgroups, which are watched with those below them
 * @nr_roots: 0: all cgroups
 *
 * Return: 0, or -ENOMEM.
 */
int mp_memory_watch_look(struct mp_memory_watch *watch, const char * const *roots,
			 size_t nr_roots);

/**
 * mp_memory_watch_read - read what happened
 * @is_pressure: @pressure had an exceptional condition
 * @trouble: out
 */
void mp_memory_watch_read(struct mp_memory_watch *watch, bool is_pressure,
			  struct mp_memory_trouble *trouble);

/**
 * mp_memory_watch_press - watch the pressure with another time, see mp_memory_watch_open()
 *
 * The cgroups, and what is known of them, stay.
 */
void mp_memory_watch_press(struct mp_memory_watch *watch, uint64_t stall_ms,
			   struct mp_diag *diag);

/** mp_memory_watch_no_pressure - give up the trigger, which the kernel has ended */
void mp_memory_watch_no_pressure(struct mp_memory_watch *watch);

/** mp_memory_watch_close - close the files, and free all */
void mp_memory_watch_close(struct mp_memory_watch *watch);

#endif
