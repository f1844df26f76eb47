// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of cgroups. The first event in a cgroup makes its row. The row holds a
 * reference to the cgroup, so that the path of a removed cgroup can still be read.
 *
 * Cost: a look-up walks one short hash chain under RCU; making a row takes a
 * lock. A machine that makes and removes cgroups without end fills the table.
 * Then events of further cgroups are charged to the overflow row (counted), without
 * a lock, and a work item gives back the rows of removed cgroups: their sums go to
 * the overflow row (counted), too.
 *
 * A row is given back only when its cgroup is removed and none of its blocks is in
 * use. A probe that found the row earlier may still add a block. But the probe
 * is in an RCU read-side section, so the row is checked again after a grace
 * period.
 */
#include "cgroup.h"
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/string.h>

/* Delay of the search for rows to give back: one search serves many cgroups. */
#define RECYCLE_DELAY	(HZ / 2)

static void recycle_work(struct work_struct *work);

/**
 * memprof_cgroups_alloc() - allocate the table
 * @t: zeroed
 * @max: number of rows
 * @counts: counters for cgroups that find the table full
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_cgroups_alloc(struct memprof_cgroups *t, u32 max,
			  struct memprof_counts __percpu *counts)
{
	mutex_init(&t->mutex);
	INIT_DELAYED_WORK(&t->recycle, recycle_work);
	t->counts = counts;
	return memprof_table_alloc(&t->table, max,
				   sizeof(struct memprof_cgroup_row));
}

/**
 * memprof_cgroups_quiesce() - wait until no row is being given back
 * @t: table of a session whose hooks are removed
 */
void memprof_cgroups_quiesce(struct memprof_cgroups *t)
{
	cancel_delayed_work_sync(&t->recycle);
}

/**
 * memprof_cgroups_free() - drop the references and free the table
 * @t: table of a session whose hooks are removed, or that was never started
 */
void memprof_cgroups_free(struct memprof_cgroups *t)
{
	struct memprof_cgroup_row *row;
	u32 i;

	for (i = 0; i < t->table.nr; i++) {
		row = memprof_table_row(&t->table, i);
		if (row->id)
			cgroup_put(row->cgrp);
	}
	memprof_table_free(&t->table);
	memset(t, 0, sizeof(*t));
}

static u32 cgroup_bucket(struct memprof_cgroups *t, u64 id)
{
	return hash_64(id, t->table.bits);
}

static struct memprof_cgroup_row *find_cgroup_row(struct memprof_cgroups *t, u64 id)
{
	struct memprof_cgroup_row *row;

	memprof_table_for_each(row, &t->table, cgroup_bucket(t, id))
		if (row->id == id)
			return row;
	return NULL;
}

/**
 * memprof_cgroup_find() - find the row to which events of a cgroup are charged
 * @t: table of a running session
 * @id: of the cgroup; the caller is in an RCU read-side section
 *
 * Return: the row of the cgroup; the overflow row if the cgroup has no row.
 */
struct memprof_cgroup_row *memprof_cgroup_find(struct memprof_cgroups *t, u64 id)
{
	return find_cgroup_row(t, id) ?: &t->overflow;
}

/* Makes the row of a cgroup. Returns NULL if no row is free. */
static struct memprof_cgroup_row *make_cgroup_row(struct memprof_cgroups *t,
						  struct cgroup *cgrp)
{
	struct memprof_cgroup_row *row;
	u64 id = cgroup_id(cgrp);

	if (!cgroup_tryget(cgrp))
		return NULL;
	row = memprof_table_pop(&t->table);
	if (!row) {
		cgroup_put(cgrp);
		return NULL;
	}
	row->cgrp = cgrp;
	/* pairs with memprof_cgroups_read() */
	smp_store_release(&row->id, id);
	memprof_table_show(&t->table, &row->entry, cgroup_bucket(t, id));
	return row;
}

/* Whether the cgroup is removed and none of its blocks is in use. */
static bool is_cgroup_row_over(const void *entry)
{
	const struct memprof_cgroup_row *row = entry;

	return row->id && !(READ_ONCE(row->cgrp->self.flags) & CSS_ONLINE) &&
	       !memprof_alloc_is_held(&row->alloc) &&
	       !memprof_alloc_in_use(&row->alloc);
}

