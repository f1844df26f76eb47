// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adds to allocation tallies, and reads and resets them. Cost: an atomic
 * addition per sum that changes, and a compare-exchange if the peak rises.
 * Nothing here can fail.
 */
#include "alloc.h"
#include <linux/minmax.h>
#include <linux/string.h>
#include "sample.h"
#include "tally.h"

static u64 allocated_objects(const struct memprof_live_alloc *a)
{
	return atomic64_read(&a->samples) * MEMPROF_ONE +
	       atomic64_read(&a->others);
}

/*
 * The sums of freed and lost blocks are read before the sums of allocated
 * blocks. So a block that is allocated and freed during the read counts as in
 * use, and the result does not fall below zero.
 */
static s64 inuse_objects(const struct memprof_live_alloc *a)
{
	s64 gone = atomic64_read_acquire(&a->freed) +
		   atomic64_read_acquire(&a->lost);

	return max_t(s64, allocated_objects(a) - gone, 0);
}

static s64 inuse_space(const struct memprof_live_alloc *a)
{
	s64 gone = atomic64_read_acquire(&a->gone);

	return max_t(s64, atomic64_read(&a->space) - gone, 0);
}

/**
 * memprof_alloc_in_use() - is any of the blocks in use?
 * @a: tally
 */
bool memprof_alloc_in_use(const struct memprof_live_alloc *a)
{
	return inuse_objects(a);
}

static s64 add_and_read(atomic64_t *sum, s64 n)
{
	return n ? atomic64_add_return(n, sum) : atomic64_read(sum);
}

static void add_if_any(atomic64_t *sum, s64 n)
{
	if (n)
		atomic64_add(n, sum);
}

/**
 * memprof_alloc_rises() - would memprof_alloc_merge() raise the peak?
 * @a: tally
 * @d: the change
 */
bool memprof_alloc_rises(const struct memprof_live_alloc *a,
			 const struct memprof_alloc_delta *d)
{
	return d->high > 0 && atomic64_read(&a->space) - atomic64_read(&a->gone) +
			      d->high > atomic64_read(&a->peak);
}

/**
 * memprof_alloc_merge() - add blocks that one thread allocated and freed
 * @a: tally
 * @d: the change
 *
 * The peak is exact if no other thread adds its blocks to @a at the same time.
 */
void memprof_alloc_merge(struct memprof_live_alloc *a,
			 const struct memprof_alloc_delta *d)
{
	s64 gone = atomic64_read(&a->gone);
	s64 space = add_and_read(&a->space, d->space) - d->space;

	add_if_any(&a->samples, d->samples);
	add_if_any(&a->others, d->others);
	/* add allocations before frees: inuse_objects() reads frees first */
	smp_mb__before_atomic();
	add_if_any(&a->freed, d->freed);
	add_if_any(&a->gone, d->gone);
	add_if_any(&a->temporary, d->temporary);
	if (d->high > 0 && memprof_raise(&a->peak, space - gone + d->high))
		atomic_inc(&a->peaks);
}

/**
 * memprof_alloc_keep() - keep what a callsite had at the peak of its process
 * @a: tally of the callsite, which is about to change
 * @process: tally of its process
 */
void memprof_alloc_keep(struct memprof_live_alloc *a,
			const struct memprof_live_alloc *process)
{
	int peak = atomic_read(&process->peaks);
	int kept = atomic_read(&a->kept_peak);

	/* one of several threads that change the tally keeps it */
	if (kept != peak && atomic_try_cmpxchg(&a->kept_peak, &kept, peak))
		atomic64_set(&a->at_peak, inuse_space(a));
}

/**
 * memprof_alloc_at_peak() - a callsite's bytes in use at the peak of its process
 * @a: tally of the callsite
 * @process: tally of its process
 * @reset: the peak of @process was reset to what is in use now
 *
 * Error: the pending changes of the process's threads, less than 64 KiB for each.
 * Return: the bytes, those before the reset.
 */
s64 memprof_alloc_at_peak(struct memprof_live_alloc *a,
			  const struct memprof_live_alloc *process, bool reset)
{
	int peak = atomic_read(&process->peaks);
	s64 space = inuse_space(a), at_peak = space;

	if (atomic_read(&a->kept_peak) == peak)
		at_peak = atomic64_read(&a->at_peak);
	if (reset) {
		atomic64_set(&a->at_peak, space);
		atomic_set(&a->kept_peak, peak);
	}
	return at_peak;
}

/**
 * memprof_alloc_free() - add one freed block at once
 * @a: tally
 * @w: bytes and objects that the block stood for
 */
void memprof_alloc_free(struct memprof_live_alloc *a,
			const struct memprof_weighted *w)
{
	atomic64_add(w->objects, &a->freed);
	atomic64_add(w->space, &a->gone);
}

/**
 * memprof_alloc_drop() - add a block whose end will not be seen
 * @a: tally
 * @w: bytes and objects that the block stands for
 *
 * It does not count as in use, and was not freed.
 */
void memprof_alloc_drop(struct memprof_live_alloc *a,
			const struct memprof_weighted *w)
{
	atomic64_add(w->objects, &a->lost);
	atomic64_add(w->space, &a->gone);
}

