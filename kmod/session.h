/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: what one open file of /dev/memprof asked for and has seen.
 *
 * Probes find running sessions through a small array of RCU pointers. A
 * session is published there from START to STOP; after it is withdrawn and a
 * grace period has passed, no probe knows it.
 */
#ifndef _MEMPROF_SESSION_H
#define _MEMPROF_SESSION_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include "cgroup.h"
#include "counter.h"
#include "fault.h"
#include "heap.h"
#include "process.h"
#include "snapshot.h"
#include "target.h"

struct memprof_session {
	struct mutex lock;		/* one ioctl at a time */
	enum memprof_state state;	/* lock */
	bool failed;			/* any probe sets it, once */
	bool has_sections;		/* that hook life; set once */
	/* to sections and back, by meter; 0: not known; any thread gauges */
	u64 section_way[3];
	u32 id;				/* set by START, as all until slot */
	u32 streams;
	u32 minor_period, major_period;
	u64 start_ns;
	int slot;
	u64 stop_ns, reset_ns;		/* lock */
	/* the hooks' own counts: at START, and since then once stopped */
	unsigned long growth_missed;
	unsigned long hook_missed;
	struct memprof_counts __percpu *counts;
	struct memprof_targets targets;
	struct memprof_processes processes;
	struct memprof_cgroups cgroups;
	struct memprof_faults faults;
	struct memprof_heap heap;
	struct memprof_copy copy;	/* of the last SNAPSHOT; lock */
};

extern struct memprof_session __rcu *memprof_sessions[MEMPROF_MAX_SESSIONS];

/* The next published session, or NULL; slot: where to go on from. */
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

/* Those that observe. In an RCU read-side section. */
#define memprof_for_each_session(slot, s)				\
	for ((slot) = -1; ((s) = memprof_session_next(&(slot), false));)

/* For what ends: a failed session must hear of it as well. */
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

void memprof_session_missed(struct memprof_session *s, unsigned long *growth,
			    unsigned long *hook);
void memprof_session_meet_living(struct memprof_session *s);
struct memprof_row *memprof_session_meet(struct memprof_session *s,
					 struct mm_struct *mm,
					 struct task_struct *task);
void memprof_session_fail(struct memprof_session *s, const char *why);

#endif
