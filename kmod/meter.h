/* SPDX-License-Identifier: GPL-2.0-only */
/* A meter: counts what a thread uses, except in the ioctls of sections. */
#ifndef _MEMPROF_METER_H
#define _MEMPROF_METER_H

#include <linux/types.h>

struct perf_event;

/* No lock, because only the measured thread uses its meter. */
struct memprof_meter {
	u32 kind;			/* enum memprof_section_meter */
	struct perf_event *event;	/* NULL: the caller's own meter */
	/* the following are in units of the meter */
	u64 own;			/* used by the ioctls so far */
	u64 entered, left;		/* values at an ioctl's begin, end */
};

int memprof_meter_open(struct memprof_meter *m, u32 kind);
void memprof_meter_close(struct memprof_meter *m);
bool memprof_meter_failed(const struct memprof_meter *m);
u64 memprof_meter_enter(struct memprof_meter *m, u64 way);
void memprof_meter_leave(struct memprof_meter *m);

#endif
