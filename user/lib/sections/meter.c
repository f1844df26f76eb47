// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * meter.c: reads the thread's CPU clock or a perf counter. A reading costs one
 * system call.
 */
#include "meter.h"

#include <errno.h>
#include <linux/memprof.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/**
 * mp_meter_open() - open a meter, which then counts
 * @meter: a meter that is not open; an error does not change it
 * @kind: enum memprof_section_meter
 *
 * Return: 0; -EOPNOTSUPP if the machine has no such counter, or if this process must
 * not read it.
 */
int mp_meter_open(struct mp_meter *meter, uint32_t kind)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = -1;

	if (kind == MEMPROF_SECTION_INSTRUCTIONS) {
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				  PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			return -EOPNOTSUPP;
	}
	*meter = (struct mp_meter){ .kind = kind, .fd = fd };
	return 0;
}

/** mp_meter_close() - close the perf counter of a meter, if it has one */
void mp_meter_close(struct mp_meter *meter)
{
	if (meter->fd >= 0)
		close(meter->fd);
	meter->fd = -1;
}

/**
 * mp_meter_read() - read a meter
 *
 * If another user of perf took the hardware counter away, the meter has no valid value
 * any more. It is marked as failed and always returns its last value.
 *
 * Return: value of the meter; 0 for MEMPROF_SECTION_CALLER, which has no own meter.
 */
uint64_t mp_meter_read(struct mp_meter *meter)
{
	struct timespec now;
	uint64_t value;

	if (meter->kind == MEMPROF_SECTION_TIME &&
	    !clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
		return now.tv_sec * 1000000000ULL + now.tv_nsec;
	if (meter->fd < 0)
		return meter->last;
	if (read(meter->fd, &value, sizeof(value)) == sizeof(value))
		meter->last = value;
	else
		meter->failed = true;
	return meter->last;
}
