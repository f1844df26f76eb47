/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections of a thread, by one open file.
 *
 * Only the thread itself touches them, in an ioctl. What probes add to is atomic,
 * and found under RCU.
 */
#ifndef _MEMPROF_SECTION_TASK_H
#define _MEMPROF_SECTION_TASK_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "meter.h"
#include "sections.h"

struct memprof_session;

/* What probes add up, bytes. */
enum memprof_section_sum {
	MEMPROF_SUM_ALLOCATED,
	MEMPROF_SUM_FREED,
	MEMPROF_SUM_TOUCHED,
	MEMPROF_SUM_GROWN,
	MEMPROF_NR_SUMS
};

struct memprof_section_task {
	struct hlist_node hash;		/* table lock, RCU */
	struct task_struct *task;	/* alive as long as it is hashed */
	struct memprof_session *session;
	struct mp_sections sections;
	struct memprof_meter meter;
	size_t flushed;			/* of the completed ones */
	bool gauging;			/* the last call was that */
	atomic64_t sums[MEMPROF_NR_SUMS];
	u32 owners[MEMPROF_NR_SUMS];	/* ids of the sessions that add; racy:
					 * when two begin at once, one event
					 * may count twice
					 */
	struct rcu_work free;
};

extern atomic_t memprof_nr_section_tasks;

int memprof_section_tasks_init(void);
void memprof_section_tasks_exit(void);

struct memprof_section_task *memprof_section_task_find(struct memprof_session *s);
struct memprof_section_task *memprof_section_task_make(struct memprof_session *s);
void memprof_section_task_end(const struct task_struct *task);
void memprof_section_tasks_close(struct memprof_session *s);

void memprof_section_task_add(struct memprof_session *s,
			      enum memprof_section_sum which, s64 bytes);

/* Of the running task, as session @s sees it. Any context but NMI. */
static inline void memprof_section_add(struct memprof_session *s,
				       enum memprof_section_sum which,
				       s64 bytes)
{
	if (unlikely(atomic_read(&memprof_nr_section_tasks)))
		memprof_section_task_add(s, which, bytes);
}

#endif
