/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets: the tasks that a session observes. */
#ifndef _MEMPROF_TARGET_H
#define _MEMPROF_TARGET_H

#include <linux/sched.h>
#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct cgroup;
struct pid;

/* How often a cgroup can be created again within one RCU grace period. */
#define MEMPROF_MAX_RETIRED 4

/*
 * A target cgroup is identified by its path, because service managers and
 * container runtimes remove a service's cgroup and create it again at each
 * restart.
 */
struct memprof_cgroup_target {
	struct cgroup __rcu *cgrp;	/* a reference */
	char *path;			/* from the root of the hierarchy */
	/* earlier cgroups: a reference to each, until no probe uses it */
	struct {
		struct cgroup *cgrp;
		unsigned long grace;	/* of get_state_synchronize_rcu() */
	} retired[MEMPROF_MAX_RETIRED];
};

/*
 * Written while the session is idle, under its lock, and only read after START,
 * with two exceptions. The hooks of life.c set and clear bits of the bitmaps; the
 * hook on mkdir of cgroups, which the kernel calls one at a time, writes cgrp and
 * retired.
 */
struct memprof_targets {
	bool all;
	u32 nr;				/* of all kinds together */
	u32 nr_cgroups, nr_comms, nr_pids;
	struct memprof_cgroup_target cgroups[MEMPROF_MAX_TARGETS];
	char comms[MEMPROF_MAX_TARGETS][TASK_COMM_LEN];
	struct {
		struct pid *pid;
		bool children;
	} pids[MEMPROF_MAX_TARGETS];
	/* Bitmaps by process id. NULL: no target is a process. */
	unsigned long *followed;	/* the process is a target */
	unsigned long *inherit;		/* its children are targets, too */
};

int memprof_target_add(struct memprof_targets *t,
		       const struct memprof_target *arg);
int memprof_targets_begin(struct memprof_targets *t);
void memprof_targets_check(struct memprof_targets *t);
void memprof_targets_end(struct memprof_targets *t);
void memprof_targets_free(struct memprof_targets *t);

bool memprof_target_match(const struct memprof_targets *t,
			  struct task_struct *task);
bool memprof_target_match_current(const struct memprof_targets *t);
void memprof_target_fork(struct memprof_targets *t, struct task_struct *parent,
			 struct task_struct *child);
void memprof_target_adopt(struct memprof_targets *t, struct task_struct *task);
void memprof_target_exit(struct memprof_targets *t, struct task_struct *task);
bool memprof_target_mkdir(struct memprof_targets *t, struct cgroup *cgrp,
			  const char *path);

#endif
