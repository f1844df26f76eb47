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
 * are switched off or miss a call, snapshots find that the address space has no
 * users.
 *
 * A row returns to the free list without a grace period. A task that found the
 * row by its own mm is safe, because that mm is alive. While a task walks a
 * chain, the row that it has reached may move to another chain. Then the task
 * does not find its own row, and searches again under the lock.
 */
#include "process.h"
#include <linux/cgroup.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "compat/mm.h"
#include "target.h"

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
	INIT_LIST_HEAD(&t->exited);
	t->folded.state = MEMPROF_ROW_SPECIAL;
	t->overflow.state = MEMPROF_ROW_SPECIAL;
	t->late.state = MEMPROF_ROW_SPECIAL;
	t->counts = counts;
	return memprof_table_alloc(&t->table, max, sizeof(struct memprof_row));
}

/**
 * memprof_processes_free() - free the table
 * @t: table of a session whose hooks are removed, or that was never started
 */
void memprof_processes_free(struct memprof_processes *t)
{
	struct memprof_row *row;
	u32 i;

	for (i = 0; i < t->table.nr; i++) {
		row = memprof_table_row(&t->table, i);
		if (row->mm)
			mmdrop(row->mm);
	}
	memprof_table_free(&t->table);
	memset(t, 0, sizeof(*t));
}

static u32 process_bucket(struct memprof_processes *t, const struct mm_struct *mm)
{
	return hash_ptr(mm, t->table.bits);
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

	memprof_table_for_each(row, &t->table, process_bucket(t, mm))
		if (READ_ONCE(row->mm) == mm)
			return row;
	return NULL;
}

/* Sizes of an address space, in pages, in the order of struct memprof_resident. */
struct mm_sizes {
	unsigned long pages[4];
	unsigned long high_water;
};

/* Adds up the counters of all CPUs. Too slow under the table's lock. */
static void read_mm_sizes(struct mm_struct *mm, struct mm_sizes *sizes)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		sizes->pages[i] = memprof_mm_counter_sum(mm, members[i]);
	sizes->high_water = READ_ONCE(mm->hiwater_rss);
}

static void set_row_sizes(struct memprof_row *row, const struct mm_sizes *sizes)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		row->resident[i] = sizes->pages[i];
		row->peak[i] = max(row->peak[i], row->resident[i]);
	}
	row->peak_rss = max3(row->peak_rss, sizes->high_water,
			     row->resident[0] + row->resident[1] +
			     row->resident[2]);
}

static void set_row_identity(struct memprof_row *row, struct task_struct *task)
{
	row->pid = task->tgid;
	strscpy_pad(row->comm, task->group_leader->comm, sizeof(row->comm));
	row->cgroup = cgroup_id(task_dfl_cgroup(task));
	row->start_ns = task->group_leader->start_boottime;
}

static void free_process_row(struct memprof_processes *t, struct memprof_row *row)
{
	WRITE_ONCE(row->state, MEMPROF_ROW_FREE);
	list_del(&row->list);
	memprof_table_push(&t->table, &row->entry);
}

/*
 * Adds an exited row to the row "folded". A snapshot in progress may have copied
 * the exited row already. Then its sums go to "late" and are not copied twice.
 */
static void fold_process_row(struct memprof_processes *t, struct memprof_row *row)
{
	bool copied = row - (struct memprof_row *)t->table.rows < t->cursor;

	struct memprof_row *to = copied ? &t->late : &t->folded;

	memprof_tally_fold(&to->tally, &row->tally);
	memprof_alloc_fold(&to->alloc, &row->alloc);
}

/* Whether a row has no blocks in the live table and no pending sums. */
static bool is_settled(const struct memprof_row *row)
{
	/* read holders first: a thread that holds the row may change blocks */
	return !memprof_alloc_is_held(&row->alloc) && !atomic_read(&row->blocks);
}

/* The oldest exited row that is settled; or NULL. */
static struct memprof_row *oldest_exited_row(struct memprof_processes *t)
{
	struct memprof_row *row;

