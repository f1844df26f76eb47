// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of things: fork; exec: exit_mmap(old), then sched_process_exec with
 * the new one in place; exit: exit_mmap, then sched_process_exit without any.
 * exit_mmap is the last moment at which an address space's sizes are whole.
 */
#include "life.h"
#include <linux/binfmts.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>
#include "heap.h"
#include "probe.h"
#include "section-task.h"
#include "session.h"

static DEFINE_MUTEX(users_lock);
static u32 users;			/* users_lock */
static unsigned long missed_before;	/* the same */

static void on_fork(void *data, struct task_struct *parent,
		    struct task_struct *child)
{
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s) {
		memprof_target_fork(&s->targets, parent, child);
		if (child->mm && child->mm != parent->mm &&
		    !(child->flags & PF_KTHREAD) &&
		    memprof_target_match(&s->targets, child))
			memprof_heap_fork(s, parent->mm,
					  memprof_session_add_process(s,
						child->mm, child));
	}
	rcu_read_unlock();
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid,
		    struct linux_binprm *bprm)
{
	struct memprof_session *s;
	int slot;

	memprof_section_task_end(task);
	rcu_read_lock();
	memprof_for_each_session(slot, s)
		if (memprof_target_match(&s->targets, task))
			memprof_session_add_process(s, task->mm, task);
	rcu_read_unlock();
}

static void on_exit(void *data, struct task_struct *task)
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

/* Who moves a process moves what it has mapped already. */
static void on_attach(void *data, struct cgroup *to, const char *path,
		      struct task_struct *task, bool threadgroup)
{
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_session(slot, s)
		if (s->streams & MEMPROF_START_ALLOC && s->targets.nr_cgroups &&
		    memprof_target_match(&s->targets, task))
			memprof_probes_refilter(s);
	rcu_read_unlock();
}

static int on_exit_mmap(struct kprobe *kp, struct pt_regs *regs)
{
	struct mm_struct *mm = (void *)regs_get_kernel_argument(regs, 0);
	struct memprof_session *s;
	int slot;

	rcu_read_lock();
	memprof_for_each_published(slot, s) {
		if (memprof_process_exit(&s->processes, mm))
			memprof_heap_exit(s);
	}
	rcu_read_unlock();
	return 0;
}

static struct kprobe exit_mmap_probe = {
	.symbol_name = "exit_mmap",
	.pre_handler = on_exit_mmap,
};

static struct hook {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} hooks[] = {
	{ "sched_process_fork", on_fork },
	{ "sched_process_exec", on_exec },
	{ "sched_process_exit", on_exit },
	{ "cgroup_attach_task", on_attach },
};

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!strcmp(tp->name, hooks[i].name))
			hooks[i].tp = tp;
}

/* The kernel does not export its tracepoints: finds them by their names. */
static int find_tracepoints(void)
{
	int i;

	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_sched_process_exit(on_exit);
	check_trace_callback_type_cgroup_attach_task(on_attach);
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!hooks[i].tp)
			return -EOPNOTSUPP;
	return 0;
}

static void unhook(int nr)
{
	while (nr--)
		tracepoint_probe_unregister(hooks[nr].tp, hooks[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static int hook(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = tracepoint_probe_register(hooks[i].tp, hooks[i].probe,
						NULL);
		if (err)
			goto unhook;
	}
	/* what an earlier one, or a failure, left behind */
	exit_mmap_probe.addr = NULL;
	exit_mmap_probe.flags = 0;
	err = register_kprobe(&exit_mmap_probe);
	if (!err)
		return 0;
unhook:
	unhook(i);
	return err;
}

/**
 * memprof_life_get() - put the hooks in place, for one more session
 *
 * Or open file that has had sections. Return: 0 or the errno of the hook that
 * failed.
 */
int memprof_life_get(void)
{
	int err;

	mutex_lock(&users_lock);
	err = users ? 0 : hook();
	if (!err)
		users++;
	mutex_unlock(&users_lock);
	return err;
}

/**
 * memprof_life_put() - undo one memprof_life_get()
 */
void memprof_life_put(void)
{
	mutex_lock(&users_lock);
	if (!--users) {
		unregister_kprobe(&exit_mmap_probe);
		missed_before += exit_mmap_probe.nmissed;
		exit_mmap_probe.nmissed = 0;
		unhook(ARRAY_SIZE(hooks));
	}
	mutex_unlock(&users_lock);
}

/* Ends of address spaces that the kprobe did not see. */
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
