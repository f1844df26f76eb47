// SPDX-License-Identifier: GPL-2.0-only
#include "alloc.h"
#include <linux/minmax.h>
#include "sample.h"
#include "tally.h"

/**
 * memprof_alloc_add() - a block was allocated
 * @a: tally
 * @w: what the block stands for
 */
void memprof_alloc_add(struct memprof_live_alloc *a,
		       const struct memprof_weighted *w)
{
	atomic64_add(w->objects, &a->objects);
	atomic64_add(w->space, &a->space);
	atomic64_add(w->objects, &a->inuse_objects);
	memprof_raise(&a->peak, atomic64_add_return(w->space, &a->inuse_space));
	atomic64_inc(&a->samples);
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
	atomic64_sub(w->objects, &a->inuse_objects);
	atomic64_sub(w->space, &a->inuse_space);
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
	memprof_alloc_drop(a, w);
	atomic64_add(w->objects, &a->frees);
	if (temporary)
		atomic64_add(w->objects, &a->temporary);
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
		     (atomic64_read(&parent->inuse_objects) >> 16));
	atomic64_set(&child->inherited_space,
		     atomic64_read(&parent->inherited_space) +
		     atomic64_read(&parent->inuse_space));
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

/**
 * memprof_alloc_read() - copy a tally, for user space
 * @a: the tally; probes may be adding to it
 * @out: filled
 * @reset: zero the sums in the step that reads them; what is in use stays, and
 *	is the new peak
 */
void memprof_alloc_read(struct memprof_live_alloc *a, struct memprof_alloc *out,
			bool reset)
{
	s64 space = max(atomic64_read(&a->inuse_space), 0LL);

	out->alloc_objects = whole(take(&a->objects, reset));
	out->alloc_space = take(&a->space, reset);
	out->free_objects = whole(take(&a->frees, reset));
	out->inuse_objects = whole(max(atomic64_read(&a->inuse_objects), 0LL));
	out->inuse_space = space;
	out->peak_space = reset ? atomic64_xchg(&a->peak, space) :
			  atomic64_read(&a->peak);
	out->failed = whole(take(&a->failed, reset));
	out->temporary_objects = whole(take(&a->temporary, reset));
	out->unknown_frees = take(&a->unknown_frees, reset);
	out->inherited_objects = atomic64_read(&a->inherited_objects);
	out->inherited_space = atomic64_read(&a->inherited_space);
	out->inherited_frees = atomic64_read(&a->inherited_frees);
	out->samples = take(&a->samples, reset);
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
	move(&to->objects, &from->objects);
	move(&to->space, &from->space);
	move(&to->frees, &from->frees);
	move(&to->failed, &from->failed);
	move(&to->temporary, &from->temporary);
	move(&to->unknown_frees, &from->unknown_frees);
	move(&to->inherited_frees, &from->inherited_frees);
	move(&to->samples, &from->samples);
	memprof_raise(&to->peak, atomic64_xchg(&from->peak, 0));
}
