// SPDX-License-Identifier: GPL-2.0-only
#include "tally.h"

/**
 * memprof_raise() - let a peak follow its value
 * @peak: the highest so far
 * @value: now
 */
void memprof_raise(atomic64_t *peak, s64 value)
{
	s64 old = atomic64_read(peak);

	while (value > old && !atomic64_try_cmpxchg(peak, &old, value))
		;
}

/**
 * memprof_tally_growth() - add one change of an address space's size
 * @t: tally of the process or the cgroup
 * @op: the call
 * @delta: bytes, negative when the address space shrank
 */
void memprof_tally_growth(struct memprof_live_tally *t,
			  enum memprof_growth_op op, s64 delta)
{
	bool brk = op == MEMPROF_GROWTH_BRK;

	atomic64_inc(&t->nr_growth);
	if (delta >= 0)
		atomic64_add(delta, brk ? &t->brk_up : &t->mmap_up);
	else
		atomic64_add(-delta, brk ? &t->brk_down : &t->mmap_down);
	memprof_raise(&t->peak, atomic64_add_return(delta, &t->net));
}

static u64 take(atomic64_t *value, bool reset)
{
	return reset ? atomic64_xchg(value, 0) : atomic64_read(value);
}

/**
 * memprof_tally_read() - copy a tally, for user space
 * @t: the tally; probes may be adding to it
 * @out: filled
 * @reset: zero each value in the step that reads it
 */
void memprof_tally_read(struct memprof_live_tally *t,
			struct memprof_tally *out, bool reset)
{
	out->minor_faults = take(&t->faults[MEMPROF_FAULT_MINOR], reset);
	out->major_faults = take(&t->faults[MEMPROF_FAULT_MAJOR], reset);
	out->minor_samples = take(&t->samples[MEMPROF_FAULT_MINOR], reset);
	out->major_samples = take(&t->samples[MEMPROF_FAULT_MAJOR], reset);
	out->nr_growth = take(&t->nr_growth, reset);
	out->brk_up_bytes = take(&t->brk_up, reset);
	out->brk_down_bytes = take(&t->brk_down, reset);
	out->mmap_up_bytes = take(&t->mmap_up, reset);
	out->mmap_down_bytes = take(&t->mmap_down, reset);
	/* net first: a peak without its net is zero again at the next event */
	take(&t->net, reset);
	out->growth_peak_bytes = take(&t->peak, reset);
}

static void move(atomic64_t *to, atomic64_t *from)
{
	atomic64_add(atomic64_xchg(from, 0), to);
}

/**
 * memprof_tally_fold() - add a tally to another and zero it
 * @to: keeps its own peak or takes the other's, whichever is higher
 * @from: no probe adds to it any more
 */
void memprof_tally_fold(struct memprof_live_tally *to,
			struct memprof_live_tally *from)
{
	int i;

	for (i = 0; i < 2; i++) {
		move(&to->faults[i], &from->faults[i]);
		move(&to->samples[i], &from->samples[i]);
	}
	move(&to->nr_growth, &from->nr_growth);
	move(&to->brk_up, &from->brk_up);
	move(&to->brk_down, &from->brk_down);
	move(&to->mmap_up, &from->mmap_up);
	move(&to->mmap_down, &from->mmap_down);
	memprof_raise(&to->peak, atomic64_xchg(&from->peak, 0));
	atomic64_set(&from->net, 0);
}
