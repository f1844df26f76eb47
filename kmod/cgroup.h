/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups: a bounded table with a row per cgroup v2 that a target ran in. */
#ifndef _MEMPROF_CGROUP_H
#define _MEMPROF_CGROUP_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "alloc.h"
#include "counter.h"
#include "table.h"
#include "tally.h"

struct cgroup;

struct memprof_cgroup_row {
	struct memprof_entry entry;
	struct cgroup *cgrp;		/* a reference */
	u64 id;				/* 0: the row is free */
	struct memprof_live_tally tally;
	struct memprof_live_alloc alloc;
	u64 peak_rss;			/* bytes; under the session's mutex */
} ____cacheline_aligned_in_smp;

struct memprof_cgroups {
	struct memprof_table table;	/* of struct memprof_cgroup_row */
	struct mutex mutex;		/* held while all rows are visited */
	struct delayed_work recycle;
	struct memprof_cgroup_row overflow;	/* cgroups without a row */
	struct memprof_counts __percpu *counts;
};

int memprof_cgroups_alloc(struct memprof_cgroups *t, u32 max,
			  struct memprof_counts __percpu *counts);
void memprof_cgroups_quiesce(struct memprof_cgroups *t);
void memprof_cgroups_free(struct memprof_cgroups *t);

struct memprof_cgroup_row *memprof_cgroup_find(struct memprof_cgroups *t, u64 id);
struct memprof_cgroup_row *memprof_cgroup_get(struct memprof_cgroups *t,
					      struct cgroup *cgrp);

u32 memprof_cgroups_add_missing(struct memprof_cgroups *t,
				const struct memprof_process *p, u32 nr);
u32 memprof_cgroups_read(struct memprof_cgroups *t, struct memprof_cgroup *out,
			 u32 room, const struct memprof_process *processes,
			 u32 nr_processes, bool reset);

#endif
