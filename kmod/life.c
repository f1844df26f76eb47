// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks on fork, exec, exit and cgroup moves, and on the end of an address
 * space. Every session needs them, and so does an open file with sections.
 *
 * The order of events. exec: exit_mmap(old mm), then sched_process_exec with the
 * new mm in current. exit: exit_mmap, then sched_process_exit without an mm; newer
 * kernels have these in the other order, and nothing here depends on it.
 * exit_mmap is the last moment when the sizes of an address space are complete.
 *
 * Cost: a match per running session and event; no cost if the hooks are
 * not in use. When kprobes miss an exit_mmap, two snapshots a second apart find
 * the address space without users (counted as hook_missed).
 */
#include "life.h"
#include <linux/binfmts.h>
#include <linux/cgroup.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>
#include "growth.h"
#include "heap.h"
#include "probe.h"
#include "python.h"
#include "section-task.h"
#include "session.h"

static DEFINE_MUTEX(users_lock);
static u32 users;			/* users_lock */
/* Misses of earlier registrations of the kprobe; users_lock. */
static unsigned long missed_before;

static void on_task_fork(void *data, struct task_struct *parent,
			 struct task_struct *child)
{
	struct memprof_session *s;
	struct memprof_row *row;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		memprof_target_fork(&s->targets, parent, child);
		if (!child->mm || child->mm == parent->mm ||
		    child->flags & PF_KTHREAD ||
		    !memprof_target_match(&s->targets, child))
			continue;
		row = memprof_session_add_process(s, child->mm, child);
		/* CLONE_INTO_CGROUP: fork copied no breakpoints */
		if (s->streams & MEMPROF_START_ALLOC &&
		    !memprof_target_match(&s->targets, parent))
			memprof_probes_refilter(s, child->mm);
		memprof_heap_fork(s, parent->mm, row);
		memprof_python_fork(s, parent->mm, row);
	}
	rcu_read_unlock();
}

static void on_task_exec(void *data, struct task_struct *task, pid_t old_pid,
			 struct linux_binprm *bprm)
{
	struct memprof_session *s;
	int slot;

	memprof_section_task_end(task);
	rcu_read_lock();
	memprof_for_each_session(slot, s)
		if (memprof_target_match(&s->targets, task))
			memprof_growth_exec(memprof_session_add_process(s,
							task->mm, task));
	rcu_read_unlock();
}

static void on_task_exit(void *data, struct task_struct *task)
{
	struct memprof_session *s;
	int slot;

	memprof_section_task_end(task);
	rcu_read_lock();
	memprof_for_each_published(slot, s) {
		memprof_heap_task_exit(s);
		if (!atomic_read(&task->signal->live))
			memprof_target_exit(&s->targets, task);
	}
	rcu_read_unlock();
}

/* Newer kernels pass one more argument: whether this was the last thread. */
static void on_group_exit(void *data, struct task_struct *task, bool last)
{
	on_task_exit(data, task);
}

/* The callback whose arguments are those of this kernel's tracepoint. */
#define EXIT_PROBE							\
	__builtin_choose_expr(__builtin_types_compatible_p(		\
		typeof(check_trace_callback_type_sched_process_exit),	\
		void (void (*)(void *, struct task_struct *, bool))),	\
			      on_group_exit, on_task_exit)

/* Subtracts the growth of a process from the cgroup that the process leaves. */
static void take_growth(struct memprof_session *s, struct cgroup *to,
			struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);
	struct memprof_ended left;
	struct memprof_row *row;

	row = mm && thread_group_leader(task) ?
	      memprof_process_find(&s->processes, mm) : NULL;
	if (!row || READ_ONCE(row->cgroup) == cgroup_id(to))
		return;
	memprof_process_move(&s->processes, row, cgroup_id(to), &left);
	memprof_tally_take(&memprof_cgroup_find(&s->cgroups, left.cgroup)->tally,
			   &left.grown);
}

/* A process that moves into a target cgroup may have mapped probed files. */
static void on_cgroup_attach(void *data, struct cgroup *to, const char *path,
			     struct task_struct *task, bool threadgroup)
{
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		if (to->root == &cgrp_dfl_root)
			take_growth(s, to, task);
		if (s->streams & MEMPROF_START_ALLOC && s->targets.nr_cgroups &&
		    memprof_target_match(&s->targets, task))
			memprof_probes_refilter(s, READ_ONCE(task->mm));
	}
	rcu_read_unlock();
}

