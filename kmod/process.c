// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of processes. Everything is allocated when the session starts.
 *
 * Cost: a look-up walks one short hash chain under RCU. Only three things take
 * the lock: the first event of an address space, its exit, and a snapshot (for
 * one row at a time). When the table is full of living processes, events are
 * charged to the overflow row (counted).
 *
 * The row of a living address space holds a reference to the mm_struct, but not
 * to its memory. So the hook on exit_mmap() is not needed for safety: if kprobes
 * are switched off or miss a call, the next snapshot finds that the address space
 * has no users.
 *
 * A row returns to the free list without a grace period. A task that found the
 * row by its own mm is safe, because that mm is alive. A task that walks a chain
 * may stand on a row that moves to another chain; then it misses its own row, and
 * looks again under the lock.
 */
#include "process.h"
#include <linux/cgroup.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include "compat/mm.h"

/* In the order of struct memprof_resident. */
static const int members[4] = {
	MM_ANONPAGES, MM_FILEPAGES, MM_SHMEMPAGES, MM_SWAPENTS,
};

/**
 * memprof_processes_alloc() - allocate the table
 * @t: zeroed
 * @max: number of rows, for living and exited processes together
 * @counts: counters for rows that are folded and for a full table
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_processes_alloc(struct memprof_processes *t, u32 max,
			    struct memprof_counts __percpu *counts)
{
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO;

	raw_spin_lock_init(&t->lock);
	INIT_LIST_HEAD(&t->free);
	INIT_LIST_HEAD(&t->exited);
	t->folded.state = MEMPROF_ROW_SPECIAL;
	t->overflow.state = MEMPROF_ROW_SPECIAL;
	t->late.state = MEMPROF_ROW_SPECIAL;
	t->counts = counts;
	t->max = max;
	t->bits = max(ilog2(roundup_pow_of_two(max)), 1);
	t->rows = __vmalloc(array_size(max, sizeof(*t->rows)), gfp);
	t->hash = __vmalloc(sizeof(*t->hash) << t->bits, gfp);
	if (t->rows && t->hash)
		return 0;
	memprof_processes_free(t);
	return -ENOMEM;
}

/**
 * memprof_processes_free() - free the table
 * @t: table of a session whose hooks are removed, or that was never started
 */
void memprof_processes_free(struct memprof_processes *t)
{
	u32 i;

	for (i = 0; i < t->touched; i++)
		if (t->rows[i].mm)
			mmdrop(t->rows[i].mm);
	vfree(t->rows);
	vfree(t->hash);
	memset(t, 0, sizeof(*t));
}

static struct hlist_head *process_bucket(struct memprof_processes *t,
					 const struct mm_struct *mm)
{
	return &t->hash[hash_ptr(mm, t->bits)];
}

/**
 * memprof_process_find() - find the row of a living address space
 * @t: table of a running session
 * @mm: in use by the caller, who is in an RCU read-side section
 *
 * Return: the row, or NULL. The search may miss a row while other rows change.
 */
struct memprof_row *memprof_process_find(struct memprof_processes *t,
					 const struct mm_struct *mm)
{
	struct memprof_row *row;

	hlist_for_each_entry_rcu(row, process_bucket(t, mm), hash)
		if (READ_ONCE(row->mm) == mm)
			return row;
	return NULL;
}

/*
 * Updates name, cgroup and sizes to their values now. The address space is alive;
 * @task NULL: name and cgroup stay.
 */
static void refresh_process_row(struct memprof_row *row, struct task_struct *task)
{
	struct mm_struct *mm = row->mm;
	int i;

	if (task) {
		row->pid = task->tgid;
		strscpy_pad(row->comm, task->group_leader->comm,
			    sizeof(row->comm));
		row->cgroup = cgroup_id(task_dfl_cgroup(task));
		row->start_ns = task->group_leader->start_boottime;
	}
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		row->resident[i] = memprof_mm_counter_sum(mm, members[i]);
		row->peak[i] = max(row->peak[i], row->resident[i]);
	}
	row->peak_rss = max(row->peak_rss,
			    max(READ_ONCE(mm->hiwater_rss), row->resident[0] +
				row->resident[1] + row->resident[2]));
}

