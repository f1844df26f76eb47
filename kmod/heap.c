// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds allocator calls to the tallies. Probes at the entry and at the return of
 * each call use this file.
 *
 * The entry notes the request in the row of the task; the return accounts for
 * the result. A free is accounted for at its entry, before the allocator can
 * give the address to another thread. For the same reason the entry of a realloc
 * takes the old block out of the live table; the return puts the block back if
 * the realloc failed.
 *
 * An allocation that is not sampled is noted, too: growth and faults
 * inside the call find their callsite there. Its return is not hooked where the
 * kernel can skip the return probe of a single call.
 *
 * Cost: a look-up of the task and a read of the user stack per call; a sampled
 * call adds look-ups of callsite and cgroup, and two short locks, of which one is the
 * thread's own. A call that cannot be followed is counted under the reason.
 */
#include "heap.h"
#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uprobes.h>
#include "compat/regs.h"
#include "python.h"
#include "request.h"
#include "section-task.h"
#include "session.h"
#include "trace.h"

/*
 * One sweep serves the processes that exit within 0.1 s. A sweep that takes longer
 * than 2 ms runs less often, so that sweeps take 2 % of one CPU at most.
 */
#define SWEEP_DELAY_NS	(NSEC_PER_SEC / 10)
#define SWEEP_SHARE	50

/* Largest distance between functions of one allocator, bytes of code. */
#define NEARBY (1L << 16)

/* Whether a size is larger than any address space. */
static bool is_impossible_size(u64 size)
{
	return size > TASK_SIZE_MAX;
}

static unsigned int max_live = 1 << 20;
module_param(max_live, uint, 0644);
MODULE_PARM_DESC(max_live, "number of blocks that a session can follow at once, if START does not set it");

static void sweep_live_work(struct work_struct *work)
{
	struct memprof_heap *h = container_of(to_delayed_work(work),
					      struct memprof_heap, sweep);
	u64 start = ktime_get_ns();

	memprof_live_sweep(&h->live);
	WRITE_ONCE(h->sweep_ns, ktime_get_ns() - start);
	memprof_processes_recheck(&h->session->processes);
}

/**
 * memprof_heap_alloc() - allocate the tables that follow a session's heap
 * @s: session that starts, with its options checked; not published yet
 *
 * Return: 0, or -ENOMEM with nothing allocated.
 */
int memprof_heap_alloc(struct memprof_session *s)
{
	const struct memprof_start *options = &s->options;
	u32 max = options->max_live ?: clamp(READ_ONCE(max_live), 1U,
					     MEMPROF_MAX_LIVE);
	struct memprof_heap *h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	int err;

	if (!h)
		return -ENOMEM;
	s->heap = h;
	h->session = s;
	INIT_DELAYED_WORK(&h->sweep, sweep_live_work);
	err = memprof_sampler_alloc(&h->sampler, options->alloc_rate) ?:
	      memprof_live_alloc(&h->live, max, s->counts) ?:
	      memprof_sites_alloc(&h->sites, options->max_sites, s->counts) ?:
	      memprof_tasks_alloc(&h->tasks, s->counts);
	if (err)
		memprof_heap_free(s);
	return err;
}

/**
 * memprof_heap_free() - undo memprof_heap_alloc()
 * @s: session whose probes and hooks are removed; may have no heap
 */
void memprof_heap_free(struct memprof_session *s)
{
	struct memprof_heap *h = s->heap;

	if (!h)
		return;
	s->heap = NULL;
	memprof_tasks_free(&h->tasks);
	memprof_sites_free(&h->sites);
	memprof_live_free(&h->live);
	memprof_sampler_free(&h->sampler);
	kfree(h);
}

/**
 * memprof_heap_quiesce() - wait for the sweep, and complete the tallies
 * @s: session whose hooks are removed; may have no heap
 */
void memprof_heap_quiesce(struct memprof_session *s)
{
	if (!s->heap)
		return;
	cancel_delayed_work_sync(&s->heap->sweep);
	memprof_tasks_settle(&s->heap->tasks);
}

/**
 * memprof_heap_settle() - complete the tallies, for a snapshot
 * @s: running or stopped; may have no heap
 */
void memprof_heap_settle(struct memprof_session *s)
{
	if (!s->heap)
		return;
	memprof_live_sweep(&s->heap->live);
	memprof_tasks_settle(&s->heap->tasks);
}

