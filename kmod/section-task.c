// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash of the threads that have sections. The first ioctl of a thread makes its
 * entry; exit, exec or the close of the file removes it. The hooks of life.c
 * report exit and exec, as long as a file is open that has had sections.
 *
 * Cost: one atomic read per event while no thread has sections; otherwise a walk
 * over one short chain. Freeing sleeps, so a work frees the entry after a grace
 * period: a probe may have found it. The limits of memprof_section.h bound the
 * memory; beyond them the ioctl fails.
 */
#include "section-task.h"
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "session.h"

#define TABLE_BITS 12

atomic_t memprof_nr_section_tasks;
static atomic64_t nr_bytes;		/* of memory, of all sections */
static struct hlist_head table[1 << TABLE_BITS];	/* table_lock, RCU */
static DEFINE_RAW_SPINLOCK(table_lock);
static struct workqueue_struct *freer;

static struct hlist_head *section_bucket(const struct task_struct *task)
{
	return &table[hash_ptr(task, TABLE_BITS)];
}

static void *resize_counted(void *context, void *old, size_t old_size, size_t size)
{
	void *new;

	if (!size) {
		kvfree(old);
		if (old)
			atomic64_sub(old_size, &nr_bytes);
		return NULL;
	}
	if (atomic64_add_return(size, &nr_bytes) > MEMPROF_SECTION_MAX_BYTES)
		goto full;
	new = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!new)
		goto full;
	if (old) {
		memcpy(new, old, min(old_size, size));
		kvfree(old);
		atomic64_sub(old_size, &nr_bytes);
	}
	return new;

full:
	atomic64_sub(size, &nr_bytes);
	return NULL;
}

/**
 * memprof_section_tasks_init() - make the workqueue that frees sections
 *
 * Return: 0 or -ENOMEM.
 */
int memprof_section_tasks_init(void)
{
	freer = alloc_workqueue("memprof_sections", WQ_UNBOUND, 0);
	return freer ? 0 : -ENOMEM;
}

/**
 * memprof_section_tasks_exit() - wait until all sections are freed
 *
 * No file is open.
 */
void memprof_section_tasks_exit(void)
{
	rcu_barrier();
	destroy_workqueue(freer);
}

/**
 * memprof_section_task_find() - find the running thread's sections
 * @s: session of the open file
 *
 * Return: the sections, or NULL.
 */
struct memprof_section_task *memprof_section_task_find(struct memprof_session *s)
{
	struct memprof_section_task *t, *found = NULL;

	rcu_read_lock();
	hlist_for_each_entry_rcu(t, section_bucket(current), hash)
		if (t->task == current && t->session == s)
			found = t;
	rcu_read_unlock();
	/* only this thread's end or the file's close frees the entry */
	return found;
}

static void free_section_task(struct work_struct *work)
{
	struct memprof_section_task *t =
		container_of(to_rcu_work(work), struct memprof_section_task,
			     free);

	memprof_meter_close(&t->meter);
	mp_sections_free(&t->sections);
	kfree(t);
	atomic_dec(&memprof_nr_section_tasks);
}

static struct memprof_section_task *alloc_section_task(struct memprof_session *s)
{
	static const struct mp_sections_limits limits = {
		.depth = MEMPROF_SECTION_MAX_DEPTH,
		.open = MEMPROF_SECTION_MAX_OPEN,
		.completed = MEMPROF_SECTION_MAX_COMPLETED,
	};
	static const struct mp_sections_memory memory = { .resize = resize_counted };
	struct memprof_section_task *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

	if (!t)
		return ERR_PTR(-ENOMEM);
	t->task = current;
	t->session = s;
	mp_sections_init(&t->sections, &limits, &memory);
	INIT_RCU_WORK(&t->free, free_section_task);
	return t;
}

