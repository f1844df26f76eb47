// SPDX-License-Identifier: GPL-2.0-only
#include "alloc.h"
#include <linux/minmax.h>
#include <linux/string.h>
#include "sample.h"
#include "tally.h"

static u64 objects_of(const struct memprof_live_alloc *a)
{
	return atomic64_read(&a->samples) * MEMPROF_ONE +
	       atomic64_read(&a->others);
}

/*
 * What went is read before what came: a block that comes and goes meanwhile is
 * in use, it does not count below nothing.
 */
static s64 inuse_objects(const struct memprof_live_alloc *a)
{
	s64 gone = atomic64_read_acquire(&a->freed) +
		   atomic64_read_acquire(&a->lost);

	return max_t(s64, objects_of(a) - gone, 0);
}

static s64 inuse_space(const struct memprof_live_alloc *a)
{
	s64 gone = atomic64_read_acquire(&a->gone);

	return max_t(s64, atomic64_read(&a->space) - gone, 0);
}

/**
 * memprof_alloc_add() - a block was allocated
 * @a: tally
 * @w: what the block stands for
 *
 * The peak is that of one order of the events that no observer could tell from
 * the real one: a free on another CPU, at the same time, may count as earlier.
 */
void memprof_alloc_add(struct memprof_live_alloc *a,
		       const struct memprof_weighted *w)
{
	s64 space = atomic64_add_return(w->space, &a->space);

	atomic64_inc(&a->samples);
	if (w->objects != MEMPROF_ONE)
		atomic64_add(w->objects - MEMPROF_ONE, &a->others);
	memprof_raise(&a->peak, space - atomic64_read(&a->gone));
}

/**
 * memprof_alloc_free() - a block was freed
 * @a: tally
 * @w: what the block stood for
 * @temporary: by its allocator's thread, before that allocated again
 */
void memprof_alloc_free(struct memprof_live_alloc *a,
			const struct memprof_weighted *w, bool temporary)
{
	atomic64_add(w->objects, &a->freed);
	atomic64_add(w->space, &a->gone);
	if (temporary)
		atomic64_add(w->objects, &a->temporary);
}

/**
 * memprof_alloc_drop() - a block is gone without having been freed
 * @a: tally
 * @w: what the block stood for
 *
 * Its address space ended.
 */
void memprof_alloc_drop(struct memprof_live_alloc *a,
			const struct memprof_weighted *w)
{
	atomic64_add(w->objects, &a->lost);
	atomic64_add(w->space, &a->gone);
}

/**
 * memprof_alloc_fork() - a child gets a copy of its parent's heap
 * @child: tally of a new process
 * @parent: tally of the one that forked
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
 * memprof_alloc_unknown_free() - a block was freed that is not followed
 * @a: tally of the process
 *
 * While there are inherited blocks left, it is taken for one of them.
 */
void memprof_alloc_unknown_free(struct memprof_live_alloc *a)
{
	if (atomic64_read(&a->inherited_frees) <
	    atomic64_read(&a->inherited_objects))
		atomic64_inc(&a->inherited_frees);
	else
		atomic64_inc(&a->unknown_frees);
}

static u64 whole(u64 objects)
{
	return (objects + MEMPROF_ONE / 2) >> 16;
}

static u64 take(atomic64_t *value, bool reset)
{
	return reset ? atomic64_xchg(value, 0) : atomic64_read(value);
}

/* What came since the last reset; reset: from here on. */
static u64 since(u64 now, u64 *base, bool reset)
{
	u64 n = now - *base;

	if (reset)
		*base = now;
	return n;
}

/**
 * memprof_alloc_read() - copy a tally, for user space
 * @a: the tally; probes may be adding to it, nobody else is reading it
 * @out: filled
 * @reset: zero the sums in the step that reads them; what is in use stays, and
 *	is the new peak
 */
void memprof_alloc_read(struct memprof_live_alloc *a, struct memprof_alloc *out,
			bool reset)
{
	s64 space = inuse_space(a);

	out->inuse_objects = whole(inuse_objects(a));
	out->inuse_space = space;
	out->peak_space = reset ? atomic64_xchg(&a->peak, space) :
			  atomic64_read(&a->peak);
	out->free_objects = whole(since(atomic64_read(&a->freed),
					&a->base.frees, reset));
	out->alloc_objects = whole(since(objects_of(a), &a->base.objects,
					 reset));
	out->alloc_space = since(atomic64_read(&a->space), &a->base.space,
				 reset);
	out->samples = since(atomic64_read(&a->samples), &a->base.samples,
			     reset);
	out->failed = whole(take(&a->failed, reset));
	out->temporary_objects = whole(take(&a->temporary, reset));
	out->unknown_frees = take(&a->unknown_frees, reset);
	out->inherited_objects = atomic64_read(&a->inherited_objects);
	out->inherited_space = atomic64_read(&a->inherited_space);
	out->inherited_frees = atomic64_read(&a->inherited_frees);
}

static void move(atomic64_t *to, atomic64_t *from)
{
	atomic64_add(atomic64_xchg(from, 0), to);
}

/**
 * memprof_alloc_fold() - add a tally to another and zero it
 * @to: keeps its own peak or takes the other's, whichever is higher
 * @from: of an exited process, whose blocks are gone
 */
void memprof_alloc_fold(struct memprof_live_alloc *to,
			struct memprof_live_alloc *from)
{
	move(&to->samples, &from->samples);
	move(&to->others, &from->others);
	move(&to->space, &from->space);
	move(&to->freed, &from->freed);
	move(&to->lost, &from->lost);
	move(&to->gone, &from->gone);
	move(&to->failed, &from->failed);
	move(&to->temporary, &from->temporary);
	move(&to->unknown_frees, &from->unknown_frees);
	move(&to->inherited_frees, &from->inherited_frees);
	memprof_raise(&to->peak, atomic64_xchg(&from->peak, 0));
	to->base.samples += from->base.samples;
	to->base.objects += from->base.objects;
	to->base.space += from->base.space;
	to->base.frees += from->base.frees;
	memset(&from->base, 0, sizeof(from->base));
}
