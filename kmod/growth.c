// SPDX-License-Identifier: GPL-2.0-only
/*
 * Return probes around the four calls. Cost: a match per call and running
 * session; only for targets the return is hooked too.
 *
 * How exact. The break: each call adds what is between the break as far as it
 * was added up and the break now, so the sum is right whatever threads do. For
 * mappings, "after - before" is
 *  - what the arguments say, where they say it all: mmap of a new place, mremap
 *    that enlarges and neither replaces nor keeps a mapping;
 *  - else the change of mm->total_vm, when no other growth call ran in this
 *    address space meanwhile;
 *  - else (counted as growth_overlapped) the length in the arguments, which is
 *    right unless the range had holes; or nothing for a mapping over others,
 *    which most often commits a part of a reservation.
 * Admitted: a stack that another thread's fault extends during the second kind
 * is charged to the call.
 *
 * A call that found all return hooks taken is lost, and counted by the kernel.
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
#include "section-task.h"
#include "session.h"
#include "trace.h"

/* Calls that may sleep on a mmap lock at once, on the machine. */
#define MAX_ACTIVE 1024

/* A session's view of a call in flight. */
struct view {
	u32 session;			/* its id; 0: does not want it */
	int seq;			/* of the process's calls */
	bool tracked;			/* the process has a row of its own */
	bool alone;			/* so far */
};

/* A call in flight: from its entry to its return. */
struct call {
	struct view views[MEMPROF_MAX_SESSIONS];	/* by slot */
	unsigned long brk, total_vm;	/* before; bytes, pages */
	unsigned long brk_after, total_vm_after;
	unsigned long addr;
	s64 length;			/* what the arguments say, bytes */
	bool sure;			/* and they say it all */
};

struct probe {
	struct kretprobe rp;
	enum memprof_growth_op op;
	bool registered;
	/* fills addr, length and sure */
	void (*args)(struct call *c, struct pt_regs *regs);
	bool needed;			/* the native call: never without it */
};

static void brk_args(struct call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
}

/* vm_mmap_pgoff(file, addr, len, prot, flags, pgoff): exec's mappings too */
static void mmap_args(struct call *c, struct pt_regs *regs)
{
	unsigned long len = regs_get_kernel_argument(regs, 2);
	unsigned long flags = regs_get_kernel_argument(regs, 4);

	c->sure = !(flags & (MAP_FIXED | MAP_HUGETLB));
	c->length = flags & MAP_FIXED ? 0 : PAGE_ALIGN(len);
}

/* __vm_munmap(start, len, ...): the system call and vm_munmap() */
static void munmap_args(struct call *c, struct pt_regs *regs)
{
	c->addr = regs_get_kernel_argument(regs, 0);
	c->length = -(s64)PAGE_ALIGN(regs_get_kernel_argument(regs, 1));
}

static void munmap_syscall_args(struct call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
	c->length = -(s64)PAGE_ALIGN(args[1]);
}

static void mremap_args(struct call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->length = (s64)PAGE_ALIGN(args[2]) - (s64)PAGE_ALIGN(args[1]);
	if (args[3] & MREMAP_DONTUNMAP)
		c->length = PAGE_ALIGN(args[2]);
	/* what is cut off may have holes, or be of huge pages */
	c->sure = c->length > 0 &&
		  !(args[3] & (MREMAP_FIXED | MREMAP_DONTUNMAP));
}

static int entry(struct kretprobe_instance *ri, struct pt_regs *regs);
static int ret(struct kretprobe_instance *ri, struct pt_regs *regs);

