/* SPDX-License-Identifier: GPL-2.0-only */
/* Targets: whether a task is one that the session was asked for. */
#ifndef _MEMPROF_TARGET_H
#define _MEMPROF_TARGET_H

#include <linux/sched.h>
#include <linux/types.h>
#include <uapi/linux/memprof.h>

struct cgroup;
struct pid;

/*
 * Filled while the session is idle and then only read, but for the two bitmaps,
 * whose bits the life-cycle hooks set and clear.
 */
struct memprof_targets {
	bool all;
	u32 nr;				/* of all kinds together */
	u32 nr_cgroups, nr_comms, nr_pids;
	struct cgroup *cgroups[MEMPROF_MAX_TARGETS];
	char comms[MEMPROF_MAX_TARGETS][TASK_COMM_LEN];
	struct {
		struct pid *pid;
		bool children;
	} pids[MEMPROF_MAX_TARGETS];
	/* By process id: is a target; and hands that on to its children. */
	unsigned long *followed;
	unsigned long *inherit;
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

#endif
