/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes: a bounded table with a row per target address space. A row is found
 * by its mm pointer. The row of an exited process stays until another process
 * needs the slot.
 */
#ifndef _MEMPROF_PROCESS_H
#define _MEMPROF_PROCESS_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include "alloc.h"
#include "counter.h"
#include "table.h"
#include "tally.h"

struct memprof_targets;
struct mm_struct;

enum memprof_row_state {
	MEMPROF_ROW_FREE,
	MEMPROF_ROW_LIVING,
	MEMPROF_ROW_FROZEN,		/* was living at STOP */
	MEMPROF_ROW_EXITED,
	MEMPROF_ROW_SPECIAL,		/* folded, overflow, late: in no list */
};

struct memprof_row {
	/* one cache line that each event reads and few events write */
	struct memprof_entry entry;	/* found while living */
	struct mm_struct *mm;		/* while living: a reference, mmgrab() */
	u64 number;			/* unique in the session */
	unsigned long trampoline;	/* address of the return trampoline;
					 * 0: not known yet. All threads of
					 * the process write the same value.
					 */
	enum memprof_row_state state;	/* table lock */
	bool followed;			/* it has had followed blocks */
	/* sums that events write */
	struct memprof_live_tally tally ____cacheline_aligned_in_smp;
	atomic64_t brk;			/* break that the tally includes */
	struct memprof_live_alloc alloc;
	atomic_t blocks;		/* in the live table, and pending ones;
					 * the row is reused only when this is 0
					 * and alloc.holders is 0
					 */
	raw_spinlock_t large_lock;
	struct rb_root large;		/* large blocks; large_lock */
	struct list_head list;		/* if exited; table lock */
	u64 unused_ns;			/* first snapshot without users; lock */
	bool left;			/* no target at last snapshot; lock */
	/* the rest: under the table lock; probes raise peak without it */
	u32 pid;
	char comm[TASK_COMM_LEN];
	u64 cgroup;
	struct memprof_grown grown_before;	/* before it joined cgroup */
	u64 start_ns, exit_ns;
	unsigned long resident[4];	/* pages; struct memprof_resident; 0
					 * before the first snapshot
					 */
	unsigned long peak[4];
	unsigned long peak_rss;
	unsigned int has_python;	/* 1: python is being filled in; 2: it
					 * does not change any more
					 */
	struct memprof_python python;
} ____cacheline_aligned_in_smp;

/* A process that ends in a cgroup or leaves it, and its growth there. */
struct memprof_ended {
	u64 cgroup;
	struct memprof_grown grown;	/* growth in the cgroup, not below 0 */
	bool blocks;			/* it may have followed blocks */
};

struct memprof_processes {
	struct memprof_table table;	/* of struct memprof_row */
	struct list_head exited;	/* oldest first; lock */
	u64 made;			/* number of the latest row; lock */
	u32 cursor;			/* rows[..cursor] are copied already;
					 * 0: no snapshot in progress; lock
					 */
	struct memprof_row folded;	/* sum of exited processes */
	struct memprof_row overflow;	/* processes without a row */
	struct memprof_row late;	/* see fold_process_row() */
	struct memprof_counts __percpu *counts;
};

int memprof_processes_alloc(struct memprof_processes *t, u32 max,
			    struct memprof_counts __percpu *counts);
void memprof_processes_free(struct memprof_processes *t);
void memprof_processes_freeze(struct memprof_processes *t);

struct memprof_row *memprof_process_find(struct memprof_processes *t,
					 const struct mm_struct *mm);
struct memprof_row *memprof_process_get(struct memprof_processes *t,
					struct mm_struct *mm,
					struct task_struct *task);
void memprof_process_observe(struct memprof_row *row, struct mm_struct *mm);
bool memprof_process_exit(struct memprof_processes *t, struct mm_struct *mm,
			  struct memprof_ended *ended);
void memprof_process_move(struct memprof_processes *t, struct memprof_row *row,
			  u64 cgroup, struct memprof_ended *left);
void memprof_processes_recheck(struct memprof_processes *t);
bool memprof_process_is_over(const struct memprof_row *row, u64 number);

u32 memprof_processes_capacity(struct memprof_processes *t);
u32 memprof_processes_read(struct memprof_processes *t,
			   const struct memprof_targets *targets,
			   struct memprof_process *out, u32 nr, bool reset);

#endif
