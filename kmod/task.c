// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of threads. A module has no field of its own in task_struct, so
 * this is a hash table by task pointer, with a row per thread that has
 * allocated. The thread gives its row back when it exits.
 *
 * Cost: a look-up walks one short chain under RCU; making and giving back a row
 * take a lock. The table is allocated at START, 22 MiB. When it is full, the calls of
 * further threads are not followed (counted).
 *
 * A call may end without a return: by longjmp, an exception, a fiber. If the
 * stack pointer is above its value at the entry, the call has ended. If it is
 * below, the word on the stack at the entry's stack pointer decides: in a call
 * that goes on it is the return address, or the kernel's trampoline if the
 * return is hooked.
 */
#include "task.h"
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include "compat/regs.h"
#include "process.h"

#define MAX_TASKS	16384

/*
 * Limit of the stack that an allocator uses, in bytes. If the return of a call
 * is not seen, its note stays, and its return address may be left over on the
 * stack, in a large variable of a later function. So a thread that is deeper in
 * its stack than this is not inside the call.
 */
#define MAX_DEPTH	(16 << 10)

/* Bytes of code behind a call in which its caller may run still. */
#define MAX_FUNCTION	(64 << 10)

/**
 * memprof_tasks_alloc() - allocate the table
 * @t: zeroed
 * @counts: counters for what finds the table full
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_tasks_alloc(struct memprof_tasks *t,
			struct memprof_counts __percpu *counts)
{
	struct memprof_task *p;
	u32 i;
	int err;

	t->counts = counts;
	err = memprof_table_alloc(&t->table, MAX_TASKS, sizeof(*p));
	if (err)
		return err;
	for (i = 0; i < MAX_TASKS; i++) {
		p = memprof_table_row(&t->table, i);
		raw_spin_lock_init(&p->pending.lock);
	}
	return 0;
}

/**
 * memprof_tasks_free() - free the table
 * @t: table of a session whose probes are removed; may be zeroed
 */
void memprof_tasks_free(struct memprof_tasks *t)
{
	memprof_table_free(&t->table);
}

static u32 task_bucket(struct memprof_tasks *t, const struct task_struct *task)
{
	return hash_ptr(task, t->table.bits);
}

static struct memprof_task *find_task_row(struct memprof_tasks *t,
					  const struct task_struct *task)
{
	struct memprof_task *p;

	memprof_table_for_each(p, &t->table, task_bucket(t, task))
		if (READ_ONCE(p->task) == task)
			return p;
	return NULL;
}

/**
 * memprof_task_find() - find the row of a task
 * @t: table
 * @task: alive; the caller is in an RCU read-side section
 *
 * Any context but NMI. Return: the row, or NULL. The search may miss a row while
 * other rows change; memprof_task_get() and memprof_task_find_own() do not.
 */
struct memprof_task *memprof_task_find(struct memprof_tasks *t,
				       const struct task_struct *task)
{
	return find_task_row(t, task);
}

static struct memprof_task *make_task_row(struct memprof_tasks *t)
{
	struct memprof_task *p = memprof_table_pop(&t->table);

	if (!p)
		return NULL;
	memset(&p->call, 0, sizeof(p->call));
	p->row = NULL;
	p->cgroup = NULL;
	p->unlocated = NULL;
	p->last_ptr = 0;
	/* pairs with the address dependency in find_task_row() */
	smp_store_release(&p->task, current);
	memprof_table_show(&t->table, &p->entry, task_bucket(t, current));
	return p;
}

/**
 * memprof_task_get() - find or make the row of the running task
 * @t: table of a running session; the caller is in an RCU read-side section
 *
 * Return: the row, or NULL when the table is full.
 */
struct memprof_task *memprof_task_get(struct memprof_tasks *t)
{
	struct memprof_task *p = find_task_row(t, current);
	unsigned long flags;

