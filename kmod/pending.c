// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects changes of tallies per thread. Without this, threads that allocate
 * at the same time would all write to the same few cache lines: the tallies of
 * their process and their cgroup. A thread adds its changes to the tallies
 * after 64 blocks, or after 64 KiB of net change. A snapshot adds the changes
 * of all threads before it reads the tallies.
 *
 * Cost: per block one lock that other threads rarely take, and additions in the
 * thread's own cache lines. Memory: 1.1 KiB per thread.
 *
 * Error: Sums are exact. The peak of a tally is exact as long as one thread
 * allocates. With n threads the error of the peak is the pending changes of the
 * other threads: less than 64 KiB for each of them, or one block if blocks are
 * larger.
 *
 * A new peak of a process takes the sums of the thread's callsites with it, so that what
 * they have at that peak (memprof_alloc_keep()) has the same error.
 *
 * A row is not reused while any thread has pending sums for it: "holders" counts
 * these threads.
 */
#include "pending.h"
#include <linux/hash.h>
#include <linux/log2.h>
#include "live.h"
#include "process.h"
#include "sample.h"
#include "site.h"

#define MAX_EVENTS	64
#define MAX_BYTES	(64 << 10)

/* The free of a block of this size, in bytes, is seen as the end of a peak. */
#define END_OF_PEAK	(MAX_BYTES / MAX_EVENTS)

static struct memprof_site_row *site_of_tally(struct memprof_live_alloc *tally)
{
	return container_of(tally, struct memprof_site_row, alloc);
}

/* Adds a pending sum to its tally and sets it to zero. The tally stays held. */
static void merge_sum(struct memprof_pending_sum *sum)
{
	if (!sum->events)
		return;
	memprof_alloc_merge(sum->tally, &sum->delta);
	sum->delta = (struct memprof_alloc_delta){};
	sum->events = 0;
}

static void merge_site(struct memprof_pending *p, u32 slot)
{
	struct memprof_pending_sum *sum = &p->sites[slot];

	if (!sum->events)
		return;
	memprof_alloc_keep(sum->tally, &p->row->alloc);
	merge_sum(sum);
}

/* At a new peak of the process, what its callsites have must be known. */
static void merge_process(struct memprof_pending *p)
{
	u32 slot;

	if (memprof_alloc_rises(p->process.tally, &p->process.delta))
		for (slot = 0; slot < MEMPROF_PENDING_SITES; slot++)
			merge_site(p, slot);
	merge_sum(&p->process);
}

static void merge_bins(struct memprof_pending *p, u32 slot)
{
	struct memprof_site_row *site = site_of_tally(p->sites[slot].tally);
	struct memprof_pending_bin *size = &p->sizes[slot];
	struct memprof_pending_bin *lifetime = &p->lifetimes[slot];

	if (size->objects)
		atomic64_add(size->objects, &site->sizes[size->bin]);
	if (lifetime->objects)
		atomic64_add(lifetime->objects, &site->lifetimes[lifetime->bin]);
	size->objects = 0;
	lifetime->objects = 0;
}

static void release_site(struct memprof_pending *p, u32 slot)
{
	if (!p->sites[slot].tally)
		return;
	merge_site(p, slot);
	merge_bins(p, slot);
	p->sites[slot].tally = NULL;
}

static void hold_tally(struct memprof_pending_sum *sum,
		       struct memprof_live_alloc *tally)
{
	atomic_inc(&tally->holders);
	sum->tally = tally;
}

static void release_tally(struct memprof_pending_sum *sum)
{
	if (!sum->tally)
		return;
	merge_sum(sum);
	/* pairs with memprof_alloc_is_held(): the tally is complete first */
	atomic_dec_return_release(&sum->tally->holders);
	sum->tally = NULL;
}

static void merge_blocks(struct memprof_pending *p)
{
	if (p->blocks)
		atomic_add(p->blocks, &p->row->blocks);
	p->blocks = 0;
}

static void settle(struct memprof_pending *p)
{
	u32 slot;

	lockdep_assert_held(&p->lock);
	if (!p->row)
		return;
	for (slot = 0; slot < MEMPROF_PENDING_SITES; slot++)
		release_site(p, slot);
	release_tally(&p->cgroup);
	merge_blocks(p);
	/* release the process last: then its row may be reused */
	release_tally(&p->process);
	WRITE_ONCE(p->row, NULL);
}

static void hold_process(struct memprof_pending *p, struct memprof_row *row)
{
	if (likely(p->row == row))
		return;
	settle(p);
	hold_tally(&p->process, &row->alloc);
	WRITE_ONCE(p->row, row);
}

static void hold_cgroup(struct memprof_pending *p,
			struct memprof_live_alloc *tally)
{
	if (likely(p->cgroup.tally == tally))
		return;
	release_tally(&p->cgroup);
	hold_tally(&p->cgroup, tally);
}

