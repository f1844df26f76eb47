/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tallies: sums of the faults and the growth of a process or a cgroup.
 *
 * Any probe adds to them, on any CPU and in any context. Cost: one atomic
 * addition per value and no lock.
 */
#ifndef _MEMPROF_TALLY_H
#define _MEMPROF_TALLY_H

#include <linux/atomic.h>
#include <uapi/linux/memprof.h>

/* Values of the "op" field of memprof:growth. */
enum memprof_growth_op {
	MEMPROF_GROWTH_BRK,
	MEMPROF_GROWTH_MMAP,
	MEMPROF_GROWTH_MUNMAP,
	MEMPROF_GROWTH_MREMAP,
	MEMPROF_GROWTH_MPROTECT,
	MEMPROF_GROWTH_SHMAT,
	MEMPROF_GROWTH_SHMDT,
	MEMPROF_GROWTH_STACK,
	MEMPROF_GROWTH_MADVISE,		/* gave pages back: no growth */
};

/* Values of the "kind" field of memprof:fault. */
enum memprof_fault_kind {
	MEMPROF_FAULT_MINOR,
	MEMPROF_FAULT_MAJOR,
};

/* Probes add to these sums, and struct memprof_tally is computed from them. */
struct memprof_live_tally {
	atomic64_t faults[2];		/* by enum memprof_fault_kind */
	atomic64_t samples[2];
	atomic64_t nr_growth;
	atomic64_t brk_up, brk_down;	/* bytes */
	atomic64_t mmap_up, mmap_down;
	atomic64_t net, peak;		/* of brk and mmap together, bytes */
	atomic64_t advised;		/* bytes that madvise gave back */
};

/* Net growth, bytes. */
struct memprof_grown {
	s64 brk, mmap;
};

static inline void memprof_tally_fault(struct memprof_live_tally *t,
				       enum memprof_fault_kind kind, u32 weight)
{
	atomic64_add(weight, &t->faults[kind]);
	atomic64_inc(&t->samples[kind]);
}

/* Reads a sum; with @reset also zeroes it, in the same step. */
static inline u64 memprof_sum_read(atomic64_t *sum, bool reset)
{
	return reset ? atomic64_xchg(sum, 0) : atomic64_read(sum);
}

/* Adds @from to @to and zeroes @from. */
static inline void memprof_sum_move(atomic64_t *to, atomic64_t *from)
{
	atomic64_add(atomic64_xchg(from, 0), to);
}

bool memprof_raise(atomic64_t *peak, s64 value);
void memprof_tally_growth(struct memprof_live_tally *t,
			  enum memprof_growth_op op, s64 delta);
void memprof_tally_grown(const struct memprof_live_tally *t,
			 struct memprof_grown *grown);
void memprof_tally_take(struct memprof_live_tally *t,
			const struct memprof_grown *grown);
void memprof_tally_read(struct memprof_live_tally *t,
			struct memprof_tally *out, bool reset);
void memprof_tally_fold(struct memprof_live_tally *to,
			struct memprof_live_tally *from);

#endif
