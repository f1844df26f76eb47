/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions: the options and the tallies of one open file of /dev/memprof.
 *
 * Probes find running sessions through a small array of RCU pointers. START
 * publishes the session there and STOP withdraws it. After an RCU grace period
 * no probe uses a withdrawn session.
 */
#ifndef _MEMPROF_SESSION_H
#define _MEMPROF_SESSION_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include "cgroup.h"
#include "copy.h"
#include "counter.h"
#include "process.h"
#include "stream.h"
#include "target.h"

struct memprof_session {
	struct mutex lock;		/* one ioctl at a time */
	enum memprof_state state;	/* lock */
	bool failed;			/* any probe sets it, once */
	/* START sets all fields up to start_ns before the session is found */
	u32 id;
	u32 streams;			/* enum memprof_start_flag bits */
	int slot;			/* in memprof_sessions */
	struct memprof_start options;	/* defaults filled in */
	u64 start_ns;
	u64 stop_ns, reset_ns;		/* lock */
	/*
	 * Events that each stream's hooks lost. While the session runs: from
	 * the load of the module to START. After STOP: from START to STOP.
	 * Protected by lock.
	 */
	unsigned long missed[MEMPROF_MAX_STREAMS];
	struct memprof_counts __percpu *counts;
	struct memprof_targets targets;
	struct memprof_processes processes;
	struct memprof_cgroups cgroups;
	struct memprof_copy copy;	/* of the last SNAPSHOT; lock */
	/*
	 * Data of the streams, one pointer each. Only the stream that owns a
	 * pointer writes it, and never while the session is published. NULL
	 * where the session does not have the stream.
	 */
	struct memprof_faults *faults;
	struct memprof_heap *heap;
	struct memprof_probes *probes;
	struct memprof_section_file *section_file;
};

extern struct memprof_session __rcu *memprof_sessions[MEMPROF_MAX_SESSIONS];

/* Returns the next published session and sets @slot to its slot; or NULL. */
static inline struct memprof_session *memprof_session_next(int *slot,
							   bool failed_too)
{
	struct memprof_session *s;

	while (++*slot < MEMPROF_MAX_SESSIONS) {
		s = rcu_dereference(memprof_sessions[*slot]);
		if (s && (failed_too || !READ_ONCE(s->failed)))
			return s;
	}
	return NULL;
}

/* Visits sessions that have not failed; in an RCU read-side section. */
#define memprof_for_each_session(slot, s)				\
	for ((slot) = -1; ((s) = memprof_session_next(&(slot), false));)

/* Includes failed sessions; for hooks at the end of a task or address space. */
#define memprof_for_each_published(slot, s)				\
	for ((slot) = -1; ((s) = memprof_session_next(&(slot), true));)

struct memprof_session *memprof_session_open(void);
void memprof_session_close(struct memprof_session *s);
int memprof_session_start(struct memprof_session *s,
			  const struct memprof_start *arg);
void memprof_session_stop(struct memprof_session *s);
void memprof_session_status(struct memprof_session *s,
			    struct memprof_status *out);
u32 memprof_sessions_running(void);

void memprof_session_add_missed(struct memprof_session *s,
				struct memprof_counter *counters);
void memprof_session_add_living(struct memprof_session *s);
struct memprof_row *memprof_session_add_process(struct memprof_session *s,
						struct mm_struct *mm,
						struct task_struct *task);
void memprof_session_fail(struct memprof_session *s, const char *why);

#endif
