// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of growth: by how many bytes the address space that a process can access
 * changes, and how many it gives back. Return probes around brk, mmap, munmap, mremap,
 * mprotect, shmat, shmdt and madvise, and around what the kernel does when a stack grows.
 *
 * Cost: each call pays a kprobe and one match per running session. Only the
 * calls of targets pay for the return, and for a walk over the mappings that the call
 * replaces or removes.
 *
 * Exactness of the sums: For brk, each call adds the distance from the break
 * that is already in the sum to the break now, so the sum is right whatever
 * other threads do. The other calls add what can be accessed after the call, which the
 * arguments tell, less what could be accessed in that range before. What is only
 * reserved (PROT_NONE) counts when mprotect() makes it accessible, and mapping the same
 * again changes nothing. No other thread may use the range at the same time; a program
 * where one does has lost that memory anyway. A range whose mappings cannot be read
 * (counted as growth_overlapped) counts with its length if it is removed, and is
 * assumed to be unchanged if it is replaced.
 *
 * If all return hooks are in use, a call is not seen. The kernel counts such
 * calls, and a snapshot shows their number as growth_missed.
 */
#include "growth.h"
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include "heap.h"
#include "mapping.h"
#include "python.h"
#include "section-task.h"
#include "session.h"
#include "trace.h"

/* Calls on the machine that may wait for an mmap lock at the same time. */
#define MAX_ACTIVE 1024

/* A call between its entry and its return. */
struct growth_call {
	u32 sessions[MEMPROF_MAX_SESSIONS];	/* id by slot; 0: it skips the call */
	unsigned long brk, brk_after;
	unsigned long addr;
	s64 delta;			/* bytes, if the call succeeds */
	struct vm_area_struct *stack;	/* that grows; its lock is held */
	bool overlapped;		/* a range could not be read: delta is a guess */
	bool populates;			/* pages come without faults */
	bool skipped;			/* the return is not needed */
};

struct growth_probe {
	struct kretprobe rp;
	enum memprof_growth_op op;
	bool registered;
	/* reads the arguments: sets addr and delta */
	void (*enter)(struct growth_call *c, struct pt_regs *regs);
	/* NULL, or: completes addr and delta of a call that succeeded */
	void (*leave)(struct growth_call *c, unsigned long value);
	bool needed;			/* START fails without it */
};

/* What can be accessed of a range; @guess if that cannot be known. */
static s64 accessible(struct growth_call *c, unsigned long start, unsigned long len,
		      unsigned long guess)
{
	u64 bytes;

	if (memprof_mapping_access(start, PAGE_ALIGN(len), &bytes))
		return bytes;
	c->overlapped = true;
	return PAGE_ALIGN(guess);
}

static s64 added(unsigned long prot, unsigned long len)
{
	return prot & (PROT_READ | PROT_WRITE | PROT_EXEC) ? PAGE_ALIGN(len) : 0;
}

static void set_addr(struct growth_call *c, unsigned long value)
{
	c->addr = value;
}

static void enter_brk(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
}

/* vm_mmap_pgoff(file, addr, len, prot, flags, pgoff); exec calls it, too */
static void enter_mmap(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long addr = regs_get_kernel_argument(regs, 1);
	unsigned long len = regs_get_kernel_argument(regs, 2);
	unsigned long flags = regs_get_kernel_argument(regs, 4);

	c->populates = flags & (MAP_POPULATE | MAP_LOCKED) ||
		       READ_ONCE(current->mm->def_flags) & VM_LOCKED;
	c->delta = added(regs_get_kernel_argument(regs, 3), len);
	if (flags & MAP_FIXED)
		c->delta -= accessible(c, addr, len, c->delta);
}

static void remove_range(struct growth_call *c, unsigned long start,
			 unsigned long len)
{
	c->addr = start;
	/* the kernel refuses it */
	if (!offset_in_page(start))
		c->delta = -accessible(c, start, len, len);
}

/* __vm_munmap(start, len, ...): called by munmap() and by vm_munmap() */
static void enter_vm_munmap(struct growth_call *c, struct pt_regs *regs)
{
	remove_range(c, regs_get_kernel_argument(regs, 0),
		     regs_get_kernel_argument(regs, 1));
}

static void enter_munmap(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	remove_range(c, args[0], args[1]);
}

