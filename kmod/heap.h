/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The heap that a session follows: which allocator calls count, and what they
 * add to the tallies of the process, the cgroup and the callsite.
 */
#ifndef _MEMPROF_HEAP_H
#define _MEMPROF_HEAP_H

#include <linux/workqueue.h>
#include <uapi/linux/memprof.h>
#include "live.h"
#include "sample.h"
#include "site.h"
#include "task.h"

struct memprof_session;

/* The function at a probe point; a part of struct function_probe in probe.c. */
struct memprof_point {
	u32 func;			/* enum memprof_func */
	struct memprof_probe_arg args[4];
};

struct memprof_heap {
	struct memprof_session *session;
	struct memprof_sampler sampler;
	struct memprof_live live;
	struct memprof_sites sites;
	struct memprof_tasks tasks;
	struct delayed_work sweep;	/* drops blocks of ended processes */
	u64 sweep_ns;			/* duration of the last sweep */
};

/* The allocation that a fault or growth event is charged to. */
struct memprof_join {
	struct memprof_site_row *site;
	unsigned long callsite;
	u64 size;
};

int memprof_heap_alloc(struct memprof_session *s);
void memprof_heap_free(struct memprof_session *s);
void memprof_heap_quiesce(struct memprof_session *s);
void memprof_heap_settle(struct memprof_session *s);
u32 memprof_heap_blocks_room(struct memprof_session *s);
u32 memprof_heap_blocks(struct memprof_session *s,
			struct memprof_living_block *out, u32 room, u32 *left);

/* The callsite of a block: its tally is a part of it. */
static inline struct memprof_site_row *
memprof_site_of_block(const struct memprof_found *b)
{
	return container_of(b->site, struct memprof_site_row, alloc);
}

/* Called by the probes. */
bool memprof_heap_awaits_free(struct memprof_session *s, u32 func,
			      const struct mm_struct *mm);
bool memprof_heap_free_only(struct memprof_session *s,
			    const struct memprof_point *p, struct pt_regs *regs);
bool memprof_heap_call(struct memprof_session *s, const struct memprof_point *p,
		       struct pt_regs *regs);
void memprof_heap_return(struct memprof_session *s,
			 const struct memprof_point *p, struct pt_regs *regs);

/* Called by the hooks of life.c, in an RCU read-side section. */
void memprof_heap_fork(struct memprof_session *s, struct mm_struct *parent,
		       struct memprof_row *child);
void memprof_heap_task_exit(struct memprof_session *s);
void memprof_heap_exit(struct memprof_session *s);

/* Called by the other streams, in an RCU read-side section. */
bool memprof_heap_inside(struct memprof_session *s, struct memprof_row *row,
			 struct memprof_join *join);
bool memprof_heap_block(struct memprof_session *s, struct memprof_row *row,
			u64 addr, struct memprof_join *join);

#endif
