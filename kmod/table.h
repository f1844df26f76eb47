/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables: a fixed number of rows of one kind, found by a hash under RCU. The tables
 * of processes, cgroups, callsites and threads are made of it.
 */
#ifndef _MEMPROF_TABLE_H
#define _MEMPROF_TABLE_H

#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* The first field of each row. */
struct memprof_entry {
	struct hlist_node hash;		/* lock, RCU */
	u32 bucket;
	struct memprof_entry *next_free;	/* lock */
};

struct memprof_table {
	raw_spinlock_t lock;
	void *rows;
	size_t row_size;		/* bytes */
	struct hlist_head *buckets;
	u32 bits;			/* 2^bits buckets */
	u32 max;
	u32 nr;				/* rows[nr..] were never used; lock */
	u32 used;			/* lock; read without it, too */
	bool full;			/* the last search for a free row found
					 * none; written under the lock
					 */
	struct memprof_entry *free;	/* lock */
};

/* Callbacks of memprof_table_recycle(), which the owner of a table provides. */
struct memprof_recycler {
	/* Whether the row is not needed any more. */
	bool (*is_over)(const void *row);
	/*
	 * Adds the sums of a hidden row to another row, and drops the row's
	 * references.
	 */
	void (*fold)(struct memprof_table *t, void *row);
};

int memprof_table_alloc(struct memprof_table *t, u32 max, size_t row_size);
void memprof_table_free(struct memprof_table *t);
void *memprof_table_pop(struct memprof_table *t);
void memprof_table_push(struct memprof_table *t, struct memprof_entry *e);
void memprof_table_recycle(struct memprof_table *t,
			   const struct memprof_recycler *r);

static inline void *memprof_table_row(const struct memprof_table *t, u32 i)
{
	return t->rows + i * t->row_size;
}

/* Number of rows that were used at some time. Each of them may be read. */
static inline u32 memprof_table_end(const struct memprof_table *t)
{
	/* pairs with memprof_table_pop() */
	return smp_load_acquire(&t->nr);
}

/* Adds a row to a bucket, so that it can be found. The lock is held. */
static inline void memprof_table_show(struct memprof_table *t,
				      struct memprof_entry *e, u32 bucket)
{
	lockdep_assert_held(&t->lock);
	e->bucket = bucket;
	hlist_add_head_rcu(&e->hash, &t->buckets[bucket]);
}

/* Removes a row from its bucket. Only RCU sections that began still find it. */
static inline void memprof_table_hide(struct memprof_table *t,
				      struct memprof_entry *e)
{
	lockdep_assert_held(&t->lock);
	hlist_del_rcu(&e->hash);
}

/*
 * Visits the rows of a bucket, under RCU or the lock. Under RCU the loop may
 * miss a row while other rows change.
 */
#define memprof_table_for_each(row, t, bucket)				\
	hlist_for_each_entry_rcu(row, &(t)->buckets[bucket], entry.hash, \
				 lockdep_is_held(&(t)->lock))

#endif
