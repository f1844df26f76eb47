// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call begins at a probe and ends at its return: what was asked for is noted
 * with the task, what came of it is accounted at the end. Frees are accounted
 * where they begin, before another thread can be given the same address; so is
 * the old block of a realloc taken out at its beginning, and put back if the
 * realloc fails.
 *
 * An allocation that is not sampled leaves its note, which is how growth and
 * faults inside it find their callsite, and skips the return probe where the
 * kernel lets it.
 */
#include "heap.h"
#include <linux/cgroup.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include "compat/regs.h"
#include "section-task.h"
#include "session.h"
#include "trace.h"

/* Time that blocks of ended processes may stay in the live table. */
#define SWEEP_DELAY (HZ / 10)

/* Bytes of code between an allocator's functions. */
#define NEARBY (1L << 16)

/* No block is as large. */
static bool is_impossible(u64 size)
{
	return size > TASK_SIZE_MAX;
}

static unsigned int max_live = 1 << 20;
module_param(max_live, uint, 0644);
MODULE_PARM_DESC(max_live, "blocks to follow at once, unless START says how many");

static void sweep_work(struct work_struct *work)
{
	struct memprof_heap *h = container_of(to_delayed_work(work),
					      struct memprof_heap, sweep);

	memprof_live_sweep(&h->live);
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
	INIT_DELAYED_WORK(&h->sweep, sweep_work);
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
 * memprof_heap_quiesce() - wait for the sweep of the live table
 * @s: session whose hooks are removed; may have no heap
 */
void memprof_heap_quiesce(struct memprof_session *s)
{
	if (s->heap)
		cancel_delayed_work_sync(&s->heap->sweep);
}

static struct memprof_site_row *site_of(const struct memprof_found *b)
{
	return container_of(b->site, struct memprof_site_row, alloc);
}

static void emit(struct memprof_session *s, const struct memprof_found *b,
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

	if (alloc)
		trace_alloc(&e);
	else
		trace_free(&e);
}

static void account_free(struct memprof_session *s, struct memprof_row *row,
			 const struct memprof_found *b, bool temporary)
{
	struct memprof_site_row *site = site_of(b);

	memprof_alloc_free(&row->alloc, &b->weighted, temporary);
	memprof_alloc_free(b->cgroup, &b->weighted, temporary);
	memprof_alloc_free(b->site, &b->weighted, temporary);
	memprof_section_add(s, MEMPROF_SUM_FREED, b->weighted.space);
	memprof_site_free(site, max_t(s64, local_clock() - b->born_ns, 0),
			  &b->weighted);
	if (trace_free_enabled())
		emit(s, b, site->address, false);
}

/* The row of the running task's cgroup, which seldom changes. */
static struct memprof_cgroup_row *cgroup_of(struct memprof_session *s,
					    struct memprof_task *t)
{
	struct cgroup *cgrp = task_dfl_cgroup(current);

	/* the overflow row has none */
	if (!t->cgroup || t->cgroup->cgrp != cgrp)
		t->cgroup = memprof_cgroup_get(&s->cgroups, cgrp);
	return t->cgroup;
}

/* Follows a block, unless the table is full. */
static bool follow(struct memprof_session *s, struct memprof_row *row,
		   const struct memprof_found *b)
{
	struct memprof_found old;
	bool followed = memprof_live_add(&s->heap->live, row, b, &old);

	if (old.ptr)
		account_free(s, row, &old, false);
	return followed;
}

static void account_alloc(struct memprof_session *s, struct memprof_row *row,
			  struct memprof_task *t, struct memprof_site_row *site,
			  u64 ptr, u64 size, u64 weight)
{
	struct memprof_cgroup_row *cgroup = cgroup_of(s, t);
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
	bool followed = follow(s, row, &b);

	if (!followed)
		site = &s->heap->sites.dropped;
	memprof_alloc_add(&row->alloc, &b.weighted);
	memprof_alloc_add(&cgroup->alloc, &b.weighted);
	memprof_site_alloc(site, size, &b.weighted);
	memprof_section_add(s, MEMPROF_SUM_ALLOCATED, b.weighted.space);
	if (!followed) {
		/* counted, but not in use: its free will not be known */
		memprof_alloc_drop(&row->alloc, &b.weighted);
		memprof_alloc_drop(&cgroup->alloc, &b.weighted);
		memprof_alloc_drop(&site->alloc, &b.weighted);
	}
	if (trace_alloc_enabled())
		emit(s, &b, site->address, true);
}

static void account_failed(struct memprof_session *s, struct memprof_row *row,
			   struct memprof_task *t, struct memprof_site_row *site,
			   u64 weight)
{
	atomic64_add(weight, &row->alloc.failed);
	atomic64_add(weight, &cgroup_of(s, t)->alloc.failed);
	atomic64_add(weight, &site->alloc.failed);
}

/* Takes the block that a realloc is about out of the table, for the while. */
static void take_old(struct memprof_session *s, struct memprof_row *row,
		     struct memprof_call *call)
{
	call->had_old = memprof_live_take(&s->heap->live, row, call->ptr,
					  &call->old);
	/* the row stays the process's own until it is accounted for */
	if (call->had_old)
		atomic_inc(&row->blocks);
}

/* It was freed: NULL, or another block, came of it. */
static void free_old(struct memprof_session *s, struct memprof_task *t)
{
	if (!t->call.had_old)
		return;
	account_free(s, t->row, &t->call.old, false);
	t->call.had_old = false;
	atomic_dec(&t->row->blocks);
}

/* It lives on, unless the address space has ended: exec, exit. */
static void put_back(struct memprof_session *s, struct memprof_task *t)
{
	const struct memprof_found *old = &t->call.old;
	struct memprof_row *row = t->row;

	if (!t->call.had_old)
		return;
	t->call.had_old = false;
	if (READ_ONCE(row->state) != MEMPROF_ROW_LIVING)
		memprof_live_drop(row, old);
	else if (!follow(s, row, old))
		account_free(s, row, old, false);
	atomic_dec(&row->blocks);
}

/* The call noted last did not, or will not, return to us. */
static void abandon(struct memprof_session *s, struct memprof_task *t)
{
	if (t->call.sp && t->call.hooked)
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_ABANDONED);
	put_back(s, t);
	t->call.sp = 0;
}

