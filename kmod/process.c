// SPDX-License-Identifier: GPL-2.0-only
/*
 * A look-up walks one short hash chain under RCU; only the first event of an
 * address space, its exit, and a snapshot (one row at a time) take the lock.
 * Everything is allocated when the session starts.
 *
 * A row of a living address space holds the mm_struct, not the memory: nothing
 * here depends on the hook in exit_mmap() for safety. If kprobes are switched
 * off, or miss one, the next snapshot finds the address space empty.
 *
 * A row returns to the free list without a grace period. That is safe for its
 * users: whoever found it by its mm runs in that mm, which lives. It is not
 * quite safe for a walker who stands on it and is led into another chain: it
 * may miss its row, and then looks again under the lock.
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

/* Order of struct memprof_resident. */
static const int members[4] = {
	MM_ANONPAGES, MM_FILEPAGES, MM_SHMEMPAGES, MM_SWAPENTS,
};

/**
 * memprof_processes_alloc() - make the table
 * @t: zeroed
 * @max: rows, living and exited together
 * @counts: where drops are counted
 *
 * Return: 0 or -ENOMEM, with nothing allocated.
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
 * @t: of a session whose hooks are gone, or that was never started
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

static struct hlist_head *bucket(struct memprof_processes *t,
				 const struct mm_struct *mm)
{
	return &t->hash[hash_ptr(mm, t->bits)];
}

/**
 * memprof_process_find() - the row of a living address space
 * @t: table of a running session
 * @mm: in use by the caller, who is in an RCU read-side section
 *
 * Return: the row, or NULL; a row may be missed while others change.
 */
struct memprof_row *memprof_process_find(struct memprof_processes *t,
					 const struct mm_struct *mm)
{
	struct memprof_row *row;

	hlist_for_each_entry_rcu(row, bucket(t, mm), hash)
		if (READ_ONCE(row->mm) == mm)
			return row;
	return NULL;
}

/* Name, cgroup and sizes as they are now; the address space must be alive. */
static void refresh(struct memprof_row *row, struct task_struct *task)
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

static void release(struct memprof_processes *t, struct memprof_row *row)
{
	row->state = MEMPROF_ROW_FREE;
	list_move_tail(&row->list, &t->free);
	t->nr--;
}

/* A snapshot in progress has this row already, or will look at folded. */
static void fold(struct memprof_processes *t, struct memprof_row *row)
{
	bool copied = row - t->rows < t->cursor;

	struct memprof_row *to = copied ? &t->late : &t->folded;

	memprof_tally_fold(&to->tally, &row->tally);
	memprof_alloc_fold(&to->alloc, &row->alloc);
}

/* Whose blocks were swept out of the live table. */
static struct memprof_row *oldest_exited(struct memprof_processes *t)
{
	struct memprof_row *row;

	list_for_each_entry(row, &t->exited, list)
		if (!atomic_read(&row->blocks))
			return row;
	return NULL;
}

/* A free row; the oldest exited one, folded into the sum of such; or NULL. */
static struct memprof_row *take_row(struct memprof_processes *t)
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
		row = oldest_exited(t);
		if (!row)
			return NULL;
		fold(t, row);
		memprof_count(t->counts, MEMPROF_COUNT_PROCESS_FOLDED);
		release(t, row);
	}
	row = list_first_entry(&t->free, struct memprof_row, list);
	list_del_init(&row->list);
	return row;
}

static struct memprof_row *make_row(struct memprof_processes *t,
				    struct mm_struct *mm,
				    struct task_struct *task)
{
	struct memprof_row *row = take_row(t);
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
	/* pairs with the dependency of who finds it by mm */
	smp_store_release(&row->mm, mm);
	refresh(row, owner ?: task);
	hlist_add_head_rcu(&row->hash, bucket(t, mm));
	t->nr++;
	return row;
}

/**
 * memprof_process_get() - the row of a living address space, made if need be
 * @t: table of a running session
 * @mm: in use by the caller, who is in an RCU read-side section; not yet, and
 *	not concurrently, in exit_mmap()
 * @task: a task of it, for its name
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
		row = make_row(t, mm, task);
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return row;
}

/**
 * memprof_process_observe() - raise the peaks of resident sizes
 * @row: of @mm; two CPUs may race, and one observation is lost
 * @mm: in use by the caller
 *
 * Reads the counters' cheap approximations.
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

/* Returns the address space, for mmdrop() once the lock is released. */
static struct mm_struct *close_row(struct memprof_processes *t,
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
 * memprof_process_exit() - an address space is about to be torn down
 * @t: table of a published session
 * @mm: no task uses it any more, but its counters are still whole
 *
 * From exit_mmap(): the caller's own reference makes ours never the last.
 *
 * Return: whether it had blocks that are followed.
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

		/* exec: the name in current is the old one's still */
		refresh(row, own ? current : NULL);
		mmdrop(close_row(t, row));
		blocks = atomic_read(&row->blocks);
	}
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return blocks;
}