/*
 * mremap(addr, old_len, new_len, flags, new_addr). What could not be accessed cannot
 * after the move. A range of several mappings keeps its size. An old length of 0 maps
 * the same once more.
 */
static void enter_mremap(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6], old_len, new_len;
	s64 old;

	syscall_get_arguments(current, task_pt_regs(current), args);
	old_len = PAGE_ALIGN(args[1]);
	new_len = PAGE_ALIGN(args[2]);
	if (args[3] & MREMAP_FIXED)
		c->delta -= accessible(c, args[4], new_len, new_len);
	old = accessible(c, args[0], old_len ?: PAGE_SIZE, old_len ?: PAGE_SIZE);
	if (!old)
		return;
	if (old_len && !(args[3] & MREMAP_DONTUNMAP))
		c->delta -= old;
	c->delta += old_len == new_len ? old : (s64)new_len;
}

static void enter_mprotect(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];
	s64 after;

	syscall_get_arguments(current, task_pt_regs(current), args);
	after = added(args[2], args[1]);
	c->addr = args[0];
	c->delta = after - accessible(c, args[0], args[1], after);
}

/* Only what gives pages back counts. The address space does not change. */
static void enter_madvise(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
	c->delta = -(s64)PAGE_ALIGN(args[1]);
	c->skipped = args[2] != MADV_DONTNEED && args[2] != MADV_FREE &&
		     args[2] != MADV_REMOVE && args[2] != MADV_DONTNEED_LOCKED;
}

static void enter_shmat(struct growth_call *c, struct pt_regs *regs)
{
}

/* The segment tells its size. */
static void leave_shmat(struct growth_call *c, unsigned long value)
{
	struct memprof_mapping m;

	c->addr = value;
	if (!memprof_mapping_at(value, &m))
		c->overlapped = true;
	else if (m.access)
		c->delta = m.bytes;
}

static void enter_shmdt(struct growth_call *c, struct pt_regs *regs)
{
	struct memprof_mapping m;
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
	if (!memprof_mapping_at(args[0], &m))
		c->overlapped = true;
	else if (m.access && m.start == args[0])
		c->delta = -(s64)m.bytes;
}

/* expand_stack_locked(vma, address) */
static void enter_stack(struct growth_call *c, struct pt_regs *regs)
{
	c->stack = (struct vm_area_struct *)regs_get_kernel_argument(regs, 0);
	c->addr = c->stack->vm_start;
}

static void leave_stack(struct growth_call *c, unsigned long value)
{
	c->delta = c->addr - c->stack->vm_start;
	c->addr = c->stack->vm_start;
}

static int on_growth_entry(struct kretprobe_instance *ri, struct pt_regs *regs);
static int on_growth_return(struct kretprobe_instance *ri, struct pt_regs *regs);

#define GROWTH_PROBE(_op, _symbol, _enter, _leave, _needed)		\
	{ .rp = { .kp.symbol_name = (_symbol),				\
		  .entry_handler = on_growth_entry,			\
		  .handler = on_growth_return, .maxactive = MAX_ACTIVE,	\
		  .data_size = sizeof(struct growth_call) },		\
	  .op = MEMPROF_GROWTH_##_op, .enter = (_enter), .leave = (_leave),	\
	  .needed = (_needed) }

#ifdef CONFIG_X86_64
#define SYSCALL(name) "__x64_sys_" #name
#define COMPAT_SYSCALL(name) "__ia32_sys_" #name
#else
#define SYSCALL(name) "__arm64_sys_" #name
#define COMPAT_SYSCALL(name) "__arm64_compat_sys_" #name
#endif