	list_for_each_entry(row, &t->exited, list)
		if (is_settled(row))
			return row;
	return NULL;
}

/*
 * Returns a free row. If there is none, folds the oldest exited row and returns
 * that. NULL: every row is living, or exited with blocks that wait for a sweep.
 */
static struct memprof_row *alloc_process_row(struct memprof_processes *t)
{
	struct memprof_row *row = memprof_table_pop(&t->table);

	if (row)
		return row;
	row = oldest_exited_row(t);
	if (!row)
		return NULL;
	fold_process_row(t, row);
	memprof_count(t->counts, MEMPROF_COUNT_PROCESS_FOLDED);
	free_process_row(t, row);
	return memprof_table_pop(&t->table);
}

static struct memprof_row *make_process_row(struct memprof_processes *t,
					    struct mm_struct *mm,
					    struct task_struct *task)
{
	struct memprof_row *row = alloc_process_row(t);
	struct task_struct *owner = memprof_mm_owner(mm);

	if (!row)
		return NULL;
	memset(&row->tally, 0, sizeof(row->tally));
	memset(&row->alloc, 0, sizeof(row->alloc));
	/* the first snapshot, or the exit, reads the sizes */
	memset(row->resident, 0, sizeof(row->resident));
	memset(row->peak, 0, sizeof(row->peak));
	raw_spin_lock_init(&row->large_lock);
	row->large = RB_ROOT;
	row->followed = false;
	row->trampoline = 0;
	row->has_python = 0;
	WRITE_ONCE(row->number, ++t->made);
	row->unused_ns = 0;
	row->left = false;
	memset(&row->grown_before, 0, sizeof(row->grown_before));
	row->peak_rss = 0;
	row->exit_ns = 0;
	WRITE_ONCE(row->state, MEMPROF_ROW_LIVING);
	atomic64_set(&row->brk, mm->brk);
	mmgrab(mm);
	/* pairs with the address dependency in memprof_process_find() */
	smp_store_release(&row->mm, mm);
	set_row_identity(row, owner ?: task);
	memprof_table_show(&t->table, &row->entry, process_bucket(t, mm));
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
	/* a process without a row must not take the lock at each of its events */
	if (!READ_ONCE(t->table.full)) {
		raw_spin_lock_irqsave(&t->table.lock, flags);
		row = memprof_process_find(t, mm);
		if (!row)
			row = make_process_row(t, mm, task);
		raw_spin_unlock_irqrestore(&t->table.lock, flags);
	}
	if (row)
		return row;
	memprof_count(t->counts, MEMPROF_COUNT_PROCESS_TABLE_FULL);
	return &t->overflow;
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
	/* this row can be folded and reused, when it has no blocks any more */
	WRITE_ONCE(t->table.full, false);
	row->state = MEMPROF_ROW_EXITED;
	memprof_table_hide(&t->table, &row->entry);
	WRITE_ONCE(row->mm, NULL);
	list_add_tail(&row->list, &t->exited);
	return mm;
}

/* Fills in the cgroup of a process, and its growth there. The lock is held. */
static void read_left(const struct memprof_row *row, struct memprof_ended *left)
{
	left->cgroup = row->cgroup;
	left->blocks = READ_ONCE(row->followed);
	memprof_tally_grown(&row->tally, &left->grown);
	left->grown.brk = max(left->grown.brk - row->grown_before.brk, 0LL);
	left->grown.mmap = max(left->grown.mmap - row->grown_before.mmap, 0LL);
}

/**
 * memprof_process_exit() - record the last sizes of an address space
 * @t: table of a published session
 * @mm: no task uses it any more, and its counters are still complete
 * @ended: filled in
 *
 * Called at the start of exit_mmap(). Its caller holds a reference to @mm, so the
 * mmdrop() here, under the lock, never frees @mm.
 *
 * Return: whether there was a row; then @ended is filled in.
 */
bool memprof_process_exit(struct memprof_processes *t, struct mm_struct *mm,
			  struct memprof_ended *ended)
{
	struct memprof_row *row = memprof_process_find(t, mm);
	struct mm_sizes sizes;
	unsigned long flags;

