// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampled.c: takes samples. A sample is recorded in the stack table, the
 * tallies, the table of live blocks and the Bloom filter, and fires a probe.
 *
 * An allocation is recorded after the allocator returned, and a free before the
 * allocator is called, so no lock of the allocator is held.
 *
 * Cost: 1 us for an allocation with 10 frames, 0.3 us for its free. The code
 * may run in a signal handler. If the handler interrupted the sampler itself,
 * the handler's allocation is skipped and counted. If the handler forked, the
 * interrupted sample continues in the child. The child has a new region, or
 * still the region of its parent; in both cases the sample is not recorded.
 * errno is preserved.
 */
#include "sampled.h"

#include "bloom.h"
#include "drop-counter.h"
#include "module-map.h"
#include "probes.h"
#include "fork-watch.h"
#include "in-vain.h"
#include "python-frames.h"
#include "region-file.h"
#include "sample-clock.h"
#include "sampler.h"
#include "stack-table.h"

#include <errno.h>

#ifdef MP_SDT
#define SEMAPHORE __attribute__((section(".probes")))

SEMAPHORE unsigned short otel_memory_alloc_semaphore;
SEMAPHORE unsigned short otel_memory_free_semaphore;
#endif

static void add_relaxed(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

static uint64_t live_bytes(const struct memprof_region_tally *t)
{
	return __atomic_load_n(&t->alloc_bytes, __ATOMIC_RELAXED) -
	       __atomic_load_n(&t->free_bytes, __ATOMIC_RELAXED);
}

/* Returns whether this is a new maximum. */
static bool raise_peak(struct memprof_region_tally *t)
{
	uint64_t live = live_bytes(t);
	uint64_t peak = __atomic_load_n(&t->peak_bytes, __ATOMIC_RELAXED);

	/* if another thread adds a free meanwhile, the difference may be negative */
	while (peak < live && live < 1ULL << 63)
		if (__atomic_compare_exchange_n(&t->peak_bytes, &peak, live, true,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	return false;
}

/*
 * Stores a stack's live bytes before they change for the first time since the peak of
 * the process. So a new peak costs nothing for the stacks that do not change.
 */
static void keep_peak(uint32_t stack)
{
	const struct memprof_region_tally *t = mp_stack_tally(stack);
	struct memprof_region_peak *peak = mp_stack_peak(stack);
	uint64_t number = __atomic_load_n(&mp_region->peak_number, __ATOMIC_RELAXED);

	if (__atomic_load_n(&peak->number, __ATOMIC_RELAXED) == number)
		return;
	__atomic_store_n(&peak->bytes, live_bytes(t), __ATOMIC_RELAXED);
	__atomic_store_n(&peak->number, number, __ATOMIC_RELEASE);
}

/* Returns whether the live bytes reached a new maximum. */
static bool tally_alloc(struct memprof_region_tally *t,
			const struct mp_exact *exact)
{
	add_relaxed(&t->allocs, 1);
	add_relaxed(&t->alloc_objects,
	    mp_sampler_weight_objects(exact->weight_bytes, exact->size));
	add_relaxed(&t->alloc_bytes, exact->weight_bytes);
	return raise_peak(t);
}

static void tally_free(struct memprof_region_tally *t,
		       const struct mp_exact *exact)
{
	add_relaxed(&t->frees, 1);
	add_relaxed(&t->free_objects,
	    mp_sampler_weight_objects(exact->weight_bytes, exact->size));
	add_relaxed(&t->free_bytes, exact->weight_bytes);
}

/*
 * Whether @region, in which this sample started, is still the current region and
 * belongs to this process.
 */
static bool still_in(const void *region)
{
	return mp_region == region && mp_process_ours();
}

static struct memprof_region_tally *total_of(const struct mp_exact *exact)
{
	return exact->kind == MEMPROF_REGION_MMAP ? &mp_region->mapped :
	       &mp_region->total;
}

static void note_health(enum mp_walk walk, int depth)
{
	uint64_t least = g_memprof.min_native_depth;

	g_memprof.native_stacks += 1;
	g_memprof.native_frames += depth;
	while ((!least || (uint64_t)depth < least) &&
	       !atomic_compare_exchange_weak(&g_memprof.min_native_depth, &least,
					     depth))
		;
	if (walk == MP_WALK_CUT)
		mp_drop_count(MP_COUNT_stacks_cut);
	else if (walk == MP_WALK_LOST)
		mp_drop_count(MP_COUNT_stacks_shallow);
	else if (walk == MP_WALK_NOTHING)
		mp_drop_count(MP_COUNT_stacks_not_walked);
}

static uint32_t intern_stack(MemProfThreadState *t, uint32_t kind,
			     struct mp_registers regs)
{
	uintptr_t stack_pointers[MEMPROF_MAX_STACK_DEPTH];
	enum mp_walk walk = mp_unwind(t, regs, t->frame_buffer, stack_pointers,
				      MEMPROF_MAX_STACK_DEPTH, 0,
				      &t->frame_depth);
	bool is_cut = walk != MP_WALK_WHOLE, is_new;
	uint16_t flags = kind == MEMPROF_REGION_MMAP ? STACK_FLAG_MMAP : 0;
	uint32_t stack;

	note_health(walk, t->frame_depth);
	if (mp_python_frames(t, stack_pointers, &is_cut))
		flags |= STACK_FLAG_PYTHON_ATTR;
	if (is_cut)
		flags |= STACK_FLAG_TRUNCATED;
	t->frames_cut = is_cut;
	stack = mp_stack_table_intern(t->frame_buffer, t->frame_depth,
				      mp_stack_hash(t->frame_buffer,
						    t->frame_depth),
				      flags, &is_new);
	if (is_new)
		mp_modules_note(t->frame_buffer, t->frame_depth, mp_clock_coarse_ns());
	return stack;
}

/* Removes an older block at the same address, whose free the hooks did not see. */
static void drop_stale(void *p)
{
	struct mp_exact old;

	if (!bloom_might_contain((uintptr_t)p) ||
	    !mp_heap_map_remove((uintptr_t)p, UINT64_MAX, &old))
		return;
	mp_bloom_remove((uintptr_t)p, old.birth_seq);
	mp_drop_count(MP_COUNT_heap_map_stale);
	mp_sample_freed(p, &old);
}

/*
 * Inserts a block into the table of live blocks and the filter. Returns false if the
 * table has no slot.
 */
static bool insert_block(void *p, const struct mp_exact *exact)
{
	int slot = heap_map_reserve((uintptr_t)p);

	if (slot < 0 || !mp_heap_map_finalize(slot, (uintptr_t)p, exact))
		return false;
	bloom_add((uintptr_t)p);
	if (mp_bloom_is_crowded())
		bloom_rebuild_from_heap();
	return true;
}

/* @rate: mean bytes of the countdown that ended in this block */
static void record_sample(MemProfThreadState *t, void *p, size_t size, uint64_t rate,
			  uint32_t kind, struct mp_registers regs)
{
	struct mp_exact exact = {
		.size = size,
		.weight_bytes = mp_sampler_weight_bytes(t, rate, size),
		.kind = kind,
		.region = mp_region,
	};

	mp_heap_map_prefetch((uintptr_t)p);
	drop_stale(p);
	exact.stack = intern_stack(t, kind, regs);
	if (!still_in(exact.region))
		return;
	t->sampled_allocs++;
	t->sampled_bytes += size;
	g_memprof.total_samples += 1;
	/*
	 * do not count a block without a slot: its free would not be counted,
	 * and the block would look live for ever
	 */
	if (!insert_block(p, &exact) || !still_in(exact.region))
		return;
	keep_peak(exact.stack);
	tally_alloc(mp_stack_tally(exact.stack), &exact);
	if (tally_alloc(total_of(&exact), &exact) && kind != MEMPROF_REGION_MMAP)
		add_relaxed(&mp_region->peak_number, 1);
	mp_probe_alloc((uintptr_t)p, size, exact.weight_bytes, t->frame_buffer,
		       (uint64_t)t->frame_depth | (t->frames_cut ? MP_PROBE_CUT : 0));
}

static bool paused(void)
{
	return !mp_active_alloc() ||
	       !__atomic_load_n(&mp_region->control.active, __ATOMIC_RELAXED);
}

/**
 * mp_sample_alloc() - sample an allocation if the thread's countdown ended in it
 * @p: address of the block; NULL: the allocation failed
 * @size: requested bytes
 * @kind: MEMPROF_REGION_HEAP or MEMPROF_REGION_MMAP
 * @regs: registers of the allocator's caller
 */
void mp_sample_alloc(void *p, size_t size, uint32_t kind,
		     struct mp_registers regs)
{
	MemProfThreadState *t = mp_thread_find();
	int saved = errno;
	uint64_t rate;

	if (!t)
		return;
	if (g_memprof.initialized < MEMPROF_INITIALIZED) {
		t->byte_counter = 0;
		return;
	}
	t->total_allocs++;
	rate = mp_sampler_decide(t, g_memprof.sampling_rate, size, &regs);
	if (!rate)
		return;
	if (t->inside_profiler && !(mp_process_ours() && mp_thread_is_dead(t))) {
		t->skipped_reentrant++;
		if (mp_process_ours())
			mp_drop_count(MP_COUNT_samples_skipped_reentrant);
		return;
	}
	t->inside_profiler = 1;
	if (!mp_active_alloc() || !mp_process_claim())
		;
	else if (!p)
		mp_drop_count(MP_COUNT_failed_allocs);
	else if (paused())
		mp_drop_count(MP_COUNT_samples_skipped_paused);
	else
		record_sample(t, p, size, rate, kind, regs);
	mp_counters_tell(false);
	t->inside_profiler = 0;
	errno = saved;
}

/**
 * mp_sample_freed() - record the free of a block that was removed from the table
 * @p: address of the block
 * @exact: numbers of the block, from mp_sample_take()
 */
void mp_sample_freed(void *p, const struct mp_exact *exact)
{
	MemProfThreadState *t = mp_thread_find();

	if (!still_in(exact->region))
		return;
	if (t)
		t->total_frees++;
	g_memprof.total_frees_tracked += 1;
	keep_peak(exact->stack);
	tally_free(total_of(exact), exact);
	tally_free(mp_stack_tally(exact->stack), exact);
	mp_probe_free((uintptr_t)p);
}

static void untally_free(struct memprof_region_tally *t, const struct mp_exact *exact)
{
	add_relaxed(&t->frees, -1);
	add_relaxed(&t->free_objects,
		    -mp_sampler_weight_objects(exact->weight_bytes, exact->size));
	add_relaxed(&t->free_bytes, -exact->weight_bytes);
}

/**
 * mp_sample_not_freed() - take mp_sample_freed() back, because the allocator failed
 * @p: address of the block
 * @exact: numbers of the block, from mp_sample_take()
 *
 * Who reads the probes sees a second allocation.
 */
void mp_sample_not_freed(void *p, const struct mp_exact *exact)
{
	const struct memprof_region_stack *stack = mp_stack_at(exact->stack);
	uintptr_t frames[MEMPROF_REGION_DEPTH];
	int i;

	if (!still_in(exact->region) || !insert_block(p, exact))
		return;
	keep_peak(exact->stack);
	untally_free(total_of(exact), exact);
	untally_free(mp_stack_tally(exact->stack), exact);
	/* others may write to the file */
	for (i = 0; stack && i < stack->depth && i < MEMPROF_REGION_DEPTH; i++)
		frames[i] = stack->frames[i];
	mp_probe_alloc((uintptr_t)p, exact->size, exact->weight_bytes, frames, (uint64_t)i);
}

/**
 * mp_sample_take() - remove a block from the table of live blocks
 * @p: address of a block that may have been sampled
 * @exact: out: numbers of the block
 *
 * Return: true if the block was in the table. Then the caller must call
 * mp_sample_freed() or mp_sample_put_back(). Callers of a realloc record the free before they call
 * the allocator, because it may give the address to another thread, or sample the new block at
 * the same address: a free that is recorded later would be taken for that of the new block.
 */
bool mp_sample_take(void *p, struct mp_exact *exact)
{
	uint64_t seq = mp_heap_map_seq();

	if (mp_in_vain_is((uintptr_t)p, seq))
		return false;
	mp_heap_map_prefetch((uintptr_t)p);
	if (!bloom_might_contain((uintptr_t)p) || !mp_active_free() ||
	    !mp_process_ours())
		return false;
	if (mp_heap_map_remove((uintptr_t)p, seq, exact)) {
		mp_bloom_remove((uintptr_t)p, exact->birth_seq);
		return true;
	}
	mp_in_vain_note((uintptr_t)p, seq);
	mp_drop_count(MP_COUNT_bloom_false_positives);
	return false;
}

/**
 * mp_sample_put_back() - insert a removed block again, because it was not freed
 * @p: address of the block
 * @exact: numbers from mp_sample_take()
 */
void mp_sample_put_back(void *p, const struct mp_exact *exact)
{
	if (still_in(exact->region) && !insert_block(p, exact))
		mp_sample_freed(p, exact);
}

/**
 * mp_sample_free() - record the free of a block, if the block was sampled
 * @p: address of the block, which the allocator frees afterwards
 */
void mp_sample_free(void *p)
{
	struct mp_exact exact;

	if (mp_sample_take(p, &exact))
		mp_sample_freed(p, &exact);
}