/* Returns the slot of a callsite. Another callsite in the slot is released. */
static u32 hold_site(struct memprof_pending *p, struct memprof_live_alloc *tally)
{
	u32 slot = hash_ptr(tally, ilog2(MEMPROF_PENDING_SITES));

	if (p->sites[slot].tally != tally) {
		release_site(p, slot);
		p->sites[slot].tally = tally;
	}
	return slot;
}

static u32 hold_tallies(struct memprof_pending *p, struct memprof_row *row,
			const struct memprof_found *b)
{
	hold_process(p, row);
	hold_cgroup(p, b->cgroup);
	return hold_site(p, b->site);
}

/* Counts an event of a sum. Returns whether the sum must be merged. */
static bool is_due(struct memprof_pending_sum *sum)
{
	s64 net = sum->delta.space - sum->delta.gone;

	sum->delta.high = max(sum->delta.high, net);
	sum->events++;
	return sum->events >= MAX_EVENTS || net >= MAX_BYTES || net <= -MAX_BYTES;
}

static bool add_block(struct memprof_pending_sum *sum,
		      const struct memprof_weighted *w)
{
	sum->delta.samples++;
	sum->delta.space += w->space;
	sum->delta.others += w->objects - MEMPROF_ONE;
	return is_due(sum);
}

static bool free_block(struct memprof_pending_sum *sum,
		       const struct memprof_weighted *w, bool temporary)
{
	sum->delta.freed += w->objects;
	sum->delta.gone += w->space;
	if (temporary)
		sum->delta.temporary += w->objects;
	return is_due(sum);
}

static void add_to_bin(struct memprof_pending_bin *pending, atomic64_t *bins,
		       u64 value, const struct memprof_weighted *w)
{
	u32 bin = memprof_histogram_bin(value);

	if (pending->bin != bin && pending->objects) {
		atomic64_add(pending->objects, &bins[pending->bin]);
		pending->objects = 0;
	}
	pending->bin = bin;
	pending->objects += memprof_whole_objects(w);
}

/**
 * memprof_pending_alloc() - add an allocated block
 * @p: of the running thread
 * @row: process of the block
 * @b: the block
 * @blocks: blocks added to the live table minus blocks removed from it
 *
 * In an RCU read-side section in which @row and the tallies of @b were found.
 */
void memprof_pending_alloc(struct memprof_pending *p, struct memprof_row *row,
			   const struct memprof_found *b, s32 blocks)
{
	u32 slot;

	raw_spin_lock(&p->lock);
	slot = hold_tallies(p, row, b);
	p->blocks += blocks;
	if (add_block(&p->sites[slot], &b->weighted))
		merge_site(p, slot);
	if (add_block(&p->cgroup, &b->weighted))
		merge_sum(&p->cgroup);
	if (add_block(&p->process, &b->weighted))
		merge_process(p);
	add_to_bin(&p->sizes[slot], site_of_tally(b->site)->sizes, b->size,
		   &b->weighted);
	raw_spin_unlock(&p->lock);
}

/**
 * memprof_pending_free() - add a freed block
 * @p: of the running thread
 * @row: process of the block
 * @b: the block
 * @blocks: as for memprof_pending_alloc()
 * @age_ns: time from allocation to free
 * @temporary: the thread that allocated the block freed it before it allocated
 *	again
 *
 * In an RCU read-side section that has kept @row and the tallies of @b since the
 * block was in the live table.
 */
void memprof_pending_free(struct memprof_pending *p, struct memprof_row *row,
			  const struct memprof_found *b, s32 blocks,
			  u64 age_ns, bool temporary)
{
	u32 slot;

	raw_spin_lock(&p->lock);
	slot = hold_tallies(p, row, b);
	p->blocks += blocks;
	if (b->weighted.space >= END_OF_PEAK &&
	    memprof_alloc_rises(p->process.tally, &p->process.delta))
		merge_process(p);
	if (free_block(&p->sites[slot], &b->weighted, temporary))
		merge_site(p, slot);
	if (free_block(&p->cgroup, &b->weighted, temporary))
		merge_sum(&p->cgroup);
	if (free_block(&p->process, &b->weighted, temporary))
		merge_process(p);
	add_to_bin(&p->lifetimes[slot], site_of_tally(b->site)->lifetimes,
		   age_ns, &b->weighted);
	raw_spin_unlock(&p->lock);
}

/**
 * memprof_pending_settle() - add all pending sums to their tallies
 * @p: of any thread
 *
 * Any context but NMI and interrupts.
 */
void memprof_pending_settle(struct memprof_pending *p)
{
	raw_spin_lock(&p->lock);
	settle(p);
	raw_spin_unlock(&p->lock);
}