	/* the search may miss the row: then it is repeated under the lock */
	if (row)
		read_mm_sizes(mm, &sizes);
	raw_spin_lock_irqsave(&t->table.lock, flags);
	if (!row) {
		row = memprof_process_find(t, mm);
		if (row)
			read_mm_sizes(mm, &sizes);
	} else if (row->mm != mm) {
		row = NULL;
	}
	if (row) {
		/* exec may have given current its new name already */
		if (current->tgid == row->pid && current->flags & PF_EXITING)
			set_row_identity(row, current);
		set_row_sizes(row, &sizes);
		mmdrop(close_process_row(t, row));
		read_left(row, ended);
	}
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
	return row;
}

/**
 * memprof_process_move() - note that a process is in another cgroup
 * @t: table of a published session
 * @row: living
 * @cgroup: id of the cgroup that it is in now
 * @left: filled in: the previous cgroup, and the growth of the process in it
 *
 * The growth before the move does not count in the new cgroup.
 */
void memprof_process_move(struct memprof_processes *t, struct memprof_row *row,
			  u64 cgroup, struct memprof_ended *left)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->table.lock, flags);
	read_left(row, left);
	row->cgroup = cgroup;
	memprof_tally_grown(&row->tally, &row->grown_before);
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
}

/* Whether an address space has no users, but exit_mmap() was not seen yet. */
static bool has_lost_users(const struct memprof_row *row)
{
	return row->state == MEMPROF_ROW_LIVING &&
	       !atomic_read(&row->mm->mm_users);
}

/*
 * Whether an address space has had no users for a second. exit_mmap() follows
 * much earlier, and its hook closes the row. So the hook has missed this call.
 */
static bool is_end_lost(struct memprof_row *row)
{
	u64 now = ktime_get_mono_fast_ns();

	if (!has_lost_users(row))
		return false;
	row->unused_ns = row->unused_ns ?: now;
	return now - row->unused_ns > NSEC_PER_SEC;
}

/**
 * memprof_processes_recheck() - allow a new search for a row to reuse
 * @t: table of a published session
 *
 * Call this after blocks of exited processes were removed, because rows with
 * blocks cannot be reused.
 */
void memprof_processes_recheck(struct memprof_processes *t)
{
	WRITE_ONCE(t->table.full, false);
}

/**
 * memprof_process_is_over() - has a process exited, and are all its blocks removed?
 * @row: row that the process had
 * @number: of the process; another process may have the row now
 */
bool memprof_process_is_over(const struct memprof_row *row, u64 number)
{
	enum memprof_row_state state = READ_ONCE(row->state);

	if (READ_ONCE(row->number) != number)
		return true;
	return (state == MEMPROF_ROW_EXITED || state == MEMPROF_ROW_FREE) &&
	       is_settled(row);
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
	struct task_struct *owner;
	struct mm_sizes sizes;
	struct mm_struct *mm;
	u32 i;

	for (i = 0; i < t->table.nr; i++) {
		row = memprof_table_row(&t->table, i);
		if (row->state != MEMPROF_ROW_LIVING)
			continue;
		mm = row->mm;
		if (has_lost_users(row)) {
			row->state = MEMPROF_ROW_EXITED;
			list_add_tail(&row->list, &t->exited);
			row->exit_ns = ktime_get_mono_fast_ns();
			hlist_del_rcu(&row->entry.hash);
			WRITE_ONCE(row->mm, NULL);
			mmdrop(mm);
			continue;
		}
		rcu_read_lock();
		owner = memprof_mm_owner(mm);
		if (owner)
			set_row_identity(row, owner);
		rcu_read_unlock();
		read_mm_sizes(mm, &sizes);
		set_row_sizes(row, &sizes);
		row->state = MEMPROF_ROW_FROZEN;
		hlist_del_rcu(&row->entry.hash);
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
	if (row->state == MEMPROF_ROW_EXITED)
		out->flags = MEMPROF_PROCESS_EXITED;
	else if (row->left)
		out->flags = MEMPROF_PROCESS_LEFT;
	out->pid = row->pid;
	memcpy(out->comm, row->comm, sizeof(out->comm));
	out->cgroup = row->cgroup;
	out->start_ns = row->start_ns;
	out->exit_ns = row->exit_ns;
	fill_resident(&out->resident, row->resident);
	fill_resident(&out->peak, row->peak);
	out->peak_rss_bytes = (u64)row->peak_rss << PAGE_SHIFT;
	memprof_tally_read(&row->tally, &out->tally, reset);
	if (reset)
		memset(&row->grown_before, 0, sizeof(row->grown_before));
	memprof_alloc_read(&row->alloc, &out->alloc, reset);
	out->at_exit_space = memprof_sum_read(&row->alloc.ended, reset);
	out->advised_bytes = memprof_sum_read(&row->tally.advised, reset);
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
	return memprof_table_end(&t->table) + 2;
}

/* The address space of a living row, with a reference; or NULL. */
static struct mm_struct *grab_row_mm(struct memprof_processes *t,
				     struct memprof_row *row, u64 *number)
{
	struct mm_struct *mm = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&t->table.lock, flags);
	if (row->state == MEMPROF_ROW_LIVING) {
		mm = row->mm;
		mmgrab(mm);
		*number = row->number;
	}
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
	return mm;
}