static void free_process_row(struct memprof_processes *t, struct memprof_row *row)
{
	row->state = MEMPROF_ROW_FREE;
	list_move_tail(&row->list, &t->free);
	t->nr--;
}

/*
 * Adds an exited row to the row "folded". A snapshot in progress may have copied
 * the exited row already. Then its sums go to "late" and are not copied twice.
 */
static void fold_process_row(struct memprof_processes *t, struct memprof_row *row)
{
	bool copied = row - t->rows < t->cursor;

	struct memprof_row *to = copied ? &t->late : &t->folded;

	memprof_tally_fold(&to->tally, &row->tally);
	memprof_alloc_fold(&to->alloc, &row->alloc);
}

/* The oldest exited row that has no blocks in the live table; or NULL. */
static struct memprof_row *oldest_exited_row(struct memprof_processes *t)
{
	struct memprof_row *row;

	list_for_each_entry(row, &t->exited, list)
		if (!atomic_read(&row->blocks))
			return row;
	return NULL;
}

/*
 * Returns a free row. If there is none, folds the oldest exited row and returns
 * that. NULL: every row is living, or exited with blocks that wait for a sweep.
 */
static struct memprof_row *alloc_process_row(struct memprof_processes *t)
{
	struct memprof_row *row;

	if (list_empty(&t->free) && t->touched < t->max) {
		row = &t->rows[t->touched];
		INIT_LIST_HEAD(&row->list);
		/* pairs with memprof_processes_read() */
		smp_store_release(&t->touched, t->touched + 1);
		return row;
	}
	if (list_empty(&t->free)) {
		row = oldest_exited_row(t);
		if (!row)
			return NULL;
		fold_process_row(t, row);
		memprof_count(t->counts, MEMPROF_COUNT_PROCESS_FOLDED);
		free_process_row(t, row);
	}
	row = list_first_entry(&t->free, struct memprof_row, list);
	list_del_init(&row->list);
	return row;
}

static struct memprof_row *make_process_row(struct memprof_processes *t,
					    struct mm_struct *mm,
					    struct task_struct *task)
{
	struct memprof_row *row = alloc_process_row(t);
	struct task_struct *owner = memprof_mm_owner(mm);

	if (!row) {
		memprof_count(t->counts, MEMPROF_COUNT_PROCESS_TABLE_FULL);
		return &t->overflow;
	}
	memset(&row->tally, 0, sizeof(row->tally));
	memset(&row->calls, 0, sizeof(row->calls));
	memset(&row->alloc, 0, sizeof(row->alloc));
	memset(row->peak, 0, sizeof(row->peak));
	raw_spin_lock_init(&row->large_lock);
	row->large = RB_ROOT;
	row->trampoline = 0;
	row->number = ++t->made;
	row->peak_rss = 0;
	row->exit_ns = 0;
	row->state = MEMPROF_ROW_LIVING;
	atomic64_set(&row->brk, mm->brk);
	mmgrab(mm);
	/* pairs with the address dependency in memprof_process_find() */
	smp_store_release(&row->mm, mm);
	refresh_process_row(row, owner ?: task);
	hlist_add_head_rcu(&row->hash, process_bucket(t, mm));
	t->nr++;
	return row;
}

/**
 * memprof_process_get() - find or make the row of a living address space
 * @t: table of a running session
 * @mm: in use by the caller, who is in an RCU read-side section; exit_mmap() has
 *	not begun and cannot begin meanwhile
 * @task: a task of @mm, for the name
 *
 * Any context but NMI. Return: the row; the overflow row when the table is full
 * of living processes.
 */