static void trace_block(struct memprof_session *s, const struct memprof_found *b,
			u64 callsite, bool alloc)
{
	struct memprof_alloc_event e = {
		.ptr = b->ptr,
		.size = b->size,
		.weight = b->weighted.space,
		.callsite = callsite,
		.cgroup = cgroup_id(task_dfl_cgroup(current)),
		.session = s->id,
		.pid = current->tgid,
	};

	if (!alloc) {
		trace_free(&e);
		return;
	}
	memprof_python_trace(s, e.ptr);
	trace_alloc(&e);
}

static u64 age_of_block(const struct memprof_found *b)
{
	return max_t(s64, local_clock() - b->born_ns, 0);
}

static void account_free(struct memprof_session *s, struct memprof_row *row,
			 struct memprof_task *t, const struct memprof_found *b,
			 s32 blocks, bool temporary)
{
	memprof_pending_free(&t->pending, row, b, blocks, age_of_block(b),
			     temporary);
	memprof_section_add(s, MEMPROF_SUM_FREED, b->weighted.space);
	if (trace_free_enabled())
		trace_block(s, b, memprof_site_of_block(b)->address, false);
}

/*
 * Like account_free(), but adds to the tallies at once. This is for a process
 * that is not a target any more: its threads get no rows for pending sums.
 */
static void account_free_now(struct memprof_session *s, struct memprof_row *row,
			     const struct memprof_found *b)
{
	struct memprof_site_row *site = memprof_site_of_block(b);
	u32 bin = memprof_histogram_bin(age_of_block(b));

	memprof_alloc_keep(b->site, &row->alloc);
	memprof_alloc_free(&row->alloc, &b->weighted);
	memprof_alloc_free(b->cgroup, &b->weighted);
	memprof_alloc_free(b->site, &b->weighted);
	atomic64_add(memprof_whole_objects(&b->weighted), &site->lifetimes[bin]);
	memprof_section_add(s, MEMPROF_SUM_FREED, b->weighted.space);
	if (trace_free_enabled())
		trace_block(s, b, site->address, false);
}

/* The row of the running task's cgroup. The cgroup seldom changes. */
static struct memprof_cgroup_row *cgroup_row_of_task(struct memprof_session *s,
						     struct memprof_task *t)
{
	struct cgroup *cgrp = task_dfl_cgroup(current);

	/* the overflow row has no cgroup: look again each time */
	if (!t->cgroup || t->cgroup->cgrp != cgrp)
		t->cgroup = memprof_cgroup_get(&s->cgroups, cgrp);
	return t->cgroup;
}

/*
 * Adds a block to the live table; the caller counts it in row->blocks. False: the
 * table is full.
 */
static bool follow_block(struct memprof_session *s, struct memprof_row *row,
			 struct memprof_task *t, const struct memprof_found *b)
{
	struct memprof_found old;
	bool followed = memprof_live_add(&s->heap->live, &t->spares, row, b, &old);

	if (old.ptr)
		account_free(s, row, t, &old, -1, false);
	if (unlikely(READ_ONCE(s->heap->live.inconsistent)))
		memprof_session_fail(s, "a free slot of the live table is in use");
	return followed;
}

static void account_alloc(struct memprof_session *s, struct memprof_row *row,
			  struct memprof_task *t, struct memprof_site_row *site,
			  u64 ptr, u64 size, u64 weight)
{
	struct memprof_cgroup_row *cgroup = cgroup_row_of_task(s, t);
	struct memprof_found b = {
		.ptr = ptr,
		.size = size,
		.born_ns = local_clock(),
		.cgroup = &cgroup->alloc,
		.site = &site->alloc,
		.weighted = {
			.space = mul_u64_u64_shr(size, weight, 16),
			.objects = weight,
		},
	};
	bool followed = follow_block(s, row, t, &b);

	memprof_pending_alloc(&t->pending, row, &b, followed);
	memprof_section_add(s, MEMPROF_SUM_ALLOCATED, b.weighted.space);
	if (!followed) {
		/* not in use, because its free will not be recognised */
		atomic64_inc(&row->alloc.unfollowed);
		memprof_alloc_drop(&row->alloc, &b.weighted);
		memprof_alloc_drop(&cgroup->alloc, &b.weighted);
		memprof_alloc_drop(&site->alloc, &b.weighted);
	}
	if (trace_alloc_enabled())
		trace_block(s, &b, site->address, true);
}