	if (likely(p))
		return p;
	/* a thread without a row must not take the lock at each of its calls */
	if (!READ_ONCE(t->table.full)) {
		raw_spin_lock_irqsave(&t->table.lock, flags);
		p = find_task_row(t, current);
		if (!p)
			p = make_task_row(t);
		raw_spin_unlock_irqrestore(&t->table.lock, flags);
	}
	if (!p)
		memprof_count(t->counts, MEMPROF_COUNT_TASK_TABLE_FULL);
	return p;
}

/**
 * memprof_task_find_own() - find the row of the running task for certain
 * @t: table of a running session; the caller is in an RCU read-side section
 *
 * Takes the lock only when the search without it finds nothing. Return: the row, or
 * NULL when the task has none.
 */
struct memprof_task *memprof_task_find_own(struct memprof_tasks *t)
{
	struct memprof_task *p = find_task_row(t, current);
	unsigned long flags;

	if (likely(p))
		return p;
	raw_spin_lock_irqsave(&t->table.lock, flags);
	p = find_task_row(t, current);
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
	return p;
}

/**
 * memprof_task_put() - give back the row of a task that exits
 * @t: table
 * @task: row of the task, without pending sums and spare blocks
 */
void memprof_task_put(struct memprof_tasks *t, struct memprof_task *task)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&t->table.lock, flags);
	memprof_table_hide(&t->table, &task->entry);
	WRITE_ONCE(task->task, NULL);
	memprof_table_push(&t->table, &task->entry);
	raw_spin_unlock_irqrestore(&t->table.lock, flags);
}

/**
 * memprof_tasks_settle() - add the pending sums of all threads to their tallies
 * @t: table of a session
 *
 * Process context. Cost: visits each row that was ever used. A thread that
 * allocates meanwhile has new pending sums afterwards.
 */
void memprof_tasks_settle(struct memprof_tasks *t)
{
	u32 i, end = memprof_table_end(&t->table);
	struct memprof_task *p;

	for (i = 0; i < end; i++) {
		p = memprof_table_row(&t->table, i);
		if (READ_ONCE(p->pending.row))
			memprof_pending_settle(&p->pending);
		if (!(i % 256))
			cond_resched();
	}
}

/**
 * memprof_tasks_spares() - number of free blocks that threads keep
 * @t: table of a session
 */
u32 memprof_tasks_spares(struct memprof_tasks *t)
{
	u32 i, n = 0, end = memprof_table_end(&t->table);
	struct memprof_task *p;

	for (i = 0; i < end; i++) {
		p = memprof_table_row(&t->table, i);
		n += READ_ONCE(p->spares.nr);
	}
	return n;
}

/**
 * memprof_task_inside() - is the task inside its noted allocator call?
 * @task: row of the running task
 * @sp: user stack pointer now
 * @point: probe point that the task has just reached; NULL: none
 *
 * If @sp is the stack pointer of the call's entry, @point decides. At another
 * point the task came by a jump, which is a part of the call. At the same point
 * a new call begins. Any context but NMI.
 */
bool memprof_task_inside(const struct memprof_task *task, unsigned long sp,
			 const struct memprof_point *point)
{
	const struct memprof_call *call = &task->call;
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long trampoline = 0, top;

	if (!call->sp || sp > call->sp || (sp == call->sp &&
					   point == call->point))
		return false;
	/* without a return address on the stack, this is all that can be known */
	if (!MEMPROF_RETURN_ON_STACK && call->hooked)
		return true;
	/* a call that jumped to another function; the caller compares the addresses */
	if (!MEMPROF_RETURN_ON_STACK && sp == call->sp && point)
		return true;
	if (task->row)
		trampoline = task->row->trampoline;
	if (!memprof_leads_back(regs, call->sp, &top))
		return false;
	/* the link register keeps the return address when the call is over */
	if (!MEMPROF_RETURN_ON_STACK && sp == call->sp &&
	    abs((long)(instruction_pointer(regs) - call->callsite)) < MAX_FUNCTION)
		return false;
	if (call->hooked)
		return !trampoline || top == trampoline;
	/* another tool or a kernel before 6.12 may hook returns */
	return call->sp - sp < MAX_DEPTH &&
	       (top == call->callsite || (trampoline && top == trampoline));
}