struct memprof_row *memprof_process_get(struct memprof_processes *t,
					struct mm_struct *mm,
					struct task_struct *task)
{
	struct memprof_row *row = memprof_process_find(t, mm);
	unsigned long flags;

	if (likely(row))
		return row;
	raw_spin_lock_irqsave(&t->lock, flags);
	row = memprof_process_find(t, mm);
	if (!row)
		row = make_process_row(t, mm, task);
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return row;
}

/**
 * memprof_process_observe() - raise the peaks of resident sizes
 * @row: row of @mm; when two CPUs race, one of the two values may be lost
 * @mm: in use by the caller
 *
 * Cheap: reads the approximate values of the counters.
 */
void memprof_process_observe(struct memprof_row *row, struct mm_struct *mm)
{
	int i;

	if (row->state == MEMPROF_ROW_SPECIAL)
		return;
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		unsigned long now = get_mm_counter(mm, members[i]);

		if (now > READ_ONCE(row->peak[i]))
			WRITE_ONCE(row->peak[i], now);
	}
}

/*
 * Marks the row as exited. Returns its address space, for an mmdrop() after the
 * lock is released.
 */
static struct mm_struct *close_process_row(struct memprof_processes *t,
					   struct memprof_row *row)
{
	struct mm_struct *mm = row->mm;

	row->exit_ns = ktime_get_mono_fast_ns();
	row->state = MEMPROF_ROW_EXITED;
	hlist_del_rcu(&row->hash);
	WRITE_ONCE(row->mm, NULL);
	list_add_tail(&row->list, &t->exited);
	return mm;
}

/**
 * memprof_process_exit() - record the last sizes of an address space
 * @t: table of a published session
 * @mm: no task uses it any more, and its counters are still complete
 *
 * Called at the start of exit_mmap(). Its caller holds a reference to @mm, so the
 * mmdrop() here, under the lock, never frees @mm.
 *
 * Return: whether the process had followed blocks.
 */
