// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "growth.h"
#include "life.h"
#include "section-task.h"

/* Written under sessions_lock; read by probes under RCU. */
struct memprof_session __rcu *memprof_sessions[MEMPROF_MAX_SESSIONS];
static DEFINE_MUTEX(sessions_lock);
static u32 last_id;			/* sessions_lock */

/**
 * memprof_session_open() - an idle session
 *
 * Return: the session, or an ERR_PTR of -ENOMEM.
 */
struct memprof_session *memprof_session_open(void)
{
	struct memprof_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	if (!s)
		return ERR_PTR(-ENOMEM);
	s->counts = alloc_percpu_gfp(struct memprof_counts, GFP_KERNEL_ACCOUNT);
	if (!s->counts) {
		kfree(s);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&s->lock);
	memprof_probes_init(&s->heap.probes, &s->lock);
	return s;
}

/**
 * memprof_session_close() - stop if need be and free everything
 * @s: of a file that nobody holds any more
 */
void memprof_session_close(struct memprof_session *s)
{
	mutex_lock(&s->lock);
	if (s->state == MEMPROF_STATE_RUNNING)
		memprof_session_stop(s);
	mutex_unlock(&s->lock);
	memprof_section_tasks_close(s);
	memprof_copy_free(&s->copy);
	memprof_probes_free(s);
	memprof_heap_free(&s->heap);
	memprof_processes_free(&s->processes);
	memprof_cgroups_free(&s->cgroups);
	memprof_targets_free(&s->targets);
	free_percpu(s->counts);
	mutex_destroy(&s->lock);
	kfree(s);
}

/* Probes may see the session from here on. */
static int publish(struct memprof_session *s)
{
	int slot;

	for (slot = 0; slot < MEMPROF_MAX_SESSIONS; slot++) {
		if (rcu_access_pointer(memprof_sessions[slot]))
			continue;
		s->slot = slot;
		s->id = ++last_id ?: ++last_id;
		rcu_assign_pointer(memprof_sessions[slot], s);
		return 0;
	}
	return -EUSERS;
}

static int add_hooks(struct memprof_session *s)
{
	int err = memprof_life_get();

	if (err || !(s->streams & MEMPROF_START_GROWTH))
		return err;
	err = memprof_growth_get();
	if (err)
		memprof_life_put();
	return err;
}

static void remove_hooks(struct memprof_session *s)
{
	if (s->streams & MEMPROF_START_GROWTH)
		memprof_growth_put();
	memprof_life_put();
}

static int join(struct memprof_session *s)
{
	int err;

	mutex_lock(&sessions_lock);
	err = add_hooks(s);
	if (!err) {
		s->growth_missed = memprof_growth_missed();
		s->hook_missed = memprof_life_missed();
		err = publish(s);
		if (err)
			remove_hooks(s);
	}
	mutex_unlock(&sessions_lock);
	return err;
}

static void leave(struct memprof_session *s)
{
	mutex_lock(&sessions_lock);
	RCU_INIT_POINTER(memprof_sessions[s->slot], NULL);
	synchronize_rcu();
	remove_hooks(s);
	mutex_unlock(&sessions_lock);
}

/**
 * memprof_session_meet_living() - give living targets their rows
 * @s: running
 *
 * At START, and at each snapshot for those that became targets without an
 * event: moved into a cgroup, renamed. Those born meanwhile come by the hooks.
 */
void memprof_session_meet_living(struct memprof_session *s)
{
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process_thread(p, t) {
		/* its mm cannot reach exit_mmap() while the task is locked */
		task_lock(t);
		if (t->mm && !(t->flags & PF_KTHREAD) &&
		    memprof_target_match(&s->targets, t))
			memprof_session_meet(s, t->mm, t);
		task_unlock(t);
	}
	rcu_read_unlock();
}

static int check_start(const struct memprof_start *arg)
{
	if (arg->flags & ~(MEMPROF_START_FAULTS | MEMPROF_START_GROWTH |
			   MEMPROF_START_ALLOC) ||
	    arg->alloc_rate > MEMPROF_MAX_RATE ||
	    arg->max_live > MEMPROF_MAX_LIVE ||
	    arg->max_sites > MEMPROF_MAX_SITES ||
	    arg->minor_period > MEMPROF_MAX_PERIOD ||
	    arg->major_period > MEMPROF_MAX_PERIOD ||
	    arg->max_processes > MEMPROF_MAX_PROCESSES ||
	    arg->max_cgroups > MEMPROF_MAX_CGROUPS)
		return -EINVAL;
	if (arg->flags & MEMPROF_START_GROWTH && !memprof_growth_available())
		return -EOPNOTSUPP;
	return 0;
}

static int alloc_tables(struct memprof_session *s,
			const struct memprof_start *arg)
{
	int err;

	err = memprof_processes_alloc(&s->processes, arg->max_processes ?:
				      MEMPROF_DEFAULT_PROCESSES, s->counts);
	if (err)
		return err;
	err = memprof_cgroups_alloc(&s->cgroups, arg->max_cgroups ?:
				    MEMPROF_DEFAULT_CGROUPS, s->counts);
	if (err)
		goto free_processes;
	err = memprof_heap_alloc(&s->heap, arg, s->counts);
	if (err)
		goto free_cgroups;
	err = memprof_targets_begin(&s->targets);
	if (err)
		goto free_heap;
	return 0;

free_heap:
	memprof_heap_free(&s->heap);
free_cgroups:
	memprof_cgroups_free(&s->cgroups);
free_processes:
	memprof_processes_free(&s->processes);
	return err;
}

