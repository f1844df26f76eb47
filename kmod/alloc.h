/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation tallies: what a process, a cgroup and a callsite own of the heap.
 * As struct memprof_live_tally: one atomic addition per value, no lock.
 */
#ifndef _MEMPROF_ALLOC_H
#define _MEMPROF_ALLOC_H

#include <linux/atomic.h>
#include <uapi/linux/memprof.h>

/* struct memprof_alloc while it grows; objects are in units of 2^-16. */
struct memprof_live_alloc {
	atomic64_t objects, space;
	atomic64_t frees;		/* objects */
	atomic64_t inuse_objects, inuse_space, peak;
	atomic64_t failed, temporary;	/* objects */
	atomic64_t unknown_frees;	/* calls */
	atomic64_t inherited_objects, inherited_space, inherited_frees;
	atomic64_t samples;		/* calls */
};

/* Of one block, what the tallies need: bytes and objects it stands for. */
struct memprof_weighted {
	u64 space;			/* bytes */
	u64 objects;			/* in units of 2^-16 */
};

void memprof_alloc_add(struct memprof_live_alloc *a,
		       const struct memprof_weighted *w);
void memprof_alloc_free(struct memprof_live_alloc *a,
			const struct memprof_weighted *w, bool temporary);
void memprof_alloc_drop(struct memprof_live_alloc *a,
			const struct memprof_weighted *w);
void memprof_alloc_fork(struct memprof_live_alloc *child,
			struct memprof_live_alloc *parent);
void memprof_alloc_unknown_free(struct memprof_live_alloc *a);
void memprof_alloc_read(struct memprof_live_alloc *a, struct memprof_alloc *out,
			bool reset);
void memprof_alloc_fold(struct memprof_live_alloc *to,
			struct memprof_live_alloc *from);

#endif