static struct growth_probe probes[] = {
	GROWTH_PROBE(BRK, SYSCALL(brk), enter_brk, NULL, true),
	GROWTH_PROBE(BRK, COMPAT_SYSCALL(brk), enter_brk, NULL, false),
	GROWTH_PROBE(MMAP, "vm_mmap_pgoff", enter_mmap, set_addr, true),
	GROWTH_PROBE(MUNMAP, "__vm_munmap", enter_vm_munmap, NULL, false),
	/* only where __vm_munmap is not found: it may be inlined */
	GROWTH_PROBE(MUNMAP, SYSCALL(munmap), enter_munmap, NULL, true),
	GROWTH_PROBE(MREMAP, SYSCALL(mremap), enter_mremap, set_addr, true),
	GROWTH_PROBE(MREMAP, COMPAT_SYSCALL(mremap), enter_mremap, set_addr, false),
	GROWTH_PROBE(MPROTECT, SYSCALL(mprotect), enter_mprotect, NULL, true),
	GROWTH_PROBE(MPROTECT, COMPAT_SYSCALL(mprotect), enter_mprotect, NULL, false),
	GROWTH_PROBE(MPROTECT, SYSCALL(pkey_mprotect), enter_mprotect, NULL, false),
	GROWTH_PROBE(MPROTECT, COMPAT_SYSCALL(pkey_mprotect), enter_mprotect, NULL, false),
	GROWTH_PROBE(SHMAT, SYSCALL(shmat), enter_shmat, leave_shmat, false),
	GROWTH_PROBE(SHMDT, SYSCALL(shmdt), enter_shmdt, NULL, false),
	GROWTH_PROBE(MADVISE, SYSCALL(madvise), enter_madvise, NULL, false),
	GROWTH_PROBE(MADVISE, COMPAT_SYSCALL(madvise), enter_madvise, NULL, false),
	GROWTH_PROBE(STACK, "expand_stack_locked", enter_stack, leave_stack, false),
};

/* Both variables are written under the lock of all sessions. */
static u32 users;			/* running sessions with this stream */
static unsigned long missed_before;	/* by earlier registrations */

static struct growth_probe *probe_of_instance(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct growth_probe, rp) : NULL;
}

/**
 * memprof_growth_exec() - store the break that exec set: no growth is counted
 * @row: process of the running task, which has one thread
 */
void memprof_growth_exec(struct memprof_row *row)
{
	atomic64_set(&row->brk, current->mm->brk);
}

/* Returns non-zero if the kernel need not hook the return of this call. */
static int on_growth_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct growth_call *c = (struct growth_call *)ri->data;
	struct growth_probe *probe = probe_of_instance(ri);
	struct memprof_session *s;
	bool wanted = false;
	int slot;

	if (!probe || !current->mm || current->flags & PF_KTHREAD)
		return 1;
	memset(c, 0, sizeof(*c));
	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		if (!(s->streams & MEMPROF_START_GROWTH) ||
		    !memprof_target_match_current(&s->targets))
			continue;
		memprof_session_add_process(s, current->mm, current);
		c->sessions[slot] = s->id;
		wanted = true;
	}
	rcu_read_unlock();
	if (!wanted)
		return 1;
	c->brk = READ_ONCE(current->mm->brk);
	probe->enter(c, regs);
	return c->skipped;
}

static void charge_and_trace(struct memprof_session *s,
			     const struct growth_call *c,
			     struct memprof_row *row, enum memprof_growth_op op,
			     s64 delta)
{
	struct cgroup *cgrp = task_dfl_cgroup(current);
	struct memprof_join join;
	struct memprof_growth_event e = {
		.addr = c->addr,
		.callsite = instruction_pointer(task_pt_regs(current)),
		.cgroup = cgroup_id(cgrp),
		.op = op,
		.session = s->id,
		.pid = current->tgid,
	};

	memprof_tally_growth(&memprof_cgroup_get(&s->cgroups, cgrp)->tally, op,
			     delta);
	if (op == MEMPROF_GROWTH_MADVISE)
		e.released = -delta;
	else
		memprof_section_add(s, MEMPROF_SUM_GROWN, delta);
	if (memprof_heap_inside(s, row, &join)) {
		memprof_site_grow(join.site, op, delta);
		e.callsite = join.callsite;
		e.size = join.size;
	}
	if (!trace_growth_enabled())
		return;
	e.after = op == MEMPROF_GROWTH_BRK ? c->brk_after :
		  (u64)READ_ONCE(current->mm->total_vm) << PAGE_SHIFT;
	e.before = e.after - (e.released ? 0 : delta);
	memprof_python_trace(s, e.before);
	trace_growth(&e);
}

/*
 * Sets row->brk to the current break, and returns the difference. The break is
 * read after row->brk, so the last of several concurrent calls adds all that is
 * missing.
 */
static s64 advance_brk(struct memprof_row *row, struct growth_call *c)
{
	s64 old, now;

	if (row->state == MEMPROF_ROW_SPECIAL)
		return (s64)(c->brk_after - c->brk);
	old = atomic64_read(&row->brk);
	do {
		/* pairs with the full barrier in another call's cmpxchg */
		smp_rmb();
		now = READ_ONCE(current->mm->brk);
	} while (!atomic64_try_cmpxchg(&row->brk, &old, now));
	c->brk_after = now;
	return now - old;
}