/* Its last user is gone, but exit_mmap() was not, or not yet, seen. */
static bool is_empty(const struct memprof_row *row)
{
	return row->state == MEMPROF_ROW_LIVING &&
	       !atomic_read(&row->mm->mm_users);
}

/**
 * memprof_processes_freeze() - take the last sizes, let go of the processes
 * @t: table of a session whose hooks and counters are gone
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
		if (is_empty(row)) {
			mmdrop(close_row(t, row));
			continue;
		}
		rcu_read_lock();
		refresh(row, memprof_mm_owner(row->mm));
		rcu_read_unlock();
		mm = row->mm;
		row->state = MEMPROF_ROW_FROZEN;
		hlist_del_rcu(&row->hash);
		WRITE_ONCE(row->mm, NULL);
		mmdrop(mm);
		cond_resched();
	}
}

static void resident_bytes(struct memprof_resident *out,
			   const unsigned long *pages)
{
	out->anon_bytes = (u64)pages[0] << PAGE_SHIFT;
	out->file_bytes = (u64)pages[1] << PAGE_SHIFT;
	out->shmem_bytes = (u64)pages[2] << PAGE_SHIFT;
	out->swap_bytes = (u64)pages[3] << PAGE_SHIFT;
}

static void read_row(struct memprof_row *row, struct memprof_process *out,
		     bool reset)
{
	memset(out, 0, sizeof(*out));
	if (row->state == MEMPROF_ROW_LIVING)
		refresh(row, memprof_mm_owner(row->mm));
	else if (row->state == MEMPROF_ROW_EXITED)
		out->flags = MEMPROF_PROCESS_EXITED;
	out->pid = row->pid;
	memcpy(out->comm, row->comm, sizeof(out->comm));
	out->cgroup = row->cgroup;
	out->start_ns = row->start_ns;
	out->exit_ns = row->exit_ns;
	resident_bytes(&out->resident, row->resident);
	resident_bytes(&out->peak, row->peak);
	out->peak_rss_bytes = (u64)row->peak_rss << PAGE_SHIFT;
	memprof_tally_read(&row->tally, &out->tally, reset);
	memprof_alloc_read(&row->alloc, &out->alloc, reset);
}

/* Folded and overflow rows show only once they hold something. */
static u32 read_special(struct memprof_row *row, u32 flag,
			struct memprof_process *out, bool reset)
{
	read_row(row, out, reset);
	out->flags = flag;
	return memchr_inv(&out->tally, 0, sizeof(out->tally)) ||
	       memchr_inv(&out->alloc, 0, sizeof(out->alloc));
}

/**
 * memprof_processes_capacity() - rows a copy of the table may need
 * @t: table of a started session
 */
u32 memprof_processes_capacity(struct memprof_processes *t)
{
	return READ_ONCE(t->touched) + 2;
}

/**
 * memprof_processes_read() - copy the table, for user space
 * @t: table of a started session; probes may go on
 * @out: rows to fill
 * @nr: room in @out, at least 2; rows made since memprof_processes_capacity()
 *	was asked may not fit and are left alone
 * @reset: zero what is copied, and let go the rows of exited processes
 *
 * Holds the lock for one row at a time. Process context.
 *
 * Return: rows filled.
 */
u32 memprof_processes_read(struct memprof_processes *t,
			   struct memprof_process *out, u32 nr, bool reset)
{
	unsigned long flags;
	u32 i, n = 0, end;

	/* pairs with take_row() */
	end = min(smp_load_acquire(&t->touched), nr - 2);
	for (i = 0; i < end; i++) {
		struct memprof_row *row = &t->rows[i];
		struct mm_struct *mm = NULL;

		rcu_read_lock();
		raw_spin_lock_irqsave(&t->lock, flags);
		if (is_empty(row))
			mm = close_row(t, row);
		if (row->state != MEMPROF_ROW_FREE)
			read_row(row, &out[n++], reset);
		if (row->state == MEMPROF_ROW_EXITED && reset &&
		    !atomic_read(&row->blocks))
			release(t, row);
		t->cursor = i + 1;
		raw_spin_unlock_irqrestore(&t->lock, flags);
		rcu_read_unlock();
		if (mm)
			mmdrop(mm);
		cond_resched();
	}
	raw_spin_lock_irqsave(&t->lock, flags);
	n += read_special(&t->folded, MEMPROF_PROCESS_FOLDED, &out[n], reset);
	n += read_special(&t->overflow, MEMPROF_PROCESS_OVERFLOW, &out[n],
			  reset);
	memprof_tally_fold(&t->folded.tally, &t->late.tally);
	memprof_alloc_fold(&t->folded.alloc, &t->late.alloc);
	t->cursor = 0;
	raw_spin_unlock_irqrestore(&t->lock, flags);
	return n;
}