static void account_failed_alloc(struct memprof_session *s,
				 struct memprof_row *row,
				 struct memprof_task *t,
				 struct memprof_site_row *site, u64 weight)
{
	atomic64_add(weight, &row->alloc.failed);
	atomic64_add(weight, &cgroup_row_of_task(s, t)->alloc.failed);
	atomic64_add(weight, &site->alloc.failed);
}

/* A realloc begins: takes its old block out of the live table. */
static void unfollow_old_block(struct memprof_session *s,
			       struct memprof_row *row, struct memprof_task *t)
{
	struct memprof_call *call = &t->call;

	/* row->blocks still counts the block, so the row is not reused */
	call->had_old = memprof_live_take(&s->heap->live, &t->spares, row,
					  call->ptr, &call->old);
}

/* The realloc freed its old block. */
static void account_old_freed(struct memprof_session *s, struct memprof_task *t)
{
	if (!t->call.had_old)
		return;
	account_free(s, t->row, t, &t->call.old, -1, false);
	t->call.had_old = false;
}

/*
 * The realloc failed, or its return was not seen: follows its old block again.
 * If the process has ended, the block ended, too.
 */
static void refollow_old_block(struct memprof_session *s,
			       struct memprof_task *t)
{
	const struct memprof_found *old = &t->call.old;
	struct memprof_row *row = t->row;

	if (!t->call.had_old)
		return;
	t->call.had_old = false;
	if (READ_ONCE(row->state) != MEMPROF_ROW_LIVING) {
		memprof_live_drop(row, old);
		atomic_dec(&row->blocks);
	} else if (!follow_block(s, row, t, old)) {
		account_free(s, row, t, old, -1, false);
	}
}

/* Removes the noted call, whose return was not seen. */
static void abandon_call(struct memprof_session *s, struct memprof_task *t)
{
	if (t->call.sp && t->call.hooked)
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_ABANDONED);
	refollow_old_block(s, t);
	t->call.sp = 0;
}

static void handle_free_call(struct memprof_session *s, struct memprof_row *row,
			     struct memprof_task *t, u64 ptr)
{
	bool temporary = t->last_ptr == ptr;
	struct memprof_found b;

	if (!ptr) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_FREE_NULL);
		return;
	}
	if (temporary)
		t->last_ptr = 0;
	if (memprof_live_take(&s->heap->live, &t->spares, row, ptr, &b))
		account_free(s, row, t, &b, -1, temporary);
	else if (s->heap->sampler.rate == 1)
		memprof_alloc_unknown_free(&row->alloc);
}

/*
 * Handles a static probe. The program has sampled the block and passes its
 * weight. The callsite is the address of the probe plus 1, because readers of
 * callsites subtract 1, as from a return address.
 */
static struct memprof_site_row *handle_static_probe(struct memprof_session *s,
						    struct memprof_row *row,
						    struct memprof_task *t,
						    const struct memprof_point *p,
						    struct pt_regs *regs)
{
	unsigned long ptr, size, space, callsite;
	struct memprof_site_row *site;
	u64 weight;

	if (!memprof_request_arg(&p->args[0], regs, &ptr) ||
	    !memprof_request_arg(&p->args[1], regs, &size) ||
	    !memprof_request_arg(&p->args[2], regs, &space) ||
	    !memprof_request_arg(&p->args[3], regs, &callsite) ||
	    is_impossible_size(size)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNREADABLE);
		return NULL;
	}
	if (p->func == MEMPROF_FUNC_USDT_FREE) {
		handle_free_call(s, row, t, ptr);
		return NULL;
	}
	if (!ptr)
		return NULL;
	space = clamp_t(u64, space, size, max_t(u64, size, MEMPROF_MAX_RATE));
	weight = MEMPROF_ONE;
	/* larger blocks: weight 1, because "space << 16" would overflow */
	if (size && size < MEMPROF_MAX_RATE)
		weight = div64_u64(space << 16, size);
	site = memprof_site_get(&s->heap->sites, row,
				callsite ?: instruction_pointer(regs) + 1,
				p->func);
	account_alloc(s, row, t, site, ptr, size, weight);
	t->last_ptr = ptr;
	return site;
}

/* Whether the kernel refuses to probe further returns of this task now. */
static bool is_return_limit_reached(void)
{
	return current->utask && current->utask->depth >= MAX_URETPROBE_DEPTH;
}

/* Notes the call in the task's row. Returns whether its return must be seen. */
static bool begin_alloc_call(struct memprof_session *s, struct memprof_row *row,
			     struct memprof_task *t, const struct memprof_point *p,
			     struct pt_regs *regs, unsigned long callsite)
{
	struct memprof_call *call = &t->call;
	bool allocates;

