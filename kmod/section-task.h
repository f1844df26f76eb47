/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sections that a thread has through one open file.
 *
 * Only the thread itself uses them, in its ioctls. Probes find them under RCU and
 * add to their atomic sums.
 */
#ifndef _MEMPROF_SECTION_TASK_H
#define _MEMPROF_SECTION_TASK_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include "meter.h"
#include "sections.h"

struct memprof_session;

/* Sums that probes add to, in bytes. */
enum memprof_section_sum {
	MEMPROF_SUM_ALLOCATED,
	MEMPROF_SUM_FREED,
	MEMPROF_SUM_TOUCHED,
	MEMPROF_SUM_GROWN,
	MEMPROF_NR_SUMS
};

struct memprof_section_task {
	struct hlist_node hash;		/* table lock, RCU */
	struct task_struct *task;	/* alive while the entry is hashed */
	struct memprof_session *session;
	struct mp_sections sections;
	struct memprof_meter meter;
	size_t flushed;			/* completed sections read so far */
	bool gauging;			/* the last ioctl was a gauge call */
	atomic64_t sums[MEMPROF_NR_SUMS];
	u32 owners[MEMPROF_NR_SUMS];	/* id of the session that adds. Without
					 * a lock: if two sessions begin at
					 * once, one event may be added twice.
					 */
	struct rcu_work free;
};

/* Number of entries on the machine that are in the hash or wait to be freed. */
extern atomic_t memprof_nr_section_tasks;

int memprof_section_tasks_init(void);
void memprof_section_tasks_exit(void);

struct memprof_section_task *memprof_section_task_find(struct memprof_session *s);
struct memprof_section_task *memprof_section_task_make(struct memprof_session *s);
void memprof_section_task_end(const struct task_struct *task);
void memprof_section_tasks_close(struct memprof_session *s);

void memprof_section_task_add(struct memprof_session *s,
			      enum memprof_section_sum which, s64 bytes);

/*
 * Adds an event that session @s observed to a sum of the running thread, if the
 * thread has sections. Any context but NMI.
 */
static inline void memprof_section_add(struct memprof_session *s,
				       enum memprof_section_sum which,
				       s64 bytes)
{
	if (unlikely(atomic_read(&memprof_nr_section_tasks)))
		memprof_section_task_add(s, which, bytes);
}

#endif