static void fold_cgroup_row(struct memprof_table *table, void *entry)
{
	struct memprof_cgroups *t = container_of(table, struct memprof_cgroups,
						 table);
	struct memprof_cgroup_row *row = entry;

	memprof_tally_fold(&t->overflow.tally, &row->tally);
	memprof_alloc_fold(&t->overflow.alloc, &row->alloc);
	row->peak_rss = 0;
	WRITE_ONCE(row->id, 0);
	cgroup_put(row->cgrp);
	memprof_count(t->counts, MEMPROF_COUNT_CGROUP_FOLDED);
}

static const struct memprof_recycler cgroup_recycler = {
	.is_over = is_cgroup_row_over,
	.fold = fold_cgroup_row,
};

static void recycle_work(struct work_struct *work)
{
	struct memprof_cgroups *t = container_of(to_delayed_work(work),
						 struct memprof_cgroups, recycle);

	mutex_lock(&t->mutex);
	memprof_table_recycle(&t->table, &cgroup_recycler);
	mutex_unlock(&t->mutex);
}

/**
 * memprof_cgroup_get() - find or make the row of a cgroup
 * @t: table of a running session
 * @cgrp: alive; the caller is in an RCU read-side section
 *
 * Any context but NMI. Return: the row of the cgroup, or the overflow row.
 */
struct memprof_cgroup_row *memprof_cgroup_get(struct memprof_cgroups *t,
					      struct cgroup *cgrp)
{
	struct memprof_cgroup_row *row = find_cgroup_row(t, cgroup_id(cgrp));
	unsigned long flags;

	if (likely(row))
		return row;
	if (!READ_ONCE(t->table.full)) {
		raw_spin_lock_irqsave(&t->table.lock, flags);
		row = find_cgroup_row(t, cgroup_id(cgrp));
		if (!row)
			row = make_cgroup_row(t, cgrp);
		raw_spin_unlock_irqrestore(&t->table.lock, flags);
	}
	if (row)
		return row;
	memprof_count(t->counts, MEMPROF_COUNT_CGROUP_TABLE_FULL);
	/* does nothing if the work is queued already */
	queue_delayed_work(system_long_wq, &t->recycle, RECYCLE_DELAY);
	return &t->overflow;
}

static void read_cgroup_path(struct cgroup *cgrp, char *path)
{
	int len = cgroup_path(cgrp, path, MEMPROF_PATH_LEN);

	if (len < 0 || len >= MEMPROF_PATH_LEN)
		memset(path, 0, MEMPROF_PATH_LEN);
}

static void add_resident(struct memprof_cgroup *out,
			 const struct memprof_resident *r)
{
	out->nr_processes++;
	out->resident.anon_bytes += r->anon_bytes;
	out->resident.file_bytes += r->file_bytes;
	out->resident.shmem_bytes += r->shmem_bytes;
	out->resident.swap_bytes += r->swap_bytes;
}

/*
 * Makes the row of a process's cgroup if the cgroup has none. This is needed if
 * the process was moved to the cgroup and has had no event since. Without the
 * row, the process would be missing in the resident sums.
 */
static void add_missing_row(struct memprof_cgroups *t, u64 id)
{
	struct cgroup *cgrp;

	rcu_read_lock();
	if (find_cgroup_row(t, id)) {
		rcu_read_unlock();
		return;
	}
	rcu_read_unlock();
	cgrp = cgroup_get_from_id(id);
	if (IS_ERR(cgrp))
		return;
	rcu_read_lock();
	memprof_cgroup_get(t, cgrp);
	rcu_read_unlock();
	cgroup_put(cgrp);
}

static bool holds_memory(const struct memprof_process *p)
{
	return !(p->flags & (MEMPROF_PROCESS_EXITED | MEMPROF_PROCESS_FOLDED |
			     MEMPROF_PROCESS_OVERFLOW | MEMPROF_PROCESS_LEFT));
}

/*
 * Adds the resident sizes of the processes to their cgroups' rows: out[0..n - 1],
 * or out[n], the overflow row.
 */