static void account_growth(struct memprof_session *s, struct growth_call *c,
			   enum memprof_growth_op op)
{
	struct memprof_row *row =
		memprof_process_get(&s->processes, current->mm, current);
	s64 delta = op == MEMPROF_GROWTH_BRK ? advance_brk(row, c) : c->delta;

	if (c->overlapped)
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_OVERLAPPED);
	if (!delta) {
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_UNCHANGED);
		return;
	}
	if (c->populates)
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_POPULATED);
	memprof_process_observe(row, current->mm);
	memprof_tally_growth(&row->tally, op, delta);
	charge_and_trace(s, c, row, op, delta);
}

static bool returns_int(enum memprof_growth_op op)
{
	return op == MEMPROF_GROWTH_MUNMAP || op == MEMPROF_GROWTH_STACK;
}

static int on_growth_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct growth_call *c = (struct growth_call *)ri->data;
	unsigned long value = regs_return_value(regs);
	struct growth_probe *probe = probe_of_instance(ri);
	struct memprof_session *s;
	bool failed;
	int slot;

	if (!probe || !current->mm)
		return 0;
	c->brk_after = READ_ONCE(current->mm->brk);
	if (returns_int(probe->op))
		value = (int)value;
	failed = IS_ERR_VALUE(value);
	if (!failed && probe->leave)
		probe->leave(c, value);
	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		if (!c->sessions[slot])
			continue;
		/* another session may use this slot now */
		if (c->sessions[slot] != s->id)
			memprof_count(s->counts, MEMPROF_COUNT_SESSION_CHANGED);
		else if (failed)
			memprof_count(s->counts, MEMPROF_COUNT_GROWTH_FAILED);
		else
			account_growth(s, c, probe->op);
	}
	rcu_read_unlock();
	return 0;
}

static void unregister_growth_probe(struct growth_probe *probe)
{
	unregister_kretprobe(&probe->rp);
	missed_before += probe->rp.nmissed + probe->rp.kp.nmissed;
	probe->registered = false;
	probe->rp.nmissed = 0;
	probe->rp.kp.nmissed = 0;
}

static void unregister_growth_probes(void)
{
	struct growth_probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		if (probe->registered)
			unregister_growth_probe(probe);
}

static int register_growth_probe(struct growth_probe *probe)
{
	int err;

	/* remove the values of an earlier or a failed registration */
	probe->rp.kp.addr = NULL;
	probe->rp.kp.flags = 0;
	err = register_kretprobe(&probe->rp);
	probe->registered = !err;
	return err;
}

static int register_growth_probes(void)
{
	struct growth_probe *probe;
	bool munmap = false;
	int err;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++) {
		/* the system call munmap calls __vm_munmap: do not hook both */
		if (probe->op == MEMPROF_GROWTH_MUNMAP && munmap)
			continue;
		err = register_growth_probe(probe);
		if (err && (probe->needed || err != -ENOENT)) {
			unregister_growth_probes();
			return err == -ENOENT ? -EOPNOTSUPP : err;
		}
		if (!err && probe->op == MEMPROF_GROWTH_MUNMAP)
			munmap = true;
	}
	return 0;
}

/* The lock of all sessions is held, here and in put_growth_probes(). */
static int get_growth_probes(void)
{
	int err = users ? 0 : register_growth_probes();

	if (!err)
		users++;
	return err;
}

static void put_growth_probes(void)
{
	if (!--users)
		unregister_growth_probes();
}

/* Number of calls that were not seen because all return hooks were in use. */
static unsigned long missed_growth_calls(void)
{
	unsigned long n = READ_ONCE(missed_before);
	struct growth_probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		n += probe->rp.nmissed + probe->rp.kp.nmissed;
	return n;
}

const struct memprof_stream_ops memprof_growth_stream = {
	.flag = MEMPROF_START_GROWTH,
	.features = IS_ENABLED(CONFIG_KRETPROBES) ? MEMPROF_FEATURE_GROWTH : 0,
	.missed_count = MEMPROF_COUNT_GROWTH_MISSED,
	.hook = get_growth_probes,
	.unhook = put_growth_probes,
	.missed = missed_growth_calls,
};
