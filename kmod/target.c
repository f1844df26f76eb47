// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stores the targets of a session, and matches tasks against them.
 *
 * Cost of a match: nothing for "everything"; a bit test for processes; a pointer
 * comparison per cgroup target; a comparison of 16 bytes per command name.
 *
 * Processes are followed by two bitmaps over all process ids, 512 KiB each,
 * allocated only for sessions with process targets. So the hooks take no lock and
 * allocate nothing, and a fork bomb reaches no limit.
 */
#include "target.h"
#include <linux/bitmap.h>
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include "compat/mm.h"

/* A zombie still has its process id, but its exit hook has run already. */
static bool is_process_alive(struct pid *pid)
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
	if (!pid || !is_process_alive(pid)) {
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

/* The path of a cgroup, to be freed; or NULL. */
static char *dup_cgroup_path(struct cgroup *cgrp)
{
	char *path = kmalloc(PATH_MAX, GFP_KERNEL), *copy = NULL;
	int len;

	if (!path)
		return NULL;
	len = cgroup_path(cgrp, path, PATH_MAX);
	if (len > 0 && len < PATH_MAX)
		copy = kstrdup(path, GFP_KERNEL_ACCOUNT);
	kfree(path);
	return copy;
}

static int add_cgroup(struct memprof_targets *t, u64 id)
{
	struct cgroup *cgrp = cgroup_get_from_id(id);
	struct memprof_cgroup_target *target;
	int err = -EEXIST;
	u32 i;

	if (IS_ERR(cgrp))
		return -ENOENT;
	for (i = 0; i < t->nr_cgroups; i++)
		if (rcu_access_pointer(t->cgroups[i].cgrp) == cgrp)
			goto put;
	target = &t->cgroups[t->nr_cgroups];
	target->path = dup_cgroup_path(cgrp);
	err = -ENOMEM;
	if (!target->path)
		goto put;
	RCU_INIT_POINTER(target->cgrp, cgrp);
	t->nr_cgroups++;
	return 0;

put:
	cgroup_put(cgrp);
	return err;
}

/*
 * Drops the earlier cgroups that no probe uses any more. Returns the index of a
 * free element in target->retired, or -1.
 */
static int free_retired(struct memprof_cgroup_target *target)
{
	int i, place = -1;

	for (i = 0; i < MEMPROF_MAX_RETIRED; i++) {
		if (target->retired[i].cgrp &&
		    poll_state_synchronize_rcu(target->retired[i].grace)) {
			cgroup_put(target->retired[i].cgrp);
			target->retired[i].cgrp = NULL;
		}
		if (!target->retired[i].cgrp)
			place = i;
	}
	return place;
}

/**
 * memprof_target_mkdir() - follow a target cgroup that was created again
 * @t: targets of a running session
 * @cgrp: was just made
 * @path: its path
 *
 * One call at a time, in an RCU read-side section; does not sleep.
 *
 * Return: false if the cgroup should be a target, but was created too often
 * within one grace period, so it is not a target.
 */
bool memprof_target_mkdir(struct memprof_targets *t, struct cgroup *cgrp,
			  const char *path)
{
	struct memprof_cgroup_target *target;
	struct cgroup *old;
	int place;
	u32 i;

	for (i = 0; i < t->nr_cgroups; i++) {
		target = &t->cgroups[i];
		old = rcu_dereference(target->cgrp);
		if (strcmp(path, target->path) ||
		    READ_ONCE(old->self.flags) & CSS_ONLINE)
			continue;
		place = free_retired(target);
		if (place < 0 || !cgroup_tryget(cgrp))
			return false;
		rcu_assign_pointer(target->cgrp, cgrp);
		target->retired[place].cgrp = old;
		target->retired[place].grace = get_state_synchronize_rcu();
	}
	return true;
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

static int add_target(struct memprof_targets *t, const struct memprof_target *arg)
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
 * memprof_target_add() - add the target that an ioctl names
 * @t: targets of an idle session
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
	err = add_target(t, arg);
	if (!err)
		t->nr++;
	return err;
}

/**
 * memprof_targets_end() - undo memprof_targets_begin()
 * @t: targets of a session whose hooks are removed
 */
void memprof_targets_end(struct memprof_targets *t)
{
	vfree(t->followed);
	vfree(t->inherit);
	t->followed = NULL;
	t->inherit = NULL;
}

/**
 * memprof_targets_begin() - allocate and fill the bitmaps of process ids
 * @t: targets of a session that starts
 *
 * Return: 0; -ENOMEM; -ESRCH when a target process has exited.
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

		if (!is_process_alive(t->pids[i].pid)) {
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
 * memprof_targets_check() - remove processes that exited before the hooks came
 * @t: targets of a session that was just published
 */
void memprof_targets_check(struct memprof_targets *t)
{
	u32 i;

	for (i = 0; i < t->nr_pids; i++) {
		pid_t nr = pid_nr(t->pids[i].pid);

		if (is_process_alive(t->pids[i].pid))
			continue;
		clear_bit(nr, t->followed);
		clear_bit(nr, t->inherit);
	}
}

/**
 * memprof_targets_free() - drop all references and free the bitmaps
 * @t: targets of a session whose hooks are removed
 */
void memprof_targets_free(struct memprof_targets *t)
{
	u32 i, k;

	for (i = 0; i < t->nr_pids; i++)
		put_pid(t->pids[i].pid);
	for (i = 0; i < t->nr_cgroups; i++) {
		for (k = 0; k < MEMPROF_MAX_RETIRED; k++)
			if (t->cgroups[i].retired[k].cgrp)
				cgroup_put(t->cgroups[i].retired[k].cgrp);
		cgroup_put(rcu_dereference_protected(t->cgroups[i].cgrp, true));
		kfree(t->cgroups[i].path);
	}
	memprof_targets_end(t);
}

static bool is_in_target_cgroup(const struct memprof_targets *t,
				struct task_struct *task)
{
	struct cgroup *cgrp = task_dfl_cgroup(task);
	u32 i;

	for (i = 0; i < t->nr_cgroups; i++)
		if (cgroup_is_descendant(cgrp,
					 rcu_dereference(t->cgroups[i].cgrp)))
			return true;
	return false;
}

static bool has_target_comm(const struct memprof_targets *t, struct task_struct *task)
{
	u32 i;

	for (i = 0; i < t->nr_comms; i++)
		if (!strncmp(task->group_leader->comm, t->comms[i],
			     TASK_COMM_LEN))
			return true;
	return false;
}

/**
 * memprof_target_match() - is this task a target now?
 * @t: targets of a running session
 * @task: any task; the caller holds rcu_read_lock()
 */
bool memprof_target_match(const struct memprof_targets *t,
			  struct task_struct *task)
{
	if (t->all)
		return true;
	if (t->followed && test_bit(task->tgid, t->followed))
		return true;
	if (t->nr_cgroups && is_in_target_cgroup(t, task))
		return true;
	return t->nr_comms && has_target_comm(t, task);
}

/**
 * memprof_target_match_current() - is the running task a target now?
 * @t: targets of a running session; the caller is in an RCU read-side section
 *
 * After vfork the task runs in the address space of its parent. Then the task is
 * also a target if the owner of the address space is one.
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

/* The bitmaps have PID_MAX_LIMIT bits; each process id is below this limit. */
static void follow_process_id(struct memprof_targets *t, pid_t tgid)
{
	set_bit(tgid, t->followed);
	set_bit(tgid, t->inherit);
}

/**
 * memprof_target_fork() - follow a new process if children are targets, too
 * @t: targets of a running session
 * @parent: task that forked
 * @child: new thread or process; does not run yet
 */
void memprof_target_fork(struct memprof_targets *t, struct task_struct *parent,
			 struct task_struct *child)
{
	if (t->inherit && child->tgid != parent->tgid &&
	    test_bit(parent->tgid, t->inherit))
		follow_process_id(t, child->tgid);
}

/**
 * memprof_target_adopt() - follow a living process if it descends from a target
 * @t: targets of a session that just started
 * @task: main thread of a living process; the caller holds rcu_read_lock()
 *
 * Only targets with MEMPROF_TARGET_CHILDREN count.
 */
void memprof_target_adopt(struct memprof_targets *t, struct task_struct *task)
{
	struct task_struct *p = task;

	if (!t->inherit)
		return;
	while (p && p->pid) {
		if (test_bit(p->tgid, t->inherit)) {
			follow_process_id(t, task->tgid);
			/* do_exit() lowers live before it calls the hook */
			smp_mb__after_atomic();
			if (!atomic_read(&task->signal->live))
				memprof_target_exit(t, task);
			return;
		}
		p = rcu_dereference(p->real_parent);
	}
}

/**
 * memprof_target_exit() - stop following a process that exits
 * @t: targets of a running session
 * @task: last thread of the process
 */
void memprof_target_exit(struct memprof_targets *t, struct task_struct *task)
{
	if (!t->followed)
		return;
	clear_bit(task->tgid, t->followed);
	clear_bit(task->tgid, t->inherit);
}