bool memprof_process_exit(struct memprof_processes *t, struct mm_struct *mm)
{
	struct memprof_row *row;
	unsigned long flags;
	bool blocks = false;

	raw_spin_lock_irqsave(&t->lock, flags);
	row = memprof_process_find(t, mm);
	if (row) {
		bool own = current->tgid == row->pid && current->mm != mm;

		/* in exec, current still has the old name */
		refresh_process_row(row, own ? current : NULL);
		mmdrop(close_process_row(t, row));
		blocks = atomic_read(&row->blocks);
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return blocks;
}

/* The address space has no users, but its exit_mmap() was not seen so far. */
static bool has_lost_users(const struct memprof_row *row)
{
	return row->state == MEMPROF_ROW_LIVING &&
	       !atomic_read(&row->mm->mm_users);
}

/**
 * memprof_processes_freeze() - record the last sizes and drop the references
 * @t: table of a session whose hooks and counters are removed
 *
 * Process context.
 */
void memprof_processes_freeze(struct memprof_processes *t)
{
	struct memprof_row *row;
	struct mm_struct *mm;

	for (row = t->rows; row < t->rows + t->touched; row++) {
		if (row->state != MEMPROF_ROW_LIVING)
			continue;
		if (has_lost_users(row)) {
			mmdrop(close_process_row(t, row));
			continue;
		}
		rcu_read_lock();
		refresh_process_row(row, memprof_mm_owner(row->mm));
		rcu_read_unlock();
		mm = row->mm;
		row->state = MEMPROF_ROW_FROZEN;
		hlist_del_rcu(&row->hash);
		WRITE_ONCE(row->mm, NULL);
		mmdrop(mm);
		cond_resched();
	}
}

static void fill_resident(struct memprof_resident *out,
			  const unsigned long *pages)
{
	out->anon_bytes = (u64)pages[0] << PAGE_SHIFT;
	out->file_bytes = (u64)pages[1] << PAGE_SHIFT;
	out->shmem_bytes = (u64)pages[2] << PAGE_SHIFT;
	out->swap_bytes = (u64)pages[3] << PAGE_SHIFT;
}

static void copy_process_row(struct memprof_row *row, struct memprof_process *out,
			     bool reset)
{
	memset(out, 0, sizeof(*out));
	if (row->state == MEMPROF_ROW_LIVING)
		refresh_process_row(row, memprof_mm_owner(row->mm));
	else if (row->state == MEMPROF_ROW_EXITED)
		out->flags = MEMPROF_PROCESS_EXITED;
	out->pid = row->pid;
	memcpy(out->comm, row->comm, sizeof(out->comm));
	out->cgroup = row->cgroup;
	out->start_ns = row->start_ns;
	out->exit_ns = row->exit_ns;
	fill_resident(&out->resident, row->resident);
	fill_resident(&out->peak, row->peak);
	out->peak_rss_bytes = (u64)row->peak_rss << PAGE_SHIFT;
	memprof_tally_read(&row->tally, &out->tally, reset);
	memprof_alloc_read(&row->alloc, &out->alloc, reset);
}

/* Copies the folded or overflow row. Returns 1, or 0 if its sums are zero. */
static u32 copy_special_row(struct memprof_row *row, u32 flag,
			    struct memprof_process *out, bool reset)
{
	copy_process_row(row, out, reset);
	out->flags = flag;
	return memchr_inv(&out->tally, 0, sizeof(out->tally)) ||
	       memchr_inv(&out->alloc, 0, sizeof(out->alloc));
}

/**
 * memprof_processes_capacity() - number of rows that a copy may need
 * @t: table of a started session
 */
u32 memprof_processes_capacity(struct memprof_processes *t)
{
	return READ_ONCE(t->touched) + 2;
}

/**
 * memprof_processes_read() - copy the table for user space
 * @t: table of a started session; probes may add to it meanwhile
 * @out: rows to fill
 * @nr: number of rows in @out, at least 2. Processes that came after
 *	memprof_processes_capacity() may not fit; they are neither copied nor
 *	reset.
 * @reset: zero what is copied, and free the rows of exited processes
 *
 * Holds the lock for one row at a time. Process context.
 *
 * Return: number of rows filled.
 */
u32 memprof_processes_read(struct memprof_processes *t,
			   struct memprof_process *out, u32 nr, bool reset)
{
	unsigned long flags;
	u32 i, n = 0, end;

	/* pairs with alloc_process_row() */
	end = min(smp_load_acquire(&t->touched), nr - 2);
	for (i = 0; i < end; i++) {
		struct memprof_row *row = &t->rows[i];
		struct mm_struct *mm = NULL;

		rcu_read_lock();
		raw_spin_lock_irqsave(&t->lock, flags);
		if (has_lost_users(row))
			mm = close_process_row(t, row);
		if (row->state != MEMPROF_ROW_FREE)
			copy_process_row(row, &out[n++], reset);
		if (row->state == MEMPROF_ROW_EXITED && reset &&
		    !atomic_read(&row->blocks))
			free_process_row(t, row);
		t->cursor = i + 1;
		raw_spin_unlock_irqrestore(&t->lock, flags);
		rcu_read_unlock();
		if (mm)
			mmdrop(mm);
		cond_resched();
	}
	raw_spin_lock_irqsave(&t->lock, flags);
	n += copy_special_row(&t->folded, MEMPROF_PROCESS_FOLDED, &out[n], reset);
	n += copy_special_row(&t->overflow, MEMPROF_PROCESS_OVERFLOW, &out[n],
			      reset);
	memprof_tally_fold(&t->folded.tally, &t->late.tally);
	memprof_alloc_fold(&t->folded.alloc, &t->late.alloc);
	t->cursor = 0;
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return n;
}