static void call_free(struct memprof_session *s, struct memprof_row *row,
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
	if (memprof_live_take(&s->heap->live, row, ptr, &b))
		account_free(s, row, &b, temporary);
	else if (s->heap->sampler.rate == 1)
		memprof_alloc_unknown_free(&row->alloc);
}

static u64 product(u64 a, u64 b)
{
	u64 c;

	return check_mul_overflow(a, b, &c) ? U64_MAX : c;
}

static bool static_arg(const struct memprof_probe_arg *arg,
		       struct pt_regs *regs, unsigned long *value)
{
	switch (arg->kind) {
	case 0:
		*value = arg->value;
		return true;
	case 1:
		*value = memprof_reg(regs, arg->reg);
		return true;
	}
	return memprof_user_word(memprof_reg(regs, arg->reg) + arg->value,
				 value);
}

/* What is asked for; false: this is no allocation. */
static bool read_request(struct memprof_call *call, struct pt_regs *regs)
{
	unsigned long a = memprof_arg(regs, 0), b = memprof_arg(regs, 1);

	call->ptr = 0;
	switch (call->func) {
	case MEMPROF_FUNC_MALLOC:
		call->size = a;
		return true;
	case MEMPROF_FUNC_CALLOC:
		call->size = product(a, b);
		return true;
	case MEMPROF_FUNC_REALLOC:
		call->ptr = a;
		call->size = b;
		return true;
	case MEMPROF_FUNC_REALLOCARRAY:
		call->ptr = a;
		call->size = product(b, memprof_arg(regs, 2));
		return true;
	case MEMPROF_FUNC_MEMALIGN:
		call->size = b;
		return true;
	case MEMPROF_FUNC_POSIX_MEMALIGN:
		call->ptr = a;
		call->size = memprof_arg(regs, 2);
		return true;
	case MEMPROF_FUNC_RUST_REALLOC:
		call->ptr = a;
		call->size = memprof_arg(regs, 3);
		return true;
	}
	call->ptr = a;
	call->size = 0;
	return false;
}

static bool is_realloc(u32 func)
{
	return func == MEMPROF_FUNC_REALLOC ||
	       func == MEMPROF_FUNC_REALLOCARRAY ||
	       func == MEMPROF_FUNC_RUST_REALLOC;
}

/*
 * Already sampled by the program, which tells the weight. The callsite is the
 * probe: as for return addresses, the instruction is the one before.
 */
