// SPDX-License-Identifier: GPL-2.0-only
/*
 * A meter is a perf counter of one thread: either perf's task clock, which runs
 * while the thread does, or the instructions that the thread retires. The
 * kernel's own sum of a thread's CPU time is not exported.
 *
 * Cost: about 100 ns per reading, and about as much for each context switch of a
 * thread that has a meter. Where perf refuses the counter, opening fails.
 */
#include "meter.h"
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <uapi/linux/memprof.h>

static u64 read_meter(const struct memprof_meter *m)
{
	u64 enabled, running;

	return m->event ? perf_event_read_value(m->event, &enabled, &running) :
			  0;
}

/**
 * memprof_meter_open() - open a meter of the running thread
 * @m: not open; unchanged after an error
 * @kind: enum memprof_section_meter
 *
 * May sleep. Return: 0; -ENOMEM; -EOPNOTSUPP where perf has no such counter, or the
 * caller may not use a hardware counter.
 */
int memprof_meter_open(struct memprof_meter *m, u32 kind)
{
	bool time = kind == MEMPROF_SECTION_TIME;
	struct perf_event_attr attr = {
		.type = time ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = time ? PERF_COUNT_SW_TASK_CLOCK :
				 PERF_COUNT_HW_INSTRUCTIONS,
		/* the counter counts all the time or fails: no estimates */
		.pinned = 1,
		.exclude_kernel = !time,
		.exclude_hv = !time,
	};
	struct perf_event *event = NULL;

	/* perf checks no permissions for the kernel's own counters */
	if (kind == MEMPROF_SECTION_INSTRUCTIONS && !perfmon_capable())
		return -EOPNOTSUPP;
	if (kind != MEMPROF_SECTION_CALLER) {
		event = perf_event_create_kernel_counter(&attr, -1, current,
							 NULL, NULL);
		if (IS_ERR(event))
			return PTR_ERR(event) == -ENOMEM ? -ENOMEM :
							   -EOPNOTSUPP;
	}
	*m = (struct memprof_meter){ .kind = kind, .event = event };
	m->left = read_meter(m);
	return 0;
}

/**
 * memprof_meter_close() - release the counter
 * @m: meter of a thread that has exited, or of the running thread
 *
 * May sleep.
 */
void memprof_meter_close(struct memprof_meter *m)
{
	if (m->event)
		perf_event_release_kernel(m->event);
	m->event = NULL;
}

/**
 * memprof_meter_failed() - has perf stopped the counter of a meter?
 * @m: meter of the running thread
 *
 * A pinned counter stops for good when perf gives its hardware to another user.
 */
bool memprof_meter_failed(const struct memprof_meter *m)
{
	return m->event && READ_ONCE(m->event->state) <= PERF_EVENT_STATE_ERROR;
}

/**
 * memprof_meter_enter() - read the meter at the start of an ioctl
 * @m: meter of the running thread
 * @way: cost of leaving and entering the kernel once, in units of the meter
 *
 * May sleep. Return: units that the thread has used, without those used inside
 * the ioctls of sections, and without @way for each of these ioctls.
 */
u64 memprof_meter_enter(struct memprof_meter *m, u64 way)
{
	m->entered = read_meter(m);
	m->own += min(m->entered - m->left, way);
	return m->entered - m->own;
}

/**
 * memprof_meter_leave() - read the meter at the end of an ioctl
 * @m: meter of the running thread
 */
void memprof_meter_leave(struct memprof_meter *m)
{
	m->left = read_meter(m);
	m->own += m->left - m->entered;
}