/* A limit is needed, because the probes of a thread walk all its entries. */
static bool has_too_many_files(void)
{
	struct memprof_section_task *t;
	int nr = 0;

	rcu_read_lock();
	hlist_for_each_entry_rcu(t, section_bucket(current), hash)
		nr += t->task == current;
	rcu_read_unlock();
	return nr >= MEMPROF_SECTION_MAX_FILES;
}

/**
 * memprof_section_task_make() - make the running thread's entry
 * @s: session of the open file; the thread has no sections through it yet, and
 *	the hooks of life.c are in use
 *
 * Return: the entry, without sections; or an ERR_PTR of -EUSERS, -ENOMEM.
 */
struct memprof_section_task *memprof_section_task_make(struct memprof_session *s)
{
	struct memprof_section_task *t;
	unsigned long flags;
	int err;

	if (atomic_inc_return(&memprof_nr_section_tasks) >
	    MEMPROF_SECTION_MAX_TASKS || has_too_many_files()) {
		err = -EUSERS;
		goto uncount;
	}
	t = alloc_section_task(s);
	if (IS_ERR(t)) {
		err = PTR_ERR(t);
		goto uncount;
	}
	raw_spin_lock_irqsave(&table_lock, flags);
	hlist_add_head_rcu(&t->hash, section_bucket(current));
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return t;

uncount:
	atomic_dec(&memprof_nr_section_tasks);
	return ERR_PTR(err);
}

/* Removes an entry of the task or session from a chain. Returns it, or NULL. */
static struct memprof_section_task *unhash_section_task(struct hlist_head *head,
							const struct task_struct *task,
							const struct memprof_session *s)
{
	struct memprof_section_task *t, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&table_lock, flags);
	hlist_for_each_entry(t, head, hash)
		if (t->task == task || t->session == s) {
			found = t;
			hlist_del_rcu(&t->hash);
			break;
		}
	raw_spin_unlock_irqrestore(&table_lock, flags);
	return found;
}

/**
 * memprof_section_task_end() - remove the sections of a thread
 * @task: running thread that exits or calls exec
 *
 * Any context but NMI.
 */
void memprof_section_task_end(const struct task_struct *task)
{
	struct memprof_section_task *t;

	if (!atomic_read(&memprof_nr_section_tasks))
		return;
	while ((t = unhash_section_task(section_bucket(task), task, NULL)))
		queue_rcu_work(freer, &t->free);
}

/**
 * memprof_section_tasks_close() - remove the sections of a file that is closed
 * @s: session of the file
 *
 * Process context.
 */
void memprof_section_tasks_close(struct memprof_session *s)
{
	struct memprof_section_task *t;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		while ((t = unhash_section_task(&table[i], NULL, s)))
			queue_rcu_work(freer, &t->free);
}

static bool is_session_running(u32 id)
{
	struct memprof_session *s;
	int slot;

	memprof_for_each_session(slot, s)
		if (s->id == id)
			return true;
	return false;
}

/* Whether session @id adds to a sum: of several sessions, only one may add. */
static bool is_owner_of_sum(struct memprof_section_task *t, u32 id,
			    enum memprof_section_sum which)
{
	u32 owner = READ_ONCE(t->owners[which]);

	if (likely(owner == id))
		return true;
	if (owner && is_session_running(owner))
		return false;
	WRITE_ONCE(t->owners[which], id);
	return true;
}

/**
 * memprof_section_task_add() - add to the sums of the running thread's sections
 * @s: running session that saw the event
 * @which: sum to add to
 * @bytes: number of bytes
 *
 * memprof_section_add() calls this if any thread on the machine has sections.
 */
void memprof_section_task_add(struct memprof_session *s,
			      enum memprof_section_sum which, s64 bytes)
{
	struct memprof_section_task *t;

	rcu_read_lock();
	hlist_for_each_entry_rcu(t, section_bucket(current), hash)
		if (t->task == current && is_owner_of_sum(t, s->id, which))
			atomic64_add(bytes, &t->sums[which]);
	rcu_read_unlock();
}
