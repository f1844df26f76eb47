// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocates all rows when the session starts. Cost: a look-up walks one short
 * chain; to add or remove a row takes the table's lock. The field "full" can be
 * read without the lock, so that events do not take the lock in vain.
 *
 * A row may be used again without a grace period. While a search walks a chain,
 * the row that it has reached may move to another chain. Then the search misses
 * the row that it looks for. So a search that found nothing is repeated under
 * the lock.
 */
#include "table.h"
#include <linux/bitmap.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

/**
 * memprof_table_alloc() - allocate a table
 * @t: zeroed
 * @max: number of rows, at least 1
 * @row_size: bytes; a row begins with struct memprof_entry
 *
 * Return: 0, or -ENOMEM with nothing allocated. All rows are zeroed.
 */
int memprof_table_alloc(struct memprof_table *t, u32 max, size_t row_size)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;

	raw_spin_lock_init(&t->lock);
	t->max = max;
	t->row_size = row_size;
	t->bits = max(ilog2(roundup_pow_of_two(max)), 1);
	t->rows = __vmalloc(array_size(max, row_size), gfp);
	t->buckets = __vmalloc(sizeof(*t->buckets) << t->bits, gfp);
	if (t->rows && t->buckets)
		return 0;
	memprof_table_free(t);
	return -ENOMEM;
}

/**
 * memprof_table_free() - free a table
 * @t: table that nobody uses; may be zeroed
 */
void memprof_table_free(struct memprof_table *t)
{
	vfree(t->rows);
	vfree(t->buckets);
	memset(t, 0, sizeof(*t));
}

/**
 * memprof_table_pop() - take a free row
 * @t: table; its lock is held
 *
 * Return: a row that was given back, as it was then, or one that was never used,
 * which is zeroed. NULL, and @t is full, when there is none.
 */
void *memprof_table_pop(struct memprof_table *t)
{
	void *row = t->free;

	lockdep_assert_held(&t->lock);
	if (t->free) {
		t->free = t->free->next_free;
	} else if (t->nr < t->max) {
		row = memprof_table_row(t, t->nr);
		/* pairs with memprof_table_end() */
		smp_store_release(&t->nr, t->nr + 1);
	} else {
		WRITE_ONCE(t->full, true);
		return NULL;
	}
	WRITE_ONCE(t->used, t->used + 1);
	return row;
}

/**
 * memprof_table_push() - give a row back
 * @t: table; its lock is held
 * @e: row that cannot be found any more
 */
void memprof_table_push(struct memprof_table *t, struct memprof_entry *e)
{
	lockdep_assert_held(&t->lock);
	e->next_free = t->free;
	t->free = e;
	WRITE_ONCE(t->used, t->used - 1);
	WRITE_ONCE(t->full, false);
}

/* Hides the rows for which is_over() is true. Returns their number. */
static u32 hide_rows_that_are_over(struct memprof_table *t,
				   const struct memprof_recycler *r,
				   unsigned long *hidden)
{
	u32 i, n = 0, end = memprof_table_end(t);
	unsigned long flags;

	for (i = 0; i < end; i++) {
		struct memprof_entry *e = memprof_table_row(t, i);

		if (!(i % 256))
			cond_resched();
		if (!r->is_over(e))
			continue;
		raw_spin_lock_irqsave(&t->lock, flags);
		memprof_table_hide(t, e);
		raw_spin_unlock_irqrestore(&t->lock, flags);
		__set_bit(i, hidden);
		n++;
	}
	return n;
}

/*
 * Gives a hidden row back. A probe that found the row before it was hidden may
 * have changed it, so that it is needed again. Then the row is shown again.
 */
static void fold_or_show(struct memprof_table *t,
			 const struct memprof_recycler *r,
			 struct memprof_entry *e)
{
	bool over = r->is_over(e);
	unsigned long flags;

	if (over)
		r->fold(t, e);
	raw_spin_lock_irqsave(&t->lock, flags);
	if (over)
		memprof_table_push(t, e);
	else
		memprof_table_show(t, e, e->bucket);
	raw_spin_unlock_irqrestore(&t->lock, flags);
}

/**
 * memprof_table_recycle() - give back the rows that are not needed any more
 * @t: table; only one caller at a time
 * @r: says which rows these are
 *
 * Sleeps for an RCU grace period, if there are such rows.
 */
void memprof_table_recycle(struct memprof_table *t,
			   const struct memprof_recycler *r)
{
	unsigned long *hidden = bitmap_zalloc(t->max, GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!hidden)
		return;
	if (hide_rows_that_are_over(t, r, hidden)) {
		synchronize_rcu();
		for_each_set_bit(i, hidden, t->max)
			fold_or_show(t, r, memprof_table_row(t, i));
	}
	bitmap_free(hidden);
}