#define PROBE(_op, _symbol, _args, _needed)				\
	{ .rp = { .kp.symbol_name = (_symbol), .entry_handler = entry,	\
		  .handler = ret, .maxactive = MAX_ACTIVE,		\
		  .data_size = sizeof(struct call) },			\
	  .op = MEMPROF_GROWTH_##_op, .args = (_args), .needed = (_needed) }

#ifdef CONFIG_X86_64
#define SYSCALL(name) "__x64_sys_" #name
#define COMPAT_SYSCALL(name) "__ia32_sys_" #name
#else
#define SYSCALL(name) "__arm64_sys_" #name
#define COMPAT_SYSCALL(name) "__arm64_compat_sys_" #name
#endif

static struct probe probes[] = {
	PROBE(BRK, SYSCALL(brk), brk_args, true),
	PROBE(BRK, COMPAT_SYSCALL(brk), brk_args, false),
	PROBE(MMAP, "vm_mmap_pgoff", mmap_args, true),
	PROBE(MUNMAP, "__vm_munmap", munmap_args, false),
	/* in the place of the one before, which may be inlined */
	PROBE(MUNMAP, SYSCALL(munmap), munmap_syscall_args, true),
	PROBE(MREMAP, SYSCALL(mremap), mremap_args, true),
	PROBE(MREMAP, COMPAT_SYSCALL(mremap), mremap_args, false),
};

static u32 users;			/* under the lock of all sessions */
static unsigned long missed_before;	/* by probes that are gone; the same */

static struct probe *probe_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct probe, rp) : NULL;
}

static void begin(struct memprof_session *s, struct view *v)
{
	struct memprof_row *row = memprof_session_add_process(s, current->mm, current);

	v->session = s->id;
	v->tracked = row->state != MEMPROF_ROW_SPECIAL;
	if (!v->tracked)
		return;
	v->alone = atomic_inc_return(&row->calls.nr) == 1;
	v->seq = atomic_inc_return(&row->calls.seq);
	/* what moved it unseen, such as exec, is not this call's */
	if (v->alone)
		atomic64_set(&row->brk, current->mm->brk);
}

/* Was this the only growth call in its address space from entry to return? */
static bool was_alone(const struct view *v, struct memprof_row *row)
{
	return v->tracked && v->alone && atomic_read(&row->calls.seq) == v->seq;
}

/* Last of all: until here nobody who begins is alone, nor seeds row->brk. */
static void finish(struct memprof_session *s, const struct view *v,
		   struct memprof_row *row)
{
	if (v->tracked && atomic_dec_return(&row->calls.nr) < 0)
		memprof_session_fail(s, "more growth calls ended than began");
}

/* Returns non-zero to leave the return of this call unhooked. */
static int entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;
	struct probe *probe = probe_of(ri);
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
		begin(s, &c->views[slot]);
		wanted = true;
	}
	rcu_read_unlock();
	if (!wanted)
		return 1;
	probe->args(c, regs);
	c->brk = READ_ONCE(current->mm->brk);
	c->total_vm = READ_ONCE(current->mm->total_vm);
	return 0;
}

static void report(struct memprof_session *s, const struct call *c,
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
	memprof_section_add(s, MEMPROF_SUM_GROWN, delta);
	if (memprof_heap_inside(s, row, &join)) {
		atomic64_add(delta, &join.site->growth);
		e.callsite = join.callsite;
		e.size = join.size;
	}
	if (!trace_growth_enabled())
		return;
	e.after = op == MEMPROF_GROWTH_BRK ? c->brk_after :
		  (u64)c->total_vm_after << PAGE_SHIFT;
	e.before = e.after - delta;
	trace_growth(&e);
}

/*
 * Whoever moves row->brk adds the way it moved, up to a break that was read
 * after row->brk: the last of concurrent calls leaves nothing out.
 */
static s64 brk_delta(struct memprof_row *row, struct call *c)
{
	s64 old, now;

	if (row->state == MEMPROF_ROW_SPECIAL)
		return (s64)(c->brk_after - c->brk);
	old = atomic64_read(&row->brk);
	do {
		/* pairs with a full barrier in the other's cmpxchg */
		smp_rmb();
		now = READ_ONCE(current->mm->brk);
	} while (!atomic64_try_cmpxchg(&row->brk, &old, now));
	c->brk_after = now;
	return now - old;
}

/* By how much the call changed the mappings, as the file's head says. */
static s64 vm_delta(struct memprof_session *s, const struct call *c, bool alone)
{
	if (c->sure)
		return c->length;
	if (alone)
		return (s64)(c->total_vm_after - c->total_vm) * (s64)PAGE_SIZE;
	memprof_count(s->counts, MEMPROF_COUNT_GROWTH_OVERLAPPED);
	return c->length;
}

