// SPDX-License-Identifier: GPL-2.0-only
#include "tally.h"

/**
 * memprof_raise() - raise a peak to a value that is above it
 * @peak: highest value so far
 * @value: value now
 *
 * Return: whether the peak rose.
 */
bool memprof_raise(atomic64_t *peak, s64 value)
{
	s64 old = atomic64_read(peak);

	while (value > old)
		if (atomic64_try_cmpxchg(peak, &old, value))
			return true;
	return false;
}

/**
 * memprof_tally_growth() - add a change of the size of an address space
 * @t: tally of the process or of the cgroup
 * @op: the call that changed the size
 * @delta: bytes; negative when the address space shrank, or gave pages back
 */
void memprof_tally_growth(struct memprof_live_tally *t,
			  enum memprof_growth_op op, s64 delta)
{
	bool brk = op == MEMPROF_GROWTH_BRK;

	if (op == MEMPROF_GROWTH_MADVISE) {
		atomic64_sub(delta, &t->advised);
		return;
	}
	atomic64_inc(&t->nr_growth);
	if (delta >= 0)
		atomic64_add(delta, brk ? &t->brk_up : &t->mmap_up);
	else
		atomic64_add(-delta, brk ? &t->brk_down : &t->mmap_down);
	memprof_raise(&t->peak, atomic64_add_return(delta, &t->net));
}

/**
 * memprof_tally_grown() - net growth since START or the last reset
 * @t: tally of a process
 * @grown: filled in
 */
void memprof_tally_grown(const struct memprof_live_tally *t,
			 struct memprof_grown *grown)
{
	grown->brk = atomic64_read(&t->brk_up) - atomic64_read(&t->brk_down);
	grown->mmap = atomic64_read(&t->mmap_up) - atomic64_read(&t->mmap_down);
}

/**
 * memprof_tally_take() - subtract the growth of a process that ends or leaves
 * @t: tally of the cgroup
 * @grown: growth of the process in the cgroup; not below 0
 */
void memprof_tally_take(struct memprof_live_tally *t,
			const struct memprof_grown *grown)
{
	atomic64_add(grown->brk, &t->brk_down);
	atomic64_add(grown->mmap, &t->mmap_down);
	atomic64_sub(grown->brk + grown->mmap, &t->net);
}

/**
 * memprof_tally_read() - copy a tally for user space
 * @t: tally; probes may add to it meanwhile
 * @out: filled in
 * @reset: zero each value in the step that reads it
 */
void memprof_tally_read(struct memprof_live_tally *t,
			struct memprof_tally *out, bool reset)
{
	out->minor_faults = memprof_sum_read(&t->faults[MEMPROF_FAULT_MINOR], reset);
	out->major_faults = memprof_sum_read(&t->faults[MEMPROF_FAULT_MAJOR], reset);
	out->minor_samples = memprof_sum_read(&t->samples[MEMPROF_FAULT_MINOR], reset);
	out->major_samples = memprof_sum_read(&t->samples[MEMPROF_FAULT_MAJOR], reset);
	out->nr_growth = memprof_sum_read(&t->nr_growth, reset);
	out->brk_up_bytes = memprof_sum_read(&t->brk_up, reset);
	out->brk_down_bytes = memprof_sum_read(&t->brk_down, reset);
	out->mmap_up_bytes = memprof_sum_read(&t->mmap_up, reset);
	out->mmap_down_bytes = memprof_sum_read(&t->mmap_down, reset);
	/*
	 * Reset net before peak. In the other order, an event in between would
	 * raise the new peak to a value that includes the old net.
	 */
	memprof_sum_read(&t->net, reset);
	out->growth_peak_bytes = memprof_sum_read(&t->peak, reset);
}

/**
 * memprof_tally_fold() - add a tally to another and zero it
 * @to: its peak becomes the higher one of both peaks
 * @from: no probe adds to it any more
 */
void memprof_tally_fold(struct memprof_live_tally *to,
			struct memprof_live_tally *from)
{
	int i;

	for (i = 0; i < 2; i++) {
		memprof_sum_move(&to->faults[i], &from->faults[i]);
		memprof_sum_move(&to->samples[i], &from->samples[i]);
	}
	memprof_sum_move(&to->nr_growth, &from->nr_growth);
	memprof_sum_move(&to->brk_up, &from->brk_up);
	memprof_sum_move(&to->brk_down, &from->brk_down);
	memprof_sum_move(&to->mmap_up, &from->mmap_up);
	memprof_sum_move(&to->mmap_down, &from->mmap_down);
	memprof_sum_move(&to->advised, &from->advised);
	memprof_raise(&to->peak, atomic64_xchg(&from->peak, 0));
	atomic64_set(&from->net, 0);
}