static struct memprof_site_row *static_probe(struct memprof_session *s,
					     struct memprof_row *row,
					     struct memprof_task *t,
					     const struct memprof_point *p,
					     struct pt_regs *regs)
{
	unsigned long ptr, size, space;
	struct memprof_site_row *site;

	if (!static_arg(&p->args[0], regs, &ptr) ||
	    !static_arg(&p->args[1], regs, &size) ||
	    !static_arg(&p->args[2], regs, &space) || is_impossible(size)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNREADABLE);
		return NULL;
	}
	if (p->func == MEMPROF_FUNC_USDT_FREE) {
		call_free(s, row, t, ptr);
		return NULL;
	}
	if (!ptr)
		return NULL;
	space = clamp_t(u64, space, size, max_t(u64, size, MEMPROF_MAX_RATE));
	site = memprof_site_get(&s->heap->sites, row,
				instruction_pointer(regs) + 1, p->func);
	account_alloc(s, row, t, site, ptr, size, size ?
		      div64_u64(space << 16, size) : MEMPROF_ONE);
	t->last_ptr = ptr;
	return site;
}

/* The kernel follows no more returns of this task. */
static bool is_too_deep(void)
{
	return current->utask && current->utask->depth >= MAX_URETPROBE_DEPTH;
}

/* Notes the call; returns whether its return must be seen. */
static bool begin(struct memprof_session *s, struct memprof_row *row,
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
	allocates = read_request(call, regs);
	if (!allocates) {
		call_free(s, row, t, call->ptr);
		return false;
	}
	t->last_ptr = 0;
	call->sampled = memprof_sample(&s->heap->sampler, call->size);
	if (call->sampled)
		call->site = memprof_site_get(&s->heap->sites, row, callsite,
					      p->func);
	call->hooked = call->sampled;
	if (is_too_deep()) {
		if (call->sampled)
			memprof_count(s->counts,
				      MEMPROF_COUNT_UPROBE_NESTED_LIMIT);
		call->hooked = false;
		return false;
	}
	if (is_realloc(p->func) && call->ptr)
		take_old(s, row, call);
	call->hooked |= call->had_old;
	return call->hooked;
}

/*
 * The kernel's trampoline stands where a call had its return address: it was
 * hooked by us or by another tool. Once per process: ask the mapping that it
 * points into for its name.
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
 * Is this call a part of the one noted last? Certain when that one's return is
 * hooked. Else the note may be stale, and the word on the stack left over: a call
 * from the allocator itself comes from nearby, and a free inside a free is of the
 * same block.
 */
static bool is_nested(const struct memprof_task *t,
		      const struct memprof_point *p, struct pt_regs *regs,
		      unsigned long callsite)
{
	const struct memprof_call *call = &t->call;
	unsigned long sp = user_stack_pointer(regs);
	long distance = callsite - call->ip;

	if (!memprof_task_inside(t, sp, p))
		return false;
	/* what was reached by a jump goes back the same way */
	if (call->hooked)
		return sp != call->sp || !t->row->trampoline ||
		       callsite == t->row->trampoline;
	if (call->func == MEMPROF_FUNC_FREE)
		return p->func == MEMPROF_FUNC_FREE && p != call->point &&
		       call->ptr == memprof_arg(regs, 0);
	return abs(distance) < NEARBY ||
	       (p != call->point && sp == call->sp);
}

/* The target's rows; false when it cannot be followed. */
static bool find_rows(struct memprof_session *s, struct memprof_row **row,
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
 * memprof_heap_call() - a probed function begins
 * @s: session of the probe
 * @p: the probe
 * @regs: of user space, at the function's beginning
 *
 * In a uprobe handler. Return: whether its return must be seen.
 */
bool memprof_heap_call(struct memprof_session *s, const struct memprof_point *p,
		       struct pt_regs *regs)
{
	struct memprof_site_row *site = NULL;
	unsigned long callsite;
	struct memprof_task *t;
	struct memprof_row *row;
	bool hook = false;

	if (!find_rows(s, &row, &t))
		return false;
	if (!memprof_return_address(regs, &callsite)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNREADABLE);
		return false;
	}
	learn_trampoline(t, regs, t->call.sp);
	if (t->row == row && is_nested(t, p, regs, callsite)) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_NESTED);
		return false;
	}
	rcu_read_lock();
	abandon(s, t);
	if (p->func >= MEMPROF_FUNC_USDT_ALLOC) {
		site = static_probe(s, row, t, p, regs);
	} else {
		hook = begin(s, row, t, p, regs, callsite);
		if (hook && t->call.sampled)
			site = t->call.site;
	}
	rcu_read_unlock();
	if (site)
		memprof_site_locate(&s->heap->sites, site, current->mm);
	return hook;
}

