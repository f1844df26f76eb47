// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream of growth: return probes around brk, mmap, munmap and mremap.
 *
 * Cost: each call pays a kprobe and one match per running session. Only the
 * calls of targets pay for the return, too.
 *
 * Exactness of the sums: For brk, each call adds the distance from the break
 * that is already in the sum to the break now, so the sum is right whatever
 * other threads do. For mappings, "after - before" is one of these:
 *  - the length in the arguments, where the arguments alone decide: mmap of a
 *    new range, mremap that enlarges and neither replaces nor keeps a mapping;
 *  - else the change of mm->total_vm, when no other growth call ran in this
 *    address space at the same time;
 *  - else (counted as growth_overlapped) the length in the arguments for munmap
 *    and mremap, which is right unless the range had holes, and 0 for a mapping
 *    over others, which most often commits a part of a reservation.
 * Known error: a fault of another thread may extend a stack while a call of the
 * second kind runs. The call is charged with that, too.
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
#include "section-task.h"
#include "session.h"
#include "trace.h"

/* Calls on the machine that may wait for an mmap lock at the same time. */
#define MAX_ACTIVE 1024

/* The data of one session for a call between its entry and its return. */
struct growth_view {
	u32 session;			/* id; 0: the session skips the call */
	int seq;			/* row->calls.seq at the entry */
	bool tracked;			/* the process has its own row */
	bool alone;			/* no other call ran at the entry */
};

/* A call between its entry and its return. */
struct growth_call {
	struct growth_view views[MEMPROF_MAX_SESSIONS];	/* by slot */
	unsigned long brk, total_vm;	/* at the entry; bytes, pages */
	unsigned long brk_after, total_vm_after;
	unsigned long addr;
	s64 length;			/* in the arguments, bytes */
	bool sure;			/* length is exactly the growth */
	bool populates;			/* pages come without faults */
};

struct growth_probe {
	struct kretprobe rp;
	enum memprof_growth_op op;
	bool registered;
	/* fills in addr, length and sure */
	void (*args)(struct growth_call *c, struct pt_regs *regs);
	bool needed;			/* START fails without it */
};

static void read_brk_args(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
}

/* vm_mmap_pgoff(file, addr, len, prot, flags, pgoff); exec calls it, too */
static void read_mmap_args(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long len = regs_get_kernel_argument(regs, 2);
	unsigned long flags = regs_get_kernel_argument(regs, 4);

	c->sure = !(flags & (MAP_FIXED | MAP_HUGETLB));
	c->populates = flags & (MAP_POPULATE | MAP_LOCKED) ||
		       READ_ONCE(current->mm->def_flags) & VM_LOCKED;
	c->length = flags & MAP_FIXED ? 0 : PAGE_ALIGN(len);
}

/* __vm_munmap(start, len, ...): called by munmap() and by vm_munmap() */
static void read_vm_munmap_args(struct growth_call *c, struct pt_regs *regs)
{
	c->addr = regs_get_kernel_argument(regs, 0);
	c->length = -(s64)PAGE_ALIGN(regs_get_kernel_argument(regs, 1));
}

static void read_munmap_args(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->addr = args[0];
	c->length = -(s64)PAGE_ALIGN(args[1]);
}

static void read_mremap_args(struct growth_call *c, struct pt_regs *regs)
{
	unsigned long args[6];

	syscall_get_arguments(current, task_pt_regs(current), args);
	c->length = (s64)PAGE_ALIGN(args[2]) - (s64)PAGE_ALIGN(args[1]);
	if (args[3] & MREMAP_DONTUNMAP)
		c->length = PAGE_ALIGN(args[2]);
	/* the part that is cut off may have holes or huge pages */
	c->sure = c->length > 0 &&
		  !(args[3] & (MREMAP_FIXED | MREMAP_DONTUNMAP));
}

static int on_growth_entry(struct kretprobe_instance *ri, struct pt_regs *regs);
static int on_growth_return(struct kretprobe_instance *ri, struct pt_regs *regs);

