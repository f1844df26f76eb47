/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation tallies: what a process, a cgroup and a callsite own of the heap.
 * As struct memprof_live_tally: atomic additions, no lock.
 */
#ifndef _MEMPROF_ALLOC_H
#define _MEMPROF_ALLOC_H

#include <linux/atomic.h>
#include <uapi/linux/memprof.h>

/* Sums at the last reset; who reads the tally serializes. */
struct memprof_alloc_base {
	u64 samples, objects, space, frees;
};

/*
 * struct memprof_alloc while it grows; objects are in units of 2^-16. What is in
 * use is the difference of what came and what went: two additions per block and
 * direction, and a third only for blocks that stand for others.
 */
struct memprof_live_alloc {
	atomic64_t samples;		/* blocks */
	atomic64_t others;		/* objects that they stand for besides */
	atomic64_t space;
	atomic64_t freed, lost;		/* objects */
	atomic64_t gone;		/* bytes of both */
	atomic64_t peak;
	atomic64_t failed, temporary;	/* objects */
	atomic64_t unknown_frees;	/* calls */
	atomic64_t inherited_objects, inherited_space, inherited_frees;
	struct memprof_alloc_base base;
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
