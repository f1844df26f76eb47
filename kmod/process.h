/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes: a bounded table with a row per target address space, found by
 * mm pointer. Rows of exited processes stay until their place is needed.
 */
#ifndef _MEMPROF_PROCESS_H
#define _MEMPROF_PROCESS_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include "alloc.h"
#include "counter.h"
#include "tally.h"

struct mm_struct;

/* Growth calls in flight in one address space, to tell lone ones. */
struct memprof_calls {
	atomic_t nr;			/* now */
	atomic_t seq;			/* begun since the row was made */
};

enum memprof_row_state {
	MEMPROF_ROW_FREE,
	MEMPROF_ROW_LIVING,
	MEMPROF_ROW_FROZEN,		/* lived when the session stopped */
	MEMPROF_ROW_EXITED,
	MEMPROF_ROW_SPECIAL,		/* folded, overflow: in no list */
};

struct memprof_row {
	struct hlist_node hash;		/* while living; table lock, RCU */
	struct list_head list;		/* free or exited; table lock */
	enum memprof_row_state state;	/* table lock */
	struct mm_struct *mm;		/* while living; holds mm_count */
	struct memprof_live_tally tally;
	struct memprof_calls calls;
	atomic64_t brk;			/* up to which brk() is in the tally */
	struct memprof_live_alloc alloc;
	atomic_t blocks;		/* in the live table; reused only at 0 */
	raw_spinlock_t large_lock;
	struct rb_root large;		/* the large ones of them; large_lock */
	unsigned long trampoline;	/* where return probes lead to; 0: not
					 * known yet; any thread of it writes
					 * the same
					 */
	u64 number;			/* of all rows ever made; never reused */
	/* the rest: table lock, but for peak, which any probe raises */
	u32 pid;
	char comm[TASK_COMM_LEN];
	u64 cgroup;
	u64 start_ns, exit_ns;
	unsigned long resident[4];	/* pages, in the order of the uapi */
	unsigned long peak[4];
	unsigned long peak_rss;
};

struct memprof_processes {
	raw_spinlock_t lock;
	struct memprof_row *rows;
	struct hlist_head *hash;
	struct list_head free, exited;	/* exited: oldest first */
	u32 bits;			/* of the hash */
	u32 max, nr;			/* rows; in use */
	u64 made;			/* rows ever */
	u32 touched;			/* rows[touched..] were never used */
	u32 cursor;			/* rows[..cursor] are in the copy being
					 * made; 0: none is; lock
					 */
	struct memprof_row folded, overflow;
	struct memprof_row late;	/* folded, but in the copy already */
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
bool memprof_process_exit(struct memprof_processes *t, struct mm_struct *mm);

u32 memprof_processes_capacity(struct memprof_processes *t);
u32 memprof_processes_read(struct memprof_processes *t,
			   struct memprof_process *out, u32 nr, bool reset);

#endif
