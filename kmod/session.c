// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of a session: idle, running, stopped. START allocates the tables,
 * takes the hooks, publishes the session and installs its probes; STOP undoes
 * that in reverse order and keeps the tables for READ.
 *
 * Cost: START allocates all tables: 8 MiB with the default sizes, and 140 MiB
 * more for the stream of allocations. STOP waits for some RCU grace periods,
 * about 10 ms. A START that fails frees everything, and the session is idle as
 * before.
 */
#include "session.h"
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

/* Written under sessions_lock; probes read it under RCU. */
struct memprof_session __rcu *memprof_sessions[MEMPROF_MAX_SESSIONS];
/* Also held while streams take and give back their hooks. */
static DEFINE_MUTEX(sessions_lock);
static u32 last_id;			/* sessions_lock */

static void free_session(struct memprof_session *s)
{
	memprof_streams_close(s);
	memprof_copy_free(&s->copy);
	memprof_streams_release(s);
	memprof_processes_free(&s->processes);
	memprof_cgroups_free(&s->cgroups);
	memprof_targets_free(&s->targets);
	free_percpu(s->counts);
	mutex_destroy(&s->lock);
	kfree(s);
}

/**
 * memprof_session_open() - make an idle session
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
	if (memprof_streams_open(s)) {
		free_session(s);
		return ERR_PTR(-ENOMEM);
	}
	return s;
}

/**
 * memprof_session_close() - stop a running session, then free it
 * @s: session of a file whose last descriptor was closed
 */
void memprof_session_close(struct memprof_session *s)
{
	mutex_lock(&s->lock);
	if (s->state == MEMPROF_STATE_RUNNING)
		memprof_session_stop(s);
	mutex_unlock(&s->lock);
	free_session(s);
}

/* Probes can find the session from here on. sessions_lock is held. */
static int publish_session(struct memprof_session *s)
{
	int slot;

	for (slot = 0; slot < MEMPROF_MAX_SESSIONS; slot++) {
		if (rcu_access_pointer(memprof_sessions[slot]))
			continue;
		s->slot = slot;
		/* 0 means "no session" */
		s->id = ++last_id ?: ++last_id;
		rcu_assign_pointer(memprof_sessions[slot], s);
		return 0;
	}
	return -EUSERS;
}

static int hook_and_publish(struct memprof_session *s)
{
	int err;

	mutex_lock(&sessions_lock);
	err = memprof_streams_hook(s->streams);
	if (!err) {
		memprof_streams_missed(s->missed);
		err = publish_session(s);
		if (err)
			memprof_streams_unhook(s->streams);
	}
	mutex_unlock(&sessions_lock);
	return err;
}

/* Afterwards only probes that the session itself registered can use it. */
static void withdraw_and_unhook(struct memprof_session *s)
{
	mutex_lock(&sessions_lock);
	RCU_INIT_POINTER(memprof_sessions[s->slot], NULL);
	synchronize_rcu();
	memprof_streams_unhook(s->streams);
	mutex_unlock(&sessions_lock);
}

/* Tasks that one RCU read-side section visits. */
#define LIVING_BATCH	1024

/* Limit of restarts of the walk over all tasks. The last one has no pauses. */
#define MAX_RESTARTS	16

/* Adds the row of a task's process. No lock is taken if the row exists. */
static void add_living_task(struct memprof_session *s, struct task_struct *t)
{
	struct mm_struct *mm = READ_ONCE(t->mm);

	if (!mm || memprof_process_find(&s->processes, mm))
		return;
	/* task_lock keeps the task's mm out of exit_mmap() */
	task_lock(t);
	if (t->mm)
		memprof_session_add_process(s, t->mm, t);
	task_unlock(t);
}

/*
 * Ends the RCU read-side section for a moment. Returns false if a task has
 * exited meanwhile: then the walk cannot continue from these tasks.
 */
static bool pause_rcu_at(struct task_struct *p, struct task_struct *t)
{
	bool alive;

	get_task_struct(p);
	get_task_struct(t);
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	alive = pid_alive(p) && pid_alive(t);
	put_task_struct(t);
	put_task_struct(p);
	return alive;
}