static u64 result_of(const struct memprof_call *call, struct pt_regs *regs)
{
	unsigned long value = regs_return_value(regs), ptr;

	if (is_impossible(call->size))
		return 0;
	if (call->func != MEMPROF_FUNC_POSIX_MEMALIGN)
		return value;
	return !(int)value && memprof_user_word(call->ptr, &ptr) ? ptr : 0;
}

static void end(struct memprof_session *s, struct memprof_task *t, u64 ptr)
{
	struct memprof_call *call = &t->call;
	struct memprof_row *row = t->row;
	bool realloc = is_realloc(call->func) && call->ptr;
	u64 weight;

	/* libc frees at realloc(ptr, 0) and returns NULL */
	if (ptr || (realloc && !call->size)) {
		if (realloc && !call->had_old && s->heap->sampler.rate == 1)
			memprof_alloc_unknown_free(&row->alloc);
		free_old(s, t);
	} else {
		put_back(s, t);
	}
	if (!call->sampled || (!ptr && realloc && !call->size))
		return;
	weight = memprof_sample_weight(&s->heap->sampler, call->size);
	if (ptr)
		account_alloc(s, row, t, call->site, ptr, call->size, weight);
	else
		account_failed(s, row, t, call->site, weight);
}

/**
 * memprof_heap_return() - a probed function returns
 * @s: session of the probe
 * @p: the probe
 * @regs: of user space, after the return
 *
 * In a uprobe handler.
 */
void memprof_heap_return(struct memprof_session *s,
			 const struct memprof_point *p, struct pt_regs *regs)
{
	unsigned long sp = memprof_entry_sp(regs);
	struct memprof_task *t;
	u64 ptr;

	rcu_read_lock();
	t = memprof_task_find(&s->heap->tasks, current);
	rcu_read_unlock();
	if (!t || !t->call.sp || sp > t->call.sp) {
		memprof_count(s->counts, MEMPROF_COUNT_ALLOC_UNMATCHED);
		return;
	}
	/* what the call called itself */
	if (sp != t->call.sp || p != t->call.point)
		return;
	/* just popped, and still there */
	learn_trampoline(t, regs, sp);
	if (t->call.hooked) {
		ptr = result_of(&t->call, regs);
		rcu_read_lock();
		end(s, t, ptr);
		rcu_read_unlock();
		t->last_ptr = ptr;
	}
	t->call.sp = 0;
}

/**
 * memprof_heap_fork() - a process was forked
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
	if (row)
		memprof_alloc_fork(&child->alloc, &row->alloc);
}

/**
 * memprof_heap_task_exit() - the running thread exits
 * @s: published
 */
void memprof_heap_task_exit(struct memprof_session *s)
{
	struct memprof_task *t;

	t = s->heap ? memprof_task_find(&s->heap->tasks, current) : NULL;
	if (!t)
		return;
	abandon(s, t);
	memprof_task_put(&s->heap->tasks, t);
}

/**
 * memprof_heap_exit() - an address space ended that had blocks
 * @s: published
 */
void memprof_heap_exit(struct memprof_session *s)
{
	if (s->heap)
		queue_delayed_work(system_wq, &s->heap->sweep, SWEEP_DELAY);
}

/**
 * memprof_heap_inside() - the allocator call that the running task is inside of
 * @s: running
 * @row: its process
 * @join: filled
 *
 * Return: whether there is one.
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
	return true;
}

/**
 * memprof_heap_block() - the followed block that an address is in
 * @s: running
 * @row: its process
 * @addr: any
 * @join: filled
 *
 * Return: whether there is one.
 */
bool memprof_heap_block(struct memprof_session *s, struct memprof_row *row,
			u64 addr, struct memprof_join *join)
{
	struct memprof_found b;

	if (!memprof_live_at(&s->heap->live, row, addr, &b))
		return false;
	join->site = site_of(&b);
	join->callsite = join->site->address;
	join->size = b.size;
	return true;
}
