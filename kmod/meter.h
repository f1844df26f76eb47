/* SPDX-License-Identifier: GPL-2.0-only */
/* A meter: what a thread has used, without what it used in here. */
#ifndef _MEMPROF_METER_H
#define _MEMPROF_METER_H

#include <linux/types.h>

struct perf_event;

/* Of one thread, which alone uses it. */
struct memprof_meter {
	u32 kind;			/* enum memprof_section_meter */
	struct perf_event *event;	/* NULL: the caller's own meter */
	u64 own;			/* used in here so far */
	u64 entered, left;		/* what was shown when we were, last */
};

int memprof_meter_open(struct memprof_meter *m, u32 kind);
void memprof_meter_close(struct memprof_meter *m);
bool memprof_meter_failed(const struct memprof_meter *m);
u64 memprof_meter_enter(struct memprof_meter *m, u64 way);
void memprof_meter_leave(struct memprof_meter *m);

#endif
