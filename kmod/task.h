/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks: a row per thread, with the allocator call that the thread is inside of.
 * Only the outermost call counts. Allocator calls inside it are a part of it.
 */
#ifndef _MEMPROF_TASK_H
#define _MEMPROF_TASK_H

#include "counter.h"
#include "live.h"
#include "pending.h"
#include "table.h"

struct memprof_cgroup_row;
struct memprof_point;
struct memprof_site_row;
struct task_struct;

/* An allocator call between its entry and its return. */
struct memprof_call {
	unsigned long sp;		/* at the entry; 0: no call */
	const struct memprof_point *point;
	unsigned long callsite;		/* return address */
	unsigned long ip;		/* of the probe */
	u32 func;			/* enum memprof_func */
	bool hooked;			/* the return will be seen */
	bool sampled;
	bool had_old;			/* realloc: old is in use */
	struct memprof_site_row *site;	/* when sampled */
	u64 size;			/* requested bytes */
	u64 ptr;			/* realloc, free: the block;
					 * posix_memalign: its first argument
					 */
	struct memprof_found old;	/* realloc: the old block, out of the
					 * live table; row->blocks counts it
					 */
};

struct memprof_task {
	struct memprof_entry entry;
	struct task_struct *task;	/* key */
	/*
	 * Only the task itself writes the following, in any context; but a
	 * snapshot settles pending.
	 */
	struct memprof_row *row;	/* process of the noted call */
	struct memprof_cgroup_row *cgroup;	/* of the last event */
	struct memprof_call call;
	u64 last_ptr;			/* block that the task allocated last */
	struct memprof_site_row *unlocated;	/* file to be looked up, or NULL */
	struct memprof_spares spares;
	struct memprof_pending pending;
} ____cacheline_aligned_in_smp;

struct memprof_tasks {
	struct memprof_table table;	/* of struct memprof_task */
	struct memprof_counts __percpu *counts;
};

int memprof_tasks_alloc(struct memprof_tasks *t,
			struct memprof_counts __percpu *counts);
void memprof_tasks_free(struct memprof_tasks *t);

struct memprof_task *memprof_task_find(struct memprof_tasks *t,
				       const struct task_struct *task);
struct memprof_task *memprof_task_find_own(struct memprof_tasks *t);
struct memprof_task *memprof_task_get(struct memprof_tasks *t);
void memprof_task_put(struct memprof_tasks *t, struct memprof_task *task);
void memprof_tasks_settle(struct memprof_tasks *t);
u32 memprof_tasks_spares(struct memprof_tasks *t);
bool memprof_task_inside(const struct memprof_task *task, unsigned long sp,
			 const struct memprof_point *point);

#endif