/* An idle session again, that can be started anew. */
static void free_tables(struct memprof_session *s)
{
	memprof_targets_end(&s->targets);
	memprof_heap_quiesce(&s->heap);
	memprof_heap_free(&s->heap);
	memprof_cgroups_free(&s->cgroups);
	memprof_processes_free(&s->processes);
	s->id = 0;
	s->streams = 0;
	s->minor_period = 0;
	s->major_period = 0;
	s->start_ns = 0;
	s->reset_ns = 0;
}

/* Descendants that live already are followed too. */
static void adopt_living(struct memprof_session *s)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p)
		memprof_target_adopt(&s->targets, p);
	rcu_read_unlock();
}

/**
 * memprof_session_missed() - what the hooks lost while the session ran
 * @s: its lock is held
 * @growth: out, growth calls
 * @hook: out, ends of address spaces
 */
void memprof_session_missed(struct memprof_session *s, unsigned long *growth,
			    unsigned long *hook)
{
	bool running = s->state == MEMPROF_STATE_RUNNING;

	*growth = running ? memprof_growth_missed() - s->growth_missed :
		  s->growth_missed;
	*hook = running ? memprof_life_missed() - s->hook_missed :
		s->hook_missed;
}

/**
 * memprof_session_start() - idle to running
 * @s: its lock is held
 * @arg: from user space, not checked yet
 *
 * Return: 0 or the errno that MEMPROF_IOC_START documents; the session is idle
 * then, as before.
 */
int memprof_session_start(struct memprof_session *s,
			  const struct memprof_start *arg)
{
	int err = check_start(arg);

	if (err)
		return err;
	if (!s->targets.nr)
		return -EDESTADDRREQ;
	err = alloc_tables(s, arg);
	if (err)
		return err;
	s->streams = arg->flags;
	s->minor_period = arg->minor_period ?: MEMPROF_DEFAULT_MINOR_PERIOD;
	s->major_period = arg->major_period ?: MEMPROF_DEFAULT_MAJOR_PERIOD;
	s->start_ns = ktime_get_ns();
	s->reset_ns = s->start_ns;
	err = join(s);
	if (err)
		goto free_tables;
	memprof_targets_check(&s->targets);
	adopt_living(s);
	memprof_session_meet_living(s);
	if (s->streams & MEMPROF_START_FAULTS) {
		err = memprof_faults_begin(s);
		if (err)
			goto leave;
	}
	if (s->streams & MEMPROF_START_ALLOC) {
		err = memprof_probes_begin(s);
		if (err)
			goto leave;
	}
	s->state = MEMPROF_STATE_RUNNING;
	return 0;

leave:
	leave(s);
	memprof_faults_end(s);
free_tables:
	free_tables(s);
	return err;
}

/**
 * memprof_session_stop() - running to stopped
 * @s: its lock is held
 *
 * When it returns no probe of the session runs. Sleeps for some RCU grace
 * periods: some 10 ms.
 */
void memprof_session_stop(struct memprof_session *s)
{
	unsigned long growth, hook;

	memprof_session_missed(s, &growth, &hook);
	if (s->heap.on)
		memprof_probes_end(s);
	leave(s);
	memprof_faults_end(s);
	memprof_heap_quiesce(&s->heap);
	memprof_processes_freeze(&s->processes);
	s->growth_missed = growth;
	s->hook_missed = hook;
	s->stop_ns = ktime_get_ns();
	s->state = MEMPROF_STATE_STOPPED;
}

/**
 * memprof_session_status() - how the session stands
 * @s: its lock is held
 * @out: all but size is filled
 */
void memprof_session_status(struct memprof_session *s,
			    struct memprof_status *out)
{
	out->state = s->state;
	out->flags = READ_ONCE(s->failed) ? MEMPROF_STATUS_FAILED : 0;
	out->session = s->id;
	out->streams = s->streams;
	out->minor_period = s->minor_period;
	out->major_period = s->major_period;
	out->nr_targets = s->targets.nr;
	out->start_ns = s->start_ns;
	out->stop_ns = s->stop_ns;
	out->reset_ns = s->reset_ns;
	out->now_ns = ktime_get_ns();
	out->max_processes = s->processes.max;
	out->nr_processes = READ_ONCE(s->processes.nr);
	out->max_cgroups = s->cgroups.max;
	out->nr_cgroups = READ_ONCE(s->cgroups.nr);
}

/**
 * memprof_sessions_running() - how many sessions run on the machine
 */
u32 memprof_sessions_running(void)
{
	u32 slot, n = 0;

	for (slot = 0; slot < MEMPROF_MAX_SESSIONS; slot++)
		if (rcu_access_pointer(memprof_sessions[slot]))
			n++;
	return n;
}

/**
 * memprof_session_meet() - give a target and its cgroup their rows
 * @s: running; the caller is in an RCU read-side section
 * @mm: address space, alive as for memprof_process_get()
 * @task: a task of it
 *
 * Return: the row of the process.
 */
struct memprof_row *memprof_session_meet(struct memprof_session *s,
					 struct mm_struct *mm,
					 struct task_struct *task)
{
	memprof_cgroup_get(&s->cgroups, task_dfl_cgroup(task));
	return memprof_process_get(&s->processes, mm, task);
}

/**
 * memprof_session_fail() - an inconsistency: observe nothing more
 * @s: its tallies can still be read
 * @why: what was found, one line for the kernel log
 */
void memprof_session_fail(struct memprof_session *s, const char *why)
{
	if (!xchg(&s->failed, true))
		pr_err("memprof: session %u stops sampling: %s\n", s->id, why);
}