#define GROWTH_PROBE(_op, _symbol, _args, _needed)			\
	{ .rp = { .kp.symbol_name = (_symbol),				\
		  .entry_handler = on_growth_entry,			\
		  .handler = on_growth_return, .maxactive = MAX_ACTIVE,	\
		  .data_size = sizeof(struct growth_call) },		\
	  .op = MEMPROF_GROWTH_##_op, .args = (_args), .needed = (_needed) }

#ifdef CONFIG_X86_64
#define SYSCALL(name) "__x64_sys_" #name
#define COMPAT_SYSCALL(name) "__ia32_sys_" #name
#else
#define SYSCALL(name) "__arm64_sys_" #name
#define COMPAT_SYSCALL(name) "__arm64_compat_sys_" #name
#endif

static struct growth_probe probes[] = {
	GROWTH_PROBE(BRK, SYSCALL(brk), read_brk_args, true),
	GROWTH_PROBE(BRK, COMPAT_SYSCALL(brk), read_brk_args, false),
	GROWTH_PROBE(MMAP, "vm_mmap_pgoff", read_mmap_args, true),
	GROWTH_PROBE(MUNMAP, "__vm_munmap", read_vm_munmap_args, false),
	/* only where __vm_munmap is not found: it may be inlined */
	GROWTH_PROBE(MUNMAP, SYSCALL(munmap), read_munmap_args, true),
	GROWTH_PROBE(MREMAP, SYSCALL(mremap), read_mremap_args, true),
	GROWTH_PROBE(MREMAP, COMPAT_SYSCALL(mremap), read_mremap_args, false),
};

/* Both variables are written under the lock of all sessions. */
static u32 users;			/* running sessions with this stream */
static unsigned long missed_before;	/* by earlier registrations */

static struct growth_probe *probe_of_instance(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct growth_probe, rp) : NULL;
}

static void begin_growth_call(struct memprof_session *s, struct growth_view *v)
{
	struct memprof_row *row = memprof_session_add_process(s, current->mm, current);

	v->session = s->id;
	v->tracked = row->state != MEMPROF_ROW_SPECIAL;
	if (!v->tracked)
		return;
	v->alone = atomic_inc_return(&row->calls.nr) == 1;
	v->seq = atomic_inc_return(&row->calls.seq);
}

/* Whether no other growth call ran in the address space during this call. */
static bool ran_alone(const struct growth_view *v, struct memprof_row *row)
{
	return v->tracked && v->alone && atomic_read(&row->calls.seq) == v->seq;
}

static void end_growth_overlap(struct memprof_session *s, const struct growth_view *v,
			       struct memprof_row *row)
{
	if (v->tracked && atomic_dec_return(&row->calls.nr) < 0)
		memprof_session_fail(s, "more growth calls ended than began");
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
		begin_growth_call(s, &c->views[slot]);
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

/* The growth of mappings in bytes, as the head of this file explains. */
static s64 mapping_delta(struct memprof_session *s, const struct growth_call *c,
			 bool alone)
{
	if (c->sure)
		return c->length;
	if (alone)
		return (s64)(c->total_vm_after - c->total_vm) * (s64)PAGE_SIZE;
	memprof_count(s->counts, MEMPROF_COUNT_GROWTH_OVERLAPPED);
	return c->length;
}

static void account_growth(struct memprof_session *s, struct growth_call *c,
			   struct memprof_row *row, enum memprof_growth_op op,
			   bool alone)
{
	s64 delta = op == MEMPROF_GROWTH_BRK ? advance_brk(row, c) :
					       mapping_delta(s, c, alone);

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

static void end_growth_call(struct memprof_session *s, struct growth_call *c,
			    const struct growth_view *v, enum memprof_growth_op op,
			    unsigned long value)
{
	struct memprof_row *row =
		memprof_process_get(&s->processes, current->mm, current);

	if (IS_ERR_VALUE(value))
		memprof_count(s->counts, MEMPROF_COUNT_GROWTH_FAILED);
	else
		account_growth(s, c, row, op, ran_alone(v, row));
	end_growth_overlap(s, v, row);
}

static int on_growth_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct growth_call *c = (struct growth_call *)ri->data;
	unsigned long value = regs_return_value(regs);
	struct growth_probe *probe = probe_of_instance(ri);
	struct memprof_session *s;
	int slot;

	if (!probe || !current->mm)
		return 0;
	/* read sizes before ran_alone(), which detects calls up to then */
	c->brk_after = READ_ONCE(current->mm->brk);
	c->total_vm_after = READ_ONCE(current->mm->total_vm);
	if (probe->op == MEMPROF_GROWTH_MUNMAP)
		value = (int)value;	/* munmap functions return an int */
	else if (probe->op != MEMPROF_GROWTH_BRK)
		c->addr = value;
	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		struct growth_view *v = &c->views[slot];

		if (!v->session)
			continue;
		/* another session may use this slot now */
		if (v->session == s->id)
			end_growth_call(s, c, v, probe->op, value);
		else
			memprof_count(s->counts, MEMPROF_COUNT_SESSION_CHANGED);
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