	t->row = row;
	call->sp = user_stack_pointer(regs);
	call->callsite = callsite;
	call->ip = instruction_pointer(regs);
	call->point = p;
	call->func = p->func;
	call->hooked = false;
	call->had_old = false;
	allocates = memprof_request_read(call, regs);
	if (!allocates) {
		handle_free_call(s, row, t, call->ptr);
		return false;
	}
	t->last_ptr = 0;
	call->sampled = memprof_sample(&s->heap->sampler, call->size);
	if (call->sampled)
		call->site = memprof_site_get(&s->heap->sites, row, callsite,
					      p->func);
	call->hooked = call->sampled;
	if (is_return_limit_reached()) {
		if (call->sampled)
			memprof_count(s->counts,
				      MEMPROF_COUNT_UPROBE_NESTED_LIMIT);
		call->hooked = false;
		return false;
	}
	if (memprof_is_realloc(p->func) && call->ptr)
		unfollow_old_block(s, row, t);
	call->hooked |= call->had_old;
	return call->hooked;
}

/*
 * Finds the address of the kernel's uretprobe trampoline, once per process. A
 * return probe, ours or another tool's, replaces the return address on the
 * stack by the trampoline. The name of the mapping at this address shows that
 * it is one.
 */
static void learn_trampoline(struct memprof_task *t,
			     const struct pt_regs *regs, unsigned long sp)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long top;
	const char *name = NULL;

	if (!t->row || t->row->trampoline || !sp ||
	    !memprof_leads_back(regs, sp, &top) || top == t->call.callsite ||
	    !mmap_read_trylock(mm))
		return;
	vma = find_vma(mm, top);
	if (vma && vma->vm_start <= top && vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name && !strcmp(name, "[uprobes]"))
		WRITE_ONCE(t->row->trampoline, top);
	mmap_read_unlock(mm);
}

/*
 * Whether this call is a part of the noted call. If the return of the noted
 * call is hooked, the stack is enough to decide. Else the noted call may have
 * ended, with its return address left over on the stack. So one more condition
 * must be true: the caller is near the allocator's code, or a free inside a
 * free is for the same block.
 */
static bool is_nested_call(const struct memprof_task *t,
			   const struct memprof_point *p, struct pt_regs *regs,
			   unsigned long callsite)
{
	const struct memprof_call *call = &t->call;
	unsigned long sp = user_stack_pointer(regs);
	long distance = callsite - call->ip;

	if (!memprof_task_inside(t, sp, p))
		return false;
	/* a function that was reached by a jump has the same return address */
	if (call->hooked)
		return sp != call->sp || !t->row->trampoline ||
		       callsite == t->row->trampoline;
	/* the trampoline is there if the return probe was not skipped */
	if (!MEMPROF_RETURN_ON_STACK && sp == call->sp &&
	    callsite != call->callsite &&
	    (!t->row->trampoline || callsite != t->row->trampoline))
		return false;
	if (call->func == MEMPROF_FUNC_FREE)
		return p->func == MEMPROF_FUNC_FREE && p != call->point &&
		       call->ptr == memprof_arg(regs, 0);
	return abs(distance) < NEARBY ||
	       (p != call->point && sp == call->sp);
}

/* Finds or adds the rows of process and task. False: a table is full. */
static bool find_target_rows(struct memprof_session *s,
			     struct memprof_row **row,
			     struct memprof_task **t)
{
	rcu_read_lock();
	*t = memprof_task_get(&s->heap->tasks);
	*row = *t ? (*t)->row : NULL;
	if (*t && (!*row || READ_ONCE((*row)->mm) != current->mm))
		*row = memprof_process_get(&s->processes, current->mm, current);
	rcu_read_unlock();
	return *t && (*row)->state != MEMPROF_ROW_SPECIAL;
}

/**
 * memprof_heap_call() - account for the entry of a probed function
 * @s: session of the probe
 * @p: the probe point
 * @regs: user registers at the entry
 *
 * In a uprobe handler: may sleep. Return: whether the return must be seen.
 */
bool memprof_heap_call(struct memprof_session *s, const struct memprof_point *p,
		       struct pt_regs *regs)
{
	struct memprof_site_row *site = NULL;
	unsigned long callsite;
	struct memprof_task *t;
	struct memprof_row *row;
	bool hook = false;

