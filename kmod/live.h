/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The live table: followed blocks that are allocated and not freed yet. A block
 * is found by its address or by any address inside it.
 */
#ifndef _MEMPROF_LIVE_H
#define _MEMPROF_LIVE_H

#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/seqlock.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>
#include "alloc.h"
#include "counter.h"

struct memprof_row;

#define MEMPROF_NO_BLOCK U32_MAX
#define MEMPROF_MAX_SPARES 16

struct memprof_block {
	u64 ptr;			/* address in the process */
	u64 size;			/* requested bytes */
	u64 born_ns;			/* local_clock() */
	struct memprof_row *row;	/* process; NULL: the slot is free */
	struct memprof_live_alloc *cgroup, *site;	/* its tallies */
	struct memprof_weighted weighted;
	u32 next;			/* in the hash chain or free list */
	struct rb_node node;		/* in row->large, if large */
};

/* A copy of a block: another CPU may free the block itself at any time. */
struct memprof_found {
	u64 ptr, size, born_ns;
	struct memprof_live_alloc *cgroup, *site;
	struct memprof_weighted weighted;
};

/* Free slots that belong to one thread; the thread uses them without a lock. */
struct memprof_spares {
	u32 nr;				/* written by the thread only */
	u32 block[MEMPROF_MAX_SPARES];
};

/* One lock for many buckets. */
struct memprof_stripe {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

struct memprof_live {
	struct memprof_block *blocks;
	u32 *hash;			/* heads of chains; locks: stripes */
	struct memprof_stripe *stripes;
	u32 bits;			/* of the hash */
	siphash_key_t key;		/* of the hash */
	struct mutex sweep_lock;	/* one sweep at a time */
	u32 max;
	raw_spinlock_t free_lock;
	seqcount_raw_spinlock_t moves;	/* of spare blocks between a thread
					 * and the free list; free_lock
					 */
	u32 free;			/* head of the free list; free_lock */
	u32 used;			/* blocks that are followed or spare;
					 * free_lock
					 */
	u32 batch;			/* blocks that a thread takes at a time;
					 * 1: threads keep none
					 */
	u32 touched;			/* blocks[touched..] were never used;
					 * free_lock
					 */
	bool inconsistent;		/* a free slot was in use; any thread
					 * may set it
					 */
	struct memprof_counts __percpu *counts;
};

int memprof_live_alloc(struct memprof_live *l, u32 max,
		       struct memprof_counts __percpu *counts);
void memprof_live_free(struct memprof_live *l);

bool memprof_live_add(struct memprof_live *l, struct memprof_spares *spares,
		      struct memprof_row *row,
		      const struct memprof_found *block,
		      struct memprof_found *old);
bool memprof_live_take(struct memprof_live *l, struct memprof_spares *spares,
		       struct memprof_row *row, u64 ptr,
		       struct memprof_found *found);
void memprof_live_give_back(struct memprof_live *l,
			    struct memprof_spares *spares);
bool memprof_live_at(struct memprof_live *l, struct memprof_row *row, u64 addr,
		     struct memprof_found *found);
u32 memprof_live_end(struct memprof_live *l);
struct memprof_row *memprof_live_slot(struct memprof_live *l, u32 i,
				      struct memprof_found *found);
void memprof_live_drop(struct memprof_row *row,
		       const struct memprof_found *block);
void memprof_live_sweep(struct memprof_live *l);

#endif