static void add_processes(struct memprof_cgroups *t, struct memprof_cgroup *out,
			  u32 n, const struct memprof_process *p, u32 nr)
{
	struct memprof_cgroup_row *rows = t->table.rows, *row;
	u32 i;

	for (; nr; nr--, p++) {
		if (!holds_memory(p))
			continue;
		rcu_read_lock();
		row = find_cgroup_row(t, p->cgroup);
		i = row ? min_t(u32, row - rows, n) : n;
		rcu_read_unlock();
		add_resident(&out[i], &p->resident);
		cond_resched();
	}
}

/**
 * memprof_cgroups_add_missing() - add rows for the cgroups of processes
 * @t: table of a started session
 * @p: processes of a snapshot
 * @nr: number of processes
 *
 * Process context. Return: number of rows that a copy of the table may need.
 */
u32 memprof_cgroups_add_missing(struct memprof_cgroups *t,
				const struct memprof_process *p, u32 nr)
{
	for (; nr; nr--, p++) {
		if (holds_memory(p))
			add_missing_row(t, p->cgroup);
		cond_resched();
	}
	return memprof_table_end(&t->table) + 1;
}

static u32 leave_out_free_rows(struct memprof_cgroup *out, u32 n)
{
	u32 i, kept = 0;

	for (i = 0; i < n; i++) {
		if (!out[i].id && !out[i].flags)
			continue;
		if (kept != i)
			out[kept] = out[i];
		kept++;
	}
	return kept;
}

/**
 * memprof_cgroups_read() - copy the table for user space
 * @t: table of a started session; probes may add to it meanwhile
 * @out: rows to fill
 * @room: number of rows in @out, at least 1
 * @processes: processes of the same snapshot, for the resident sums
 * @nr_processes: number of processes
 * @reset: zero what is copied
 *
 * Takes no lock that a probe takes. Process context. Return: number of rows filled.
 */
u32 memprof_cgroups_read(struct memprof_cgroups *t, struct memprof_cgroup *out,
			 u32 room, const struct memprof_process *processes,
			 u32 nr_processes, bool reset)
{
	u32 i, n;

	/* while the mutex is held, no row is given back */
	mutex_lock(&t->mutex);
	n = min(memprof_table_end(&t->table), room - 1);
	memset(out, 0, array_size(n + 1, sizeof(*out)));
	add_processes(t, out, n, processes, nr_processes);
	for (i = 0; i < n; i++) {
		struct memprof_cgroup_row *row = memprof_table_row(&t->table, i);
		struct memprof_resident *r = &out[i].resident;

		/* pairs with make_cgroup_row() */
		out[i].id = smp_load_acquire(&row->id);
		if (!out[i].id)
			continue;
		read_cgroup_path(row->cgrp, out[i].path);
		memprof_tally_read(&row->tally, &out[i].tally, reset);
		memprof_alloc_read(&row->alloc, &out[i].alloc, reset);
		out[i].at_exit_space = memprof_sum_read(&row->alloc.ended, reset);
		out[i].advised_bytes = memprof_sum_read(&row->tally.advised, reset);
		row->peak_rss = max(row->peak_rss, r->anon_bytes +
				    r->file_bytes + r->shmem_bytes);
		out[i].peak_rss_bytes = row->peak_rss;
		cond_resched();
	}
	out[n].flags = MEMPROF_CGROUP_OVERFLOW;
	memprof_tally_read(&t->overflow.tally, &out[n].tally, reset);
	memprof_alloc_read(&t->overflow.alloc, &out[n].alloc, reset);
	out[n].at_exit_space = memprof_sum_read(&t->overflow.alloc.ended, reset);
	out[n].advised_bytes = memprof_sum_read(&t->overflow.tally.advised, reset);
	if (out[n].nr_processes ||
	    memchr_inv(&out[n].alloc, 0, sizeof(out[n].alloc)) ||
	    memchr_inv(&out[n].tally, 0, sizeof(out[n].tally)))
		n++;
	mutex_unlock(&t->mutex);
	return leave_out_free_rows(out, n);
}