/**
 * memprof_alloc_end() - add a block that ended with its address space
 * @a: tally
 * @w: bytes and objects that the block stood for
 */
void memprof_alloc_end(struct memprof_live_alloc *a,
		       const struct memprof_weighted *w)
{
	memprof_alloc_drop(a, w);
	atomic64_add(w->space, &a->ended);
}

/**
 * memprof_alloc_fork() - note the blocks that a child inherits
 * @child: tally of the new process
 * @parent: tally of the process that forked
 */
void memprof_alloc_fork(struct memprof_live_alloc *child,
			struct memprof_live_alloc *parent)
{
	s64 left = atomic64_read(&parent->inherited_objects) -
		   atomic64_read(&parent->inherited_frees);

	atomic64_set(&child->inherited_objects, max(left, 0LL) +
		     (inuse_objects(parent) >> 16));
	atomic64_set(&child->inherited_space,
		     atomic64_read(&parent->inherited_space) +
		     inuse_space(parent));
}

/**
 * memprof_alloc_unknown_free() - add the free of a block that is not followed
 * @a: tally of the process
 *
 * As long as inherited blocks are left, the free counts as the free of one of
 * these. Then it counts as the free of a block that found the table of blocks
 * full. If no such block is left, it counts as unknown.
 */
void memprof_alloc_unknown_free(struct memprof_live_alloc *a)
{
	if (atomic64_read(&a->inherited_frees) <
	    atomic64_read(&a->inherited_objects))
		atomic64_inc(&a->inherited_frees);
	else if (atomic64_dec_if_positive(&a->unfollowed) < 0)
		atomic64_inc(&a->unknown_frees);
}

/* Objects in units of 2^-16, rounded to whole objects. */
static u64 round_objects(u64 objects)
{
	return (objects + MEMPROF_ONE / 2) >> 16;
}

/* The part of @now since the last reset; @reset makes @now the new base. */
static u64 sum_since_reset(u64 now, u64 *base, bool reset)
{
	u64 n = now - *base;

	if (reset)
		*base = now;
	return n;
}

/**
 * memprof_alloc_read() - copy a tally for user space
 * @a: tally; probes may add to it meanwhile; one reader at a time
 * @out: filled in
 * @reset: zero each sum in the step that reads it. The bytes in use stay and
 *	become the new peak.
 */
void memprof_alloc_read(struct memprof_live_alloc *a, struct memprof_alloc *out,
			bool reset)
{
	s64 space = inuse_space(a);

	out->inuse_objects = round_objects(inuse_objects(a));
	out->inuse_space = space;
	out->peak_space = reset ? atomic64_xchg(&a->peak, space) :
			  atomic64_read(&a->peak);
	out->free_objects = round_objects(sum_since_reset(atomic64_read(&a->freed),
							  &a->base.frees, reset));
	out->alloc_objects = round_objects(sum_since_reset(allocated_objects(a), &a->base.objects,
							   reset));
	out->alloc_space = sum_since_reset(atomic64_read(&a->space), &a->base.space,
					   reset);
	out->samples = sum_since_reset(atomic64_read(&a->samples), &a->base.samples,
				       reset);
	out->failed = round_objects(memprof_sum_read(&a->failed, reset));
	out->temporary_objects = round_objects(memprof_sum_read(&a->temporary, reset));
	out->unknown_frees = memprof_sum_read(&a->unknown_frees, reset);
	out->inherited_objects = atomic64_read(&a->inherited_objects);
	out->inherited_space = atomic64_read(&a->inherited_space);
	out->inherited_frees = atomic64_read(&a->inherited_frees);
}

/**
 * memprof_alloc_fold() - add a tally to another and zero it
 * @to: its peak becomes the higher one of both peaks
 * @from: tally of an exited process that has no followed blocks
 */
void memprof_alloc_fold(struct memprof_live_alloc *to,
			struct memprof_live_alloc *from)
{
	memprof_sum_move(&to->samples, &from->samples);
	memprof_sum_move(&to->others, &from->others);
	memprof_sum_move(&to->space, &from->space);
	memprof_sum_move(&to->freed, &from->freed);
	memprof_sum_move(&to->lost, &from->lost);
	memprof_sum_move(&to->gone, &from->gone);
	memprof_sum_move(&to->ended, &from->ended);
	memprof_sum_move(&to->at_peak, &from->at_peak);
	memprof_sum_move(&to->failed, &from->failed);
	memprof_sum_move(&to->temporary, &from->temporary);
	memprof_sum_move(&to->unknown_frees, &from->unknown_frees);
	memprof_sum_move(&to->inherited_objects, &from->inherited_objects);
	memprof_sum_move(&to->inherited_space, &from->inherited_space);
	memprof_sum_move(&to->inherited_frees, &from->inherited_frees);
	memprof_raise(&to->peak, atomic64_xchg(&from->peak, 0));
	to->base.samples += from->base.samples;
	to->base.objects += from->base.objects;
	to->base.space += from->base.space;
	to->base.frees += from->base.frees;
	memset(&from->base, 0, sizeof(from->base));
}