/*
 * Updates a living row, or closes it if the end of its process was not seen.
 * The sizes are added up without the lock. Meanwhile the process may end, and
 * the row may be reused for another process.
 */
static void refresh_living_row(struct memprof_processes *t,
			       const struct memprof_targets *targets,
			       struct memprof_row *row)
{
	struct task_struct *owner;
	struct mm_struct *mm, *ended = NULL;
	struct mm_sizes sizes;
	unsigned long flags;
	u64 number;

	mm = grab_row_mm(t, row, &number);
	if (!mm)
		return;
	read_mm_sizes(mm, &sizes);
	rcu_read_lock();
	raw_spin_lock_irqsave(&t->table.lock, flags);
	if (row->state == MEMPROF_ROW_LIVING && row->number == number) {
		owner = memprof_mm_owner(mm);
		if (owner) {
			set_row_identity(row, owner);
			row->left = !memprof_target_match(targets, owner);
		}
		if (is_end_lost(row))
			ended = close_process_row(t, row);
		else
			set_row_sizes(row, &sizes);
	}
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
	rcu_read_unlock();
	if (ended)
		mmdrop(ended);
	mmdrop(mm);
}

/**
 * memprof_processes_read() - copy the table for user space
 * @t: table of a started session; probes may add to it meanwhile
 * @targets: of the session
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
			   const struct memprof_targets *targets,
			   struct memprof_process *out, u32 nr, bool reset)
{
	unsigned long flags;
	u32 i, n = 0, end;

	end = min(memprof_table_end(&t->table), nr - 2);
	for (i = 0; i < end; i++) {
		struct memprof_row *row = memprof_table_row(&t->table, i);

		refresh_living_row(t, targets, row);
		raw_spin_lock_irqsave(&t->table.lock, flags);
		if (row->state != MEMPROF_ROW_FREE)
			copy_process_row(row, &out[n++], reset);
		if (row->state == MEMPROF_ROW_EXITED && reset && is_settled(row))
			free_process_row(t, row);
		t->cursor = i + 1;
		raw_spin_unlock_irqrestore(&t->table.lock, flags);
		cond_resched();
	}
	raw_spin_lock_irqsave(&t->table.lock, flags);
	n += copy_special_row(&t->folded, MEMPROF_PROCESS_FOLDED, &out[n], reset);
	n += copy_special_row(&t->overflow, MEMPROF_PROCESS_OVERFLOW, &out[n],
			      reset);
	memprof_tally_fold(&t->folded.tally, &t->late.tally);
	memprof_alloc_fold(&t->folded.alloc, &t->late.alloc);
	t->cursor = 0;
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
	return n;
}
