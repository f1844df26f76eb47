// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perf counter of the thread: its clock, which runs while the thread does, or
 * its retired instructions. A reading costs some 100 ns, and so do the thread's
 * context switches while it has one. The kernel's own sum of a thread's CPU time
 * is not exported.
 */
#include "meter.h"
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <uapi/linux/memprof.h>

static u64 show(const struct memprof_meter *m)
{
	u64 enabled, running;

	return m->event ? perf_event_read_value(m->event, &enabled, &running) :
			  0;
}

/**
 * memprof_meter_open() - a meter of the running thread
 * @m: not open; unchanged after an error
 * @kind: enum memprof_section_meter
 *
 * May sleep. Return: 0; -ENOMEM; -EOPNOTSUPP where perf has no such counter.
 */
int memprof_meter_open(struct memprof_meter *m, u32 kind)
{
	bool time = kind == MEMPROF_SECTION_TIME;
	struct perf_event_attr attr = {
		.type = time ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = time ? PERF_COUNT_SW_TASK_CLOCK :
				 PERF_COUNT_HW_INSTRUCTIONS,
		/* all of the time, or an error: never an estimate */
		.pinned = 1,
		.exclude_kernel = !time,
		.exclude_hv = !time,
	};
	struct perf_event *event = NULL;

	if (kind != MEMPROF_SECTION_CALLER) {
		event = perf_event_create_kernel_counter(&attr, -1, current,
							 NULL, NULL);
		if (IS_ERR(event))
			return PTR_ERR(event) == -ENOMEM ? -ENOMEM :
							   -EOPNOTSUPP;
	}
	*m = (struct memprof_meter){ .kind = kind, .event = event };
	m->left = show(m);
	return 0;
}

/**
 * memprof_meter_close() - let go of it
 * @m: of a thread that runs no more, or is not in here
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
 * memprof_meter_failed() - whether it does not count, or not any more
 * @m: the running thread's
 *
 * A counter that has to make room for another one stands still from then on.
 */
bool memprof_meter_failed(const struct memprof_meter *m)
{
	return m->event && READ_ONCE(m->event->state) <= PERF_EVENT_STATE_ERROR;
}

/**
 * memprof_meter_enter() - the thread comes in here
 * @m: its meter
 * @way: what it takes to get out of here and in again
 *
 * May sleep. Return: what it has used outside of here, and of the way.
 */
u64 memprof_meter_enter(struct memprof_meter *m, u64 way)
{
	m->entered = show(m);
	m->own += min(m->entered - m->left, way);
	return m->entered - m->own;
}

/**
 * memprof_meter_leave() - and goes again
 * @m: its meter
 */
void memprof_meter_leave(struct memprof_meter *m)
{
	m->left = show(m);
	m->own += m->left - m->entered;
}
