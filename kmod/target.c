// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of a match: nothing for "everything"; a bit test for processes; a
 * pointer comparison per cgroup target; 16 bytes compared per command name.
 *
 * Processes are followed through two bitmaps over all process ids (512 KiB
 * each, allocated only for sessions with process targets): no lock, no limit
 * that a fork bomb could reach, nothing to allocate in a hook.
 */
#include "target.h"
#include <linux/bitmap.h>
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include "compat/mm.h"

/* A zombie still has its process id, but will not tell of its exit again. */
static bool is_alive(struct pid *pid)
{
	struct task_struct *task;
	bool alive;

	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_TGID);
	alive = task && atomic_read(&task->signal->live);
	rcu_read_unlock();
	return alive;
}

static int add_process(struct memprof_targets *t, u64 id, bool children)
{
	struct pid *pid;
	u32 i;

	if (!id || id > PID_MAX_LIMIT)
		return -ESRCH;
	pid = find_get_pid(id);
	if (!pid || !is_alive(pid)) {
		put_pid(pid);
		return -ESRCH;
	}
	for (i = 0; i < t->nr_pids; i++) {
		if (t->pids[i].pid == pid) {
			put_pid(pid);
			return -EEXIST;
		}
	}
	t->pids[t->nr_pids].children = children;
	t->pids[t->nr_pids++].pid = pid;
	return 0;
}

static int add_cgroup(struct memprof_targets *t, u64 id)
{
	struct cgroup *cgrp = cgroup_get_from_id(id);
	u32 i;

	if (IS_ERR(cgrp))
		return -ENOENT;
	for (i = 0; i < t->nr_cgroups; i++) {
		if (t->cgroups[i] == cgrp) {
			cgroup_put(cgrp);
			return -EEXIST;
		}
	}
	t->cgroups[t->nr_cgroups++] = cgrp;
	return 0;
}

static int add_comm(struct memprof_targets *t, const char *comm)
{
	u32 i;

	if (!comm[0] || strnlen(comm, TASK_COMM_LEN) == TASK_COMM_LEN)
		return -EINVAL;
	for (i = 0; i < t->nr_comms; i++)
		if (!strcmp(t->comms[i], comm))
			return -EEXIST;
	strscpy(t->comms[t->nr_comms++], comm, TASK_COMM_LEN);
	return 0;
}

static int add(struct memprof_targets *t, const struct memprof_target *arg)
{
	bool children = arg->flags & MEMPROF_TARGET_CHILDREN;
	bool named = memchr_inv(arg->comm, 0, sizeof(arg->comm));

	if (arg->kind != MEMPROF_TARGET_PROCESS && children)
		return -EINVAL;
	if (arg->kind != MEMPROF_TARGET_COMM && named)
		return -EINVAL;
	switch (arg->kind) {
	case MEMPROF_TARGET_ALL:
		if (arg->id)
			return -EINVAL;
		if (t->all)
			return -EEXIST;
		t->all = true;
		return 0;
	case MEMPROF_TARGET_PROCESS:
		return add_process(t, arg->id, children);
	case MEMPROF_TARGET_CGROUP:
		return add_cgroup(t, arg->id);
	case MEMPROF_TARGET_COMM:
		return arg->id ? -EINVAL : add_comm(t, arg->comm);
	}
	return -EINVAL;
}

/**
 * memprof_target_add() - add what an ioctl names
 * @t: of an idle session
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_TARGET documents.
 */
int memprof_target_add(struct memprof_targets *t,
		       const struct memprof_target *arg)
{
	int err;

	if (arg->__reserved || arg->flags & ~MEMPROF_TARGET_CHILDREN)
		return -EINVAL;
	if (t->nr == MEMPROF_MAX_TARGETS)
		return -ENOSPC;
	err = add(t, arg);
	if (!err)
		t->nr++;
	return err;
}

/**
 * memprof_targets_end() - undo memprof_targets_begin()
 * @t: of a session whose hooks are gone
 */
void memprof_targets_end(struct memprof_targets *t)
{
	vfree(t->followed);
	vfree(t->inherit);
	t->followed = NULL;
	t->inherit = NULL;
}

/**
 * memprof_targets_begin() - make the process targets ready to match
 * @t: of a session that is about to start
 *
 * Return: 0; -ENOMEM; -ESRCH when a target process is gone.
 */