static void account(struct memprof_session *s, struct call *c,
		    struct memprof_row *row, enum memprof_growth_op op,
		    bool alone)
{
	s64 delta = op == MEMPROF_GROWTH_BRK ? brk_delta(row, c) :
					       vm_delta(s, c, alone);

	if (!delta) {
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_UNCHANGED);
		return;
	}
	memprof_process_observe(row, current->mm);
	memprof_tally_growth(&row->tally, op, delta);
	report(s, c, row, op, delta);
}

static void end(struct memprof_session *s, struct call *c,
		const struct view *v, enum memprof_growth_op op,
		unsigned long value)
{
	struct memprof_row *row =
		memprof_process_get(&s->processes, current->mm, current);

	if (IS_ERR_VALUE(value))
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_FAILED);
	else
		account(s, c, row, op, was_alone(v, row));
	finish(s, v, row);
}

static int ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *c = (struct call *)ri->data;
	unsigned long value = regs_return_value(regs);
	struct probe *probe = probe_of(ri);
	struct memprof_session *s;
	int slot;

	if (!probe || !current->mm)
		return 0;
	/* before was_alone(): who comes later must be seen by it */
	c->brk_after = READ_ONCE(current->mm->brk);
	c->total_vm_after = READ_ONCE(current->mm->total_vm);
	if (probe->op == MEMPROF_GROWTH_MUNMAP)
		value = (int)value;	/* what it returns; the rest is junk */
	else if (probe->op != MEMPROF_GROWTH_BRK)
		c->addr = value;
	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		struct view *v = &c->views[slot];

		if (!v->session)
			continue;
		/* another session may have come to this slot meanwhile */
		if (v->session == s->id)
			end(s, c, v, probe->op, value);
		else
			memprof_count(s->counts, MEMPROF_COUNT_SESSION_CHANGED);
	}
	rcu_read_unlock();
	return 0;
}

static void unregister(struct probe *probe)
{
	unregister_kretprobe(&probe->rp);
	missed_before += probe->rp.nmissed + probe->rp.kp.nmissed;
	probe->registered = false;
	probe->rp.nmissed = 0;
	probe->rp.kp.nmissed = 0;
}

static void unregister_all(void)
{
	struct probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		if (probe->registered)
			unregister(probe);
}

static int add(struct probe *probe)
{
	int err;

	/* what an earlier one, or a failure, left behind */
	probe->rp.kp.addr = NULL;
	probe->rp.kp.flags = 0;
	err = register_kretprobe(&probe->rp);
	probe->registered = !err;
	return err;
}

static int register_all(void)
{
	struct probe *probe;
	bool munmap = false;
	int err;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++) {
		/* __vm_munmap catches the system call as well: never both */
		if (probe->op == MEMPROF_GROWTH_MUNMAP && munmap)
			continue;
		err = add(probe);
		if (err && (probe->needed || err != -ENOENT)) {
			unregister_all();
			return err == -ENOENT ? -EOPNOTSUPP : err;
		}
		if (!err && probe->op == MEMPROF_GROWTH_MUNMAP)
			munmap = true;
	}
	return 0;
}

/* The lock of all sessions is held, here and in release_hooks(). */
static int take_hooks(void)
{
	int err = users ? 0 : register_all();

	if (!err)
		users++;
	return err;
}

static void release_hooks(void)
{
	if (!--users)
		unregister_all();
}

/* Calls that found all return hooks taken. */
static unsigned long missed_calls(void)
{
	unsigned long n = READ_ONCE(missed_before);
	struct probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		n += probe->rp.nmissed + probe->rp.kp.nmissed;
	return n;
}

const struct memprof_stream_ops memprof_growth_stream = {
	.flag = MEMPROF_START_GROWTH,
	.features = IS_ENABLED(CONFIG_KRETPROBES) ? MEMPROF_FEATURE_GROWTH : 0,
	.missed_count = MEMPROF_COUNT_GROWTH_MISSED,
	.hook = take_hooks,
	.unhook = release_hooks,
	.missed = missed_calls,
};