	if (!find_target_rows(s, &row, &t))
		return false;
	if (!memprof_return_address(regs, &callsite)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNREADABLE);
		return false;
	}
	learn_trampoline(t, regs, t->call.sp);
	if (t->row == row && is_nested_call(t, p, regs, callsite)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_NESTED);
		return false;
	}
	rcu_read_lock();
	abandon_call(s, t);
	if (p->func >= MEMPROF_FUNC_USDT_ALLOC) {
		site = handle_static_probe(s, row, t, p, regs);
	} else {
		hook = begin_alloc_call(s, row, t, p, regs, callsite);
		if (hook && t->call.sampled)
			site = t->call.site;
	}
	rcu_read_unlock();
	if (site)
		memprof_site_locate(&s->heap->sites, site, current->mm);
	if (t->unlocated)
		memprof_site_locate_noted(&s->heap->sites, &t->unlocated,
					  row->number, current->mm);
	return hook;
}

/**
 * memprof_heap_awaits_free() - can a call free a followed block?
 * @s: session of the probe
 * @func: enum memprof_func of the call
 * @mm: address space, perhaps of a process that is no target any more
 */
bool memprof_heap_awaits_free(struct memprof_session *s, u32 func,
			      const struct mm_struct *mm)
{
	struct memprof_row *row;
	bool blocks;

	if (!s->heap || (func != MEMPROF_FUNC_FREE &&
			 func != MEMPROF_FUNC_USDT_FREE && !memprof_is_realloc(func)))
		return false;
	rcu_read_lock();
	row = memprof_process_find(&s->processes, mm);
	blocks = row && (memprof_alloc_is_held(&row->alloc) ||
			 atomic_read(&row->blocks));
	rcu_read_unlock();
	return blocks;
}

/**
 * memprof_heap_free_only() - account for a call of a process that is no target
 * @s: session of the probe
 * @p: the probe point
 * @regs: user registers at the entry
 *
 * Counts only frees of blocks that the process allocated while it was a target.
 * A realloc counts as the free of its old block; its new block is not followed.
 *
 * Return: whether the process may free more of these blocks at this probe.
 */
bool memprof_heap_free_only(struct memprof_session *s,
			    const struct memprof_point *p, struct pt_regs *regs)
{
	unsigned long ptr = memprof_arg(regs, 0);
	struct memprof_found b;
	struct memprof_task *t;
	struct memprof_row *row;

	if (!memprof_heap_awaits_free(s, p->func, current->mm) ||
	    READ_ONCE(s->failed))
		return false;
	if (p->func == MEMPROF_FUNC_USDT_FREE &&
	    !memprof_request_arg(&p->args[0], regs, &ptr))
		return true;
	rcu_read_lock();
	row = memprof_process_find(&s->processes, current->mm);
	if (row && ptr && memprof_live_take(&s->heap->live, NULL, row, ptr, &b)) {
		account_free_now(s, row, &b);
		atomic_dec(&row->blocks);
	}
	/* pending sums hold the row, and so the probes of the process */
	t = memprof_task_find(&s->heap->tasks, current);
	if (t)
		memprof_pending_settle(&t->pending);
	rcu_read_unlock();
	return true;
}

static u64 result_of_call(const struct memprof_call *call, struct pt_regs *regs)
{
	unsigned long value = regs_return_value(regs), ptr;

	if (is_impossible_size(call->size))
		return 0;
	if (call->func != MEMPROF_FUNC_POSIX_MEMALIGN)
		return value;
	return !(int)value && memprof_user_word(call->ptr, &ptr) ? ptr : 0;
}

static void end_alloc_call(struct memprof_session *s, struct memprof_task *t,
			   u64 ptr)
{
	struct memprof_call *call = &t->call;
	struct memprof_row *row = t->row;
	bool realloc = memprof_is_realloc(call->func) && call->ptr;
	u64 weight;

	/* realloc(ptr, 0) of libc frees the block and returns NULL */
	if (ptr || (realloc && !call->size)) {
		if (realloc && !call->had_old && s->heap->sampler.rate == 1)
			memprof_alloc_unknown_free(&row->alloc);
		account_old_freed(s, t);
	} else {
		refollow_old_block(s, t);
	}
	if (!call->sampled || (!ptr && realloc && !call->size))
		return;
	weight = memprof_sample_weight(&s->heap->sampler, call->size);
	if (ptr)
		account_alloc(s, row, t, call->site, ptr, call->size, weight);
	else
		account_failed_alloc(s, row, t, call->site, weight);
}

