/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pending sums: what a thread allocated and freed, and has not added to the tallies
 * of its process, cgroup and callsites yet.
 */
#ifndef _MEMPROF_PENDING_H
#define _MEMPROF_PENDING_H

#include <linux/spinlock.h>
#include "alloc.h"

struct memprof_found;
struct memprof_row;

#define MEMPROF_PENDING_SITES	8

/* The pending changes of one tally. */
struct memprof_pending_sum {
	struct memprof_live_alloc *tally;	/* NULL: nothing is pending */
	struct memprof_alloc_delta delta;
	u32 events;			/* number of allocations and frees */
};

/* The pending changes of a histogram of a callsite: of the latest bin only. */
struct memprof_pending_bin {
	u64 objects;			/* whole objects */
	u32 bin;
};

struct memprof_pending {
	raw_spinlock_t lock;		/* taken to add and to settle */
	struct memprof_row *row;	/* process of all sums; NULL: none */
	s32 blocks;			/* change of row->blocks */
	struct memprof_pending_sum process, cgroup;
	struct memprof_pending_sum sites[MEMPROF_PENDING_SITES];
	struct memprof_pending_bin sizes[MEMPROF_PENDING_SITES];
	struct memprof_pending_bin lifetimes[MEMPROF_PENDING_SITES];
};

void memprof_pending_alloc(struct memprof_pending *p, struct memprof_row *row,
			   const struct memprof_found *b, s32 blocks);
void memprof_pending_free(struct memprof_pending *p, struct memprof_row *row,
			  const struct memprof_found *b, s32 blocks,
			  u64 age_ns, bool temporary);
void memprof_pending_settle(struct memprof_pending *p);

#endif