static void on_cgroup_mkdir(void *data, struct cgroup *cgrp, const char *path)
{
	struct memprof_session *s;
	int slot;

	/* hierarchies of version 1 have paths of their own */
	if (cgrp->root != &cgrp_dfl_root)
		return;
	rcu_read_lock();
	memprof_for_each_session(slot, s)
		if (!memprof_target_mkdir(&s->targets, cgrp, path))
			memprof_count(s->counts, MEMPROF_COUNT_TARGET_LOST);
	rcu_read_unlock();
}

static int on_exit_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct mm_struct *mm = (void *)regs_get_kernel_argument(regs, 0);
	struct memprof_ended ended;
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_published(slot, s) {
		if (!memprof_process_exit(&s->processes, mm, &ended))
			continue;
		memprof_tally_take(&memprof_cgroup_find(&s->cgroups,
							ended.cgroup)->tally,
				   &ended.grown);
		if (ended.blocks)
			memprof_heap_exit(s);
	}
	rcu_read_unlock();
	return 0;
}

static struct kprobe exit_mmap_probe = {
	.symbol_name = "exit_mmap",
	.pre_handler = on_exit_mmap,
};

static struct life_hook {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} hooks[] = {
	{ "sched_process_fork", on_task_fork },
	{ "sched_process_exec", on_task_exec },
	{ "sched_process_exit", EXIT_PROBE },
	{ "cgroup_attach_task", on_cgroup_attach },
	{ "cgroup_mkdir", on_cgroup_mkdir },
};

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(tp->name, hooks[i].name))
			hooks[i].tp = tp;
}

/* Finds tracepoints by their names, because the kernel does not export them. */
static int find_tracepoints(void)
{
	int i;

	check_trace_callback_type_sched_process_fork(on_task_fork);
	check_trace_callback_type_sched_process_exec(on_task_exec);
	check_trace_callback_type_sched_process_exit(EXIT_PROBE);
	check_trace_callback_type_cgroup_attach_task(on_cgroup_attach);
	check_trace_callback_type_cgroup_mkdir(on_cgroup_mkdir);
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!hooks[i].tp)
			return -EOPNOTSUPP;
	return 0;
}

static void unregister_tracepoints(int nr)
{
	while (nr--)
		tracepoint_probe_unregister(hooks[nr].tp, hooks[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int register_hooks(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = tracepoint_probe_register(hooks[i].tp, hooks[i].probe,
						NULL);
		if (err)
			goto unregister;
	}
	/* remove the values of an earlier or a failed registration */
	exit_mmap_probe.addr = NULL;
	exit_mmap_probe.flags = 0;
	err = register_kprobe(&exit_mmap_probe);
	if (!err)
		return 0;
unregister:
	unregister_tracepoints(i);
	return err;
}

/**
 * memprof_life_get() - take one use of the hooks
 *
 * Sessions use them, and open files that have had sections. The first use
 * registers the hooks.
 *
 * Return: 0 or the errno of the hook that failed.
 */
int memprof_life_get(void)
{
	int err;

	mutex_lock(&users_lock);
	err = users ? 0 : register_hooks();
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	return err;
}

/**
 * memprof_life_put() - give back one use of the hooks
 */
void memprof_life_put(void)
{
	mutex_lock(&users_lock);
	if (!--users) {
		unregister_kprobe(&exit_mmap_probe);
		missed_before += exit_mmap_probe.nmissed;
		exit_mmap_probe.nmissed = 0;
		unregister_tracepoints(ARRAY_SIZE(hooks));
	}
	mutex_unlock(&users_lock);
}

/* Number of ends of address spaces that the kprobe did not see. */
static unsigned long missed_ends(void)
{
	return READ_ONCE(missed_before) + exit_mmap_probe.nmissed;
}

const struct memprof_stream_ops memprof_life_stream = {
	.missed_count = MEMPROF_COUNT_HOOK_MISSED,
	.init = find_tracepoints,
	.hook = memprof_life_get,
	.unhook = memprof_life_put,
	.missed = missed_ends,
};