/**
 * memprof_heap_return() - account for the return of a probed function
 * @s: session of the probe
 * @p: the probe point
 * @regs: user registers after the return
 *
 * In a uprobe handler: may sleep.
 */
void memprof_heap_return(struct memprof_session *s,
			 const struct memprof_point *p, struct pt_regs *regs)
{
	unsigned long sp = memprof_entry_sp(regs);
	struct memprof_task *t;
	u64 ptr;

	rcu_read_lock();
	t = memprof_task_find_own(&s->heap->tasks);
	rcu_read_unlock();
	if (!t || !t->call.sp || sp > t->call.sp) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNMATCHED);
		return;
	}
	/* ignore the return of a call inside the noted call */
	if (sp != t->call.sp || p != t->call.point)
		return;
	/* the word below the stack pointer is still the return address */
	learn_trampoline(t, regs, sp);
	if (t->call.hooked) {
		ptr = result_of_call(&t->call, regs);
		rcu_read_lock();
		end_alloc_call(s, t, ptr);
		rcu_read_unlock();
		t->last_ptr = ptr;
	}
	t->call.sp = 0;
}

/* Completes the tallies of the running process. */
static void settle_threads(struct memprof_session *s)
{
	struct task_struct *thread;
	struct memprof_task *t;

	for_each_thread(current, thread) {
		t = memprof_task_find(&s->heap->tasks, thread);
		if (t)
			memprof_pending_settle(&t->pending);
	}
}

/**
 * memprof_heap_fork() - count the parent's blocks as inherited by the child
 * @s: published
 * @parent: address space that was copied
 * @child: row of the copy
 */
void memprof_heap_fork(struct memprof_session *s, struct mm_struct *parent,
		       struct memprof_row *child)
{
	struct memprof_row *row;

	if (!s->heap || child->state == MEMPROF_ROW_SPECIAL)
		return;
	row = memprof_process_find(&s->processes, parent);
	if (!row)
		return;
	settle_threads(s);
	memprof_alloc_fork(&child->alloc, &row->alloc);
}

/**
 * memprof_heap_task_exit() - give back the row of the running thread
 * @s: published; the thread exits
 */
void memprof_heap_task_exit(struct memprof_session *s)
{
	struct memprof_task *t;

	t = s->heap ? memprof_task_find_own(&s->heap->tasks) : NULL;
	if (!t)
		return;
	abandon_call(s, t);
	memprof_pending_settle(&t->pending);
	memprof_live_give_back(&s->heap->live, &t->spares);
	memprof_task_put(&s->heap->tasks, t);
}

/**
 * memprof_heap_exit() - schedule a sweep of the live table
 * @s: published; an address space with followed blocks has ended
 */
void memprof_heap_exit(struct memprof_session *s)
{
	struct memprof_heap *h = s->heap;

	if (h)
		schedule_delayed_work(&h->sweep,
				      nsecs_to_jiffies(max_t(u64, SWEEP_DELAY_NS,
					SWEEP_SHARE * READ_ONCE(h->sweep_ns))));
}

/**
 * memprof_heap_inside() - find the allocator call that the running task is in
 * @s: running
 * @row: process of the task
 * @join: filled in, when there is a call
 *
 * Return: whether there is a call.
 */
bool memprof_heap_inside(struct memprof_session *s, struct memprof_row *row,
			 struct memprof_join *join)
{
	unsigned long sp = user_stack_pointer(task_pt_regs(current));
	struct memprof_task *t;

	if (!s->heap)
		return false;
	t = memprof_task_find(&s->heap->tasks, current);
	if (!t || t->row != row || !memprof_task_inside(t, sp, NULL))
		return false;
	join->callsite = t->call.callsite;
	join->size = t->call.size;
	join->site = memprof_site_get(&s->heap->sites, row, t->call.callsite,
				      t->call.func);
	if (!READ_ONCE(join->site->located))
		t->unlocated = join->site;
	return true;
}

/**
 * memprof_heap_block() - find the followed block that contains an address
 * @s: running, with a heap
 * @row: process
 * @addr: any address
 * @join: filled in, when there is a block
 *
 * Return: whether there is a block.
 */
bool memprof_heap_block(struct memprof_session *s, struct memprof_row *row,
			u64 addr, struct memprof_join *join)
{
	struct memprof_found b;

	if (!memprof_live_at(&s->heap->live, row, addr, &b))
		return false;
	join->site = memprof_site_of_block(&b);
	join->callsite = join->site->address;
	join->size = b.size;
	return true;
}