int memprof_targets_begin(struct memprof_targets *t)
{
	size_t size = BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long);
	u32 i;

	if (!t->nr_pids)
		return 0;
	t->followed = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	t->inherit = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!t->followed || !t->inherit) {
		memprof_targets_end(t);
		return -ENOMEM;
	}
	for (i = 0; i < t->nr_pids; i++) {
		pid_t nr = pid_nr(t->pids[i].pid);

		if (!is_alive(t->pids[i].pid)) {
			memprof_targets_end(t);
			return -ESRCH;
		}
		set_bit(nr, t->followed);
		if (t->pids[i].children)
			set_bit(nr, t->inherit);
	}
	return 0;
}

/**
 * memprof_targets_check() - forget targets that exited before the hooks came
 * @t: of a session that was just published
 */
void memprof_targets_check(struct memprof_targets *t)
{
	u32 i;

	for (i = 0; i < t->nr_pids; i++) {
		pid_t nr = pid_nr(t->pids[i].pid);

		if (is_alive(t->pids[i].pid))
			continue;
		clear_bit(nr, t->followed);
		clear_bit(nr, t->inherit);
	}
}

/**
 * memprof_targets_free() - drop every reference
 * @t: of a session whose hooks are gone
 */
void memprof_targets_free(struct memprof_targets *t)
{
	u32 i;

	for (i = 0; i < t->nr_pids; i++)
		put_pid(t->pids[i].pid);
	for (i = 0; i < t->nr_cgroups; i++)
		cgroup_put(t->cgroups[i]);
	memprof_targets_end(t);
}

static bool in_cgroups(const struct memprof_targets *t,
		       struct task_struct *task)
{
	struct cgroup *cgrp = task_dfl_cgroup(task);
	u32 i;

	for (i = 0; i < t->nr_cgroups; i++)
		if (cgroup_is_descendant(cgrp, t->cgroups[i]))
			return true;
	return false;
}

static bool in_comms(const struct memprof_targets *t, struct task_struct *task)
{
	u32 i;

	for (i = 0; i < t->nr_comms; i++)
		if (!strncmp(task->group_leader->comm, t->comms[i],
			     TASK_COMM_LEN))
			return true;
	return false;
}

/**
 * memprof_target_match() - is this task a target, now?
 * @t: of a running session
 * @task: any task; the caller holds rcu_read_lock()
 */
bool memprof_target_match(const struct memprof_targets *t,
			  struct task_struct *task)
{
	if (t->all)
		return true;
	if (t->followed && test_bit(task->tgid, t->followed))
		return true;
	if (t->nr_cgroups && in_cgroups(t, task))
		return true;
	return t->nr_comms && in_comms(t, task);
}

/**
 * memprof_target_match_current() - is the running task, or the owner of the
 *	address space that it borrows (vfork), a target?
 * @t: of a running session; the caller is in an RCU read-side section
 */
bool memprof_target_match_current(const struct memprof_targets *t)
{
	struct task_struct *owner;

	if (memprof_target_match(t, current))
		return true;
	owner = memprof_mm_owner(current->mm);
	return owner && owner->tgid != current->tgid &&
	       memprof_target_match(t, owner);
}

/* Process ids are below PID_MAX_LIMIT, whatever pid_max says. */
static void follow(struct memprof_targets *t, pid_t tgid)
{
	set_bit(tgid, t->followed);
	set_bit(tgid, t->inherit);
}

/**
 * memprof_target_fork() - a new task; follow it when its parent is followed
 * @t: of a running session
 * @parent: the task that forked
 * @child: thread or process; not running yet
 */
void memprof_target_fork(struct memprof_targets *t, struct task_struct *parent,
			 struct task_struct *child)
{
	if (t->inherit && child->tgid != parent->tgid &&
	    test_bit(parent->tgid, t->inherit))
		follow(t, child->tgid);
}

/**
 * memprof_target_adopt() - follow a process whose ancestor is followed
 * @t: of a session that just started
 * @task: main thread of a living process; the caller holds rcu_read_lock()
 */
void memprof_target_adopt(struct memprof_targets *t, struct task_struct *task)
{
	struct task_struct *p = task;

	if (!t->inherit)
		return;
	while (p && p->pid) {
		if (test_bit(p->tgid, t->inherit)) {
			follow(t, task->tgid);
			/* pairs with do_exit(): live falls, then the hook */
			smp_mb__after_atomic();
			if (!atomic_read(&task->signal->live))
				memprof_target_exit(t, task);
			return;
		}
		p = rcu_dereference(p->real_parent);
	}
}

/**
 * memprof_target_exit() - the last thread of a process is gone
 * @t: of a running session
 * @task: that thread
 */
void memprof_target_exit(struct memprof_targets *t, struct task_struct *task)
{
	if (!t->followed)
		return;
	clear_bit(task->tgid, t->followed);
	clear_bit(task->tgid, t->inherit);
}
