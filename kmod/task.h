/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tasks: the allocator call that each thread is inside of, if any. Only the
 * outermost call counts: what it calls itself is a part of it.
 */
#ifndef _MEMPROF_TASK_H
#define _MEMPROF_TASK_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include "counter.h"
#include "live.h"

struct memprof_cgroup_row;
struct memprof_point;
struct memprof_site_row;
struct task_struct;

/* An allocator call in flight. */
struct memprof_call {
	unsigned long sp;		/* at its entry; 0: none is in flight */
	const struct memprof_point *point;
	unsigned long callsite;		/* that it returns to */
	unsigned long ip;		/* of the probe */
	u32 func;			/* enum memprof_func */
	bool hooked;			/* its return will be seen */
	bool sampled;
	bool had_old;			/* realloc: old was followed */
	struct memprof_site_row *site;	/* when sampled */
	u64 size;			/* bytes asked for */
	u64 ptr;			/* realloc: old; posix_memalign: where */
	struct memprof_found old;	/* taken out of the live table; row->blocks
					 * counts it still
					 */
};

struct memprof_task {
	struct hlist_node hash;		/* lock, RCU */
	struct list_head list;		/* free; lock */
	struct task_struct *task;	/* key */
	/* the rest: the task itself only, in any context */
	struct memprof_row *row;	/* whose heap the call is about */
	struct memprof_cgroup_row *cgroup;	/* it was in, latest */
	struct memprof_call call;
	u64 last_ptr;			/* latest block that it allocated */
};

struct memprof_tasks {
	raw_spinlock_t lock;
	struct memprof_task *tasks;
	struct hlist_head *hash;
	struct list_head free;
	u32 touched;			/* tasks[touched..] were never used */
	struct memprof_counts __percpu *counts;
};

int memprof_tasks_alloc(struct memprof_tasks *t,
			struct memprof_counts __percpu *counts);
void memprof_tasks_free(struct memprof_tasks *t);

struct memprof_task *memprof_task_find(struct memprof_tasks *t,
				       const struct task_struct *task);
struct memprof_task *memprof_task_get(struct memprof_tasks *t);
void memprof_task_put(struct memprof_tasks *t, struct memprof_task *task);
bool memprof_task_inside(const struct memprof_task *task, unsigned long sp,
			 const struct memprof_point *point);

#endif