/**
 * memprof_session_add_living() - add rows for target processes that run already
 * @s: running
 *
 * START needs it, and each snapshot: a process that was moved into a target
 * cgroup or renamed becomes a target without an event. The hooks of life.c add
 * the processes that are forked meanwhile.
 */
void memprof_session_add_living(struct memprof_session *s)
{
	struct task_struct *p, *t;
	int left = LIVING_BATCH, restarts = 0;

	rcu_read_lock();
again:
	for_each_process_thread(p, t) {
		if (!(t->flags & PF_KTHREAD) &&
		    memprof_target_match(&s->targets, t))
			add_living_task(s, t);
		if (--left || restarts == MAX_RESTARTS)
			continue;
		left = LIVING_BATCH;
		if (!pause_rcu_at(p, t)) {
			restarts++;
			goto again;
		}
	}
	rcu_read_unlock();
}

/* Checks the session's own options of START and fills in their defaults. */
static int check_table_sizes(struct memprof_start *options)
{
	if (options->max_processes > MEMPROF_MAX_PROCESSES ||
	    options->max_cgroups > MEMPROF_MAX_CGROUPS)
		return -EINVAL;
	options->max_processes = options->max_processes ?:
				 MEMPROF_DEFAULT_PROCESSES;
	options->max_cgroups = options->max_cgroups ?: MEMPROF_DEFAULT_CGROUPS;
	return 0;
}

static int alloc_session_tables(struct memprof_session *s)
{
	int err;

	err = memprof_processes_alloc(&s->processes, s->options.max_processes,
				      s->counts);
	if (err)
		return err;
	err = memprof_cgroups_alloc(&s->cgroups, s->options.max_cgroups,
				    s->counts);
	if (err)
		goto free_processes;
	err = memprof_streams_prepare(s, s->streams);
	if (err)
		goto release_streams;
	err = memprof_targets_begin(&s->targets);
	if (err)
		goto release_streams;
	return 0;

release_streams:
	memprof_streams_release(s);
	memprof_cgroups_free(&s->cgroups);
free_processes:
	memprof_processes_free(&s->processes);
	return err;
}

static void free_session_tables(struct memprof_session *s)
{
	memprof_streams_quiesce(s, s->streams);
	memprof_cgroups_quiesce(&s->cgroups);
	memprof_targets_end(&s->targets);
	memprof_streams_release(s);
	memprof_cgroups_free(&s->cgroups);
	memprof_processes_free(&s->processes);
}

/* Resets the fields of a failed START, so that STATUS shows an idle session. */
static void forget_start(struct memprof_session *s)
{
	memset(&s->options, 0, sizeof(s->options));
	s->id = 0;
	s->streams = 0;
	s->start_ns = 0;
	s->reset_ns = 0;
}

/* Makes the living descendants of target processes targets, too. */
static void follow_living_descendants(struct memprof_session *s)
{
	struct task_struct *p;

	rcu_read_lock();
	for_each_process(p)
		memprof_target_adopt(&s->targets, p);
	rcu_read_unlock();
}

/* Computes how many events each stream's hooks lost since START. */
static void missed_since_start(const struct memprof_session *s,
			       unsigned long *missed)
{
	int i;

	memprof_streams_missed(missed);
	for (i = 0; i < MEMPROF_MAX_STREAMS; i++)
		missed[i] -= s->missed[i];
}

/**
 * memprof_session_add_missed() - add events that the hooks lost to the counters
 * @s: running or stopped; its lock is held
 * @counters: rows in the order of enum memprof_count
 */
void memprof_session_add_missed(struct memprof_session *s,
				struct memprof_counter *counters)
{
	unsigned long missed[MEMPROF_MAX_STREAMS];

	if (s->state == MEMPROF_STATE_RUNNING)
		missed_since_start(s, missed);
	else
		memcpy(missed, s->missed, sizeof(missed));
	memprof_streams_add_missed(s->streams, missed, counters);
}

