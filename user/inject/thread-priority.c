// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread-priority: nice -20 and short slices of time, while a thread is borrowed
 *
 * A borrowed thread stops some fifteen times, and queues for a CPU after each of them:
 * with 16 busy threads on two CPUs it queues for 50 ms in all, and computes for 2 ms. A
 * thread with nice -20 still waits until the running thread's slice ends. Since Linux 6.12,
 * a thread with a shorter slice does not wait. With both, the pause is 5 ms.
 *
 * Threads with real-time priorities keep them, as do those that run only when a CPU is
 * idle: these have chosen to wait.
 */
#include "thread-priority.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICE_FIRST	(-20)

/* The shortest slice that Linux gives, in nanoseconds */
#define SLICE_NS	100000

static bool set(pid_t tid, const struct mp_machine_priority *priority)
{
	return !syscall(SYS_sched_setattr, tid, priority, 0);
}

static struct mp_machine_priority get(pid_t tid)
{
	struct mp_machine_priority priority = { 0 };

	if (syscall(SYS_sched_getattr, tid, &priority, sizeof(priority), 0))
		priority.size = 0;
	return priority;
}

void mp_priority_raise(pid_t tid, const struct mp_machine_priority *own)
{
	struct mp_machine_priority raised = *own;

	if (!own->size)
		return;
	raised.slice_ns = SLICE_NS;
	raised.nice = NICE_FIRST;
	if (set(tid, &raised))
		return;
	/* without CAP_SYS_NICE: the slice alone */
	raised.nice = own->nice;
	set(tid, &raised);
}

void mp_priority_restore(pid_t tid, const struct mp_machine_priority *own)
{
	if (own->size)
		set(tid, own);
}

/* The slice that everybody has: a thread that asks for 0 gets it. */
static uint64_t usual_slice_ns;

void mp_priority_raise_self(void)
{
	struct mp_machine_priority own = get(0);

	usual_slice_ns = own.slice_ns;
	mp_priority_raise(0, &own);
}

struct mp_machine_priority mp_priority_read(pid_t tid)
{
	struct mp_machine_priority own = get(tid);

	if (own.policy != SCHED_OTHER && own.policy != SCHED_BATCH)
		own.size = 0;
	if (own.slice_ns == usual_slice_ns)
		own.slice_ns = 0;
	return own;
}
