/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation tallies: sums of the allocations of a process, a cgroup or a
 * callsite. Threads collect changes (pending.h) and add many at a time, with
 * atomics and without a lock.
 */
#ifndef _MEMPROF_ALLOC_H
#define _MEMPROF_ALLOC_H

#include <linux/atomic.h>
#include <uapi/linux/memprof.h>

/* Sums at the last reset. Only SNAPSHOT uses them, under the session's lock. */
struct memprof_alloc_base {
	u64 samples, objects, space, frees;
};

/*
 * Probes add to these sums, and struct memprof_alloc is computed from them.
 * Objects are in units of 2^-16. The blocks in use are the difference of two
 * sums: allocated blocks, and blocks that were freed or lost.
 */
struct memprof_live_alloc {
	atomic64_t samples;		/* followed blocks */
	atomic64_t others;		/* their objects, minus samples */
	atomic64_t space;		/* bytes allocated */
	atomic64_t freed, lost;		/* objects; lost: with their process */
	atomic64_t gone;		/* bytes freed and lost */
	atomic64_t ended;		/* bytes lost with their process */
	atomic64_t peak;		/* highest space - gone, bytes */
	atomic_t peaks;			/* number of times that peak rose */
	/*
	 * Of a callsite: its bytes in use at the peak of its process that has the
	 * number kept_peak. If the process has had a later peak, the bytes in use
	 * have not changed since.
	 */
	atomic_t kept_peak;
	atomic64_t at_peak;
	atomic64_t failed, temporary;	/* objects */
	atomic64_t unknown_frees;	/* calls */
	atomic64_t unfollowed;		/* blocks that found the table full, and
					 * whose free was not seen yet
					 */
	/* whole objects, bytes, calls */
	atomic64_t inherited_objects, inherited_space, inherited_frees;
	struct memprof_alloc_base base;
	atomic_t holders;		/* threads with pending sums for it;
					 * above 0: its row is not reused
					 */
};

/* A change of a tally, by blocks that were allocated or freed. */
struct memprof_alloc_delta {
	u64 space, gone;		/* bytes */
	u64 others, freed, temporary;	/* objects; others may be negative */
	s64 high;			/* highest value of space - gone */
	u32 samples;
};

/* The bytes and objects that one followed block stands for. */
struct memprof_weighted {
	u64 space;			/* bytes */
	u64 objects;			/* in units of 2^-16 */
};

/* Whether a thread has pending sums for a tally. If not, it is complete. */
static inline bool memprof_alloc_is_held(const struct memprof_live_alloc *a)
{
	/* pairs with release_tally() */
	return atomic_read_acquire(&a->holders);
}

bool memprof_alloc_rises(const struct memprof_live_alloc *a,
			 const struct memprof_alloc_delta *d);
void memprof_alloc_merge(struct memprof_live_alloc *a,
			 const struct memprof_alloc_delta *d);
void memprof_alloc_keep(struct memprof_live_alloc *a,
			const struct memprof_live_alloc *process);
s64 memprof_alloc_at_peak(struct memprof_live_alloc *a,
			  const struct memprof_live_alloc *process, bool reset);
void memprof_alloc_free(struct memprof_live_alloc *a,
			const struct memprof_weighted *w);
void memprof_alloc_drop(struct memprof_live_alloc *a,
			const struct memprof_weighted *w);
void memprof_alloc_end(struct memprof_live_alloc *a,
		       const struct memprof_weighted *w);
void memprof_alloc_fork(struct memprof_live_alloc *child,
			struct memprof_live_alloc *parent);
void memprof_alloc_unknown_free(struct memprof_live_alloc *a);
bool memprof_alloc_in_use(const struct memprof_live_alloc *a);
void memprof_alloc_read(struct memprof_live_alloc *a, struct memprof_alloc *out,
			bool reset);
void memprof_alloc_fold(struct memprof_live_alloc *to,
			struct memprof_live_alloc *from);

#endif