static int start_session(struct memprof_session *s)
{
	int err = alloc_session_tables(s);

	if (err)
		return err;
	s->start_ns = ktime_get_ns();
	s->reset_ns = s->start_ns;
	err = hook_and_publish(s);
	if (err)
		goto free_tables;
	memprof_targets_check(&s->targets);
	follow_living_descendants(s);
	memprof_session_add_living(s);
	err = memprof_streams_start(s, s->streams);
	if (err)
		goto withdraw;
	s->state = MEMPROF_STATE_RUNNING;
	return 0;

withdraw:
	withdraw_and_unhook(s);
free_tables:
	free_session_tables(s);
	return err;
}

/**
 * memprof_session_start() - idle to running
 * @s: session; its lock is held
 * @arg: from user space, not checked yet
 *
 * Return: 0, or the errno that MEMPROF_IOC_START documents; then the session is
 * idle as before.
 */
int memprof_session_start(struct memprof_session *s,
			  const struct memprof_start *arg)
{
	struct memprof_start options = *arg;
	int err;

	err = check_table_sizes(&options) ?: memprof_streams_check(&options);
	if (err)
		return err;
	if (!s->targets.nr)
		return -EDESTADDRREQ;
	s->options = options;
	s->streams = options.flags;
	err = start_session(s);
	if (err)
		forget_start(s);
	return err;
}

/**
 * memprof_session_stop() - running to stopped
 * @s: its lock is held
 *
 * No probe of the session runs when this returns. Sleeps for some RCU grace
 * periods, about 10 ms.
 */
void memprof_session_stop(struct memprof_session *s)
{
	unsigned long missed[MEMPROF_MAX_STREAMS];

	missed_since_start(s, missed);
	memprof_streams_stop(s, s->streams);
	withdraw_and_unhook(s);
	memprof_streams_quiesce(s, s->streams);
	memprof_cgroups_quiesce(&s->cgroups);
	memprof_processes_freeze(&s->processes);
	memcpy(s->missed, missed, sizeof(missed));
	s->stop_ns = ktime_get_ns();
	s->state = MEMPROF_STATE_STOPPED;
}

/**
 * memprof_session_status() - fill in the fields of STATUS
 * @s: its lock is held
 * @out: to fill, except size
 */
void memprof_session_status(struct memprof_session *s,
			    struct memprof_status *out)
{
	out->state = s->state;
	out->flags = READ_ONCE(s->failed) ? MEMPROF_STATUS_FAILED : 0;
	out->session = s->id;
	out->streams = s->streams;
	memprof_streams_status(s, out);
	out->nr_targets = s->targets.nr;
	out->start_ns = s->start_ns;
	out->stop_ns = s->stop_ns;
	out->reset_ns = s->reset_ns;
	out->now_ns = ktime_get_ns();
	out->max_processes = s->processes.table.max;
	out->nr_processes = READ_ONCE(s->processes.table.used);
	out->max_cgroups = s->cgroups.table.max;
	out->nr_cgroups = READ_ONCE(s->cgroups.table.used);
}

/**
 * memprof_sessions_running() - number of sessions that run on the machine
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
 * memprof_session_add_process() - find or add the rows of a target process
 * @s: running; the caller is in an RCU read-side section
 * @mm: address space, alive as for memprof_process_get()
 * @task: a task of @mm
 *
 * The cgroup of @task gets its row, too.
 *
 * Return: the row of the process.
 */
struct memprof_row *memprof_session_add_process(struct memprof_session *s,
						struct mm_struct *mm,
						struct task_struct *task)
{
	memprof_cgroup_get(&s->cgroups, task_dfl_cgroup(task));
	return memprof_process_get(&s->processes, mm, task);
}

/**
 * memprof_session_fail() - stop sampling after an internal inconsistency
 * @s: session; its tallies can still be read
 * @why: what was found: one line for the kernel log
 */
void memprof_session_fail(struct memprof_session *s, const char *why)
{
	if (!xchg(&s->failed, true))
		pr_err("memprof: session %u stops sampling: %s\n", s->id, why);
}
