// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap: pairs calls with returns, tracks blocks, and charges faults and growth
 *
 * An event costs about five hash look-ups. Memory does not grow with the number of
 * events. A live block takes about 200 bytes, and a freed one until its address is
 * allocated again. A process takes 700 bytes; a callsite of a process, and a thread in a
 * call, take 300 each. A folded process takes no memory. Each
 * function returns -ENOMEM if memory is short.
 */
#include "heap.h"
#include "heap-fold.h"
#include "heap-freed.h"
#include "heap-peak.h"
#include "heap-rows.h"
#include "heap-threads.h"

#include <stdlib.h>

#define MAX_BLOCKS	(64UL << 20)
#define MAX_FREED	(1UL << 20)
#define MAX_PROCESSES	(1UL << 17)
#define MAX_SITES	(1UL << 20)
#define MAX_EXITED	1024
#define MAX_THREADS	(1UL << 18)

/* Farthest distance of two stack pointers if a function calls another one at once. */
#define NEAR_BYTES	512

void mp_heap_init(struct mp_heap *heap)
{
	*heap = (struct mp_heap){
		.max_blocks = MAX_BLOCKS,
		.max_freed = MAX_FREED,
		.limit_processes = MAX_PROCESSES,
		.limit_sites = MAX_SITES,
		.limit_exited = MAX_EXITED,
		.limit_threads = MAX_THREADS,
		.overflow = MP_HEAP_NONE,
		.dropped = MP_HEAP_NONE,
		.is_exact = true,
		.free_thread = MP_HEAP_NONE,
		.free_process = MP_HEAP_NONE,
		.free_site = MP_HEAP_NONE,
		.oldest = MP_HEAP_NONE,
		.newest = MP_HEAP_NONE,
	};
}

void mp_heap_free(struct mp_heap *heap)
{
	size_t i;

	for (i = 0; i < heap->nr_sites; i++)
		free(heap->sites[i].bins);
	free(heap->processes);
	free(heap->sites);
	free(heap->cgroups);
	free(heap->threads);
	mp_blocks_free(&heap->blocks);
	mp_blocks_free(&heap->freed);
	mp_map_free(&heap->by_pid);
	mp_map_free(&heap->by_stack);
	mp_map_free(&heap->by_callsite);
	mp_map_free(&heap->by_cgroup);
	mp_map_free(&heap->by_sum);
	mp_map_free(&heap->by_tid);
	mp_heap_init(heap);
}

/* Histograms are made at the first block: most callsites only touch or map memory. */
static struct mp_bins *bins_of(struct mp_heap *heap, uint32_t site)
{
	struct mp_heap_site *callsite = &heap->sites[heap->sites[site].callsite];

	if (heap->with_bins && !callsite->bins)
		callsite->bins = calloc(1, sizeof(*callsite->bins));
	return callsite->bins;
}

static int bin_of(uint64_t value)
{
	int bits = value ? 64 - __builtin_clzll(value) : 0;

	return bits < MEMPROF_HISTOGRAM ? bits : MEMPROF_HISTOGRAM - 1;
}

static uint64_t round_objects(uint64_t objects)
{
	return (objects + MP_HEAP_ONE / 2) >> 16;
}

void mp_heap_drop(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i;

	mp_heap_peak_drop(heap, block);
	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		t.all[i]->inuse_objects -= block->objects;
		t.all[i]->inuse_space -= block->space;
	}
}

void mp_heap_end(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i;

	mp_heap_drop(heap, block);
	for (i = 0; i < MP_HEAP_NR_TALLIES; i++)
		t.all[i]->at_exit += block->space;
}

static void account_free(struct mp_heap *heap, const struct mp_block *block,
			 uint64_t time_ns, bool temporary)
{
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	struct mp_bins *bins = bins_of(heap, block->site);
	uint64_t age = time_ns > block->born_ns ? time_ns - block->born_ns : 0;
	int i;

	mp_heap_drop(heap, block);
	mp_heap_keep_freed(heap, block, time_ns);
	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		t.all[i]->free_objects += block->objects;
		/* the allocations between two sampled ones are not seen */
		t.all[i]->temporary += temporary && !heap->is_sampled ? block->objects : 0;
	}
	if (bins)
		bins->lifetimes[bin_of(age)] += round_objects(block->objects);
}

/* Frees the block at an address that is allocated again: its free was not seen. */
static void free_unseen(struct mp_heap *heap, uint32_t process, uint64_t ptr,
			uint64_t time_ns)
{
	struct mp_block old;

	if (mp_blocks_take(&heap->blocks, process, ptr, &old))
		account_free(heap, &old, time_ns, false);
}

static int account_alloc(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	struct mp_bins *bins = bins_of(heap, block->site);
	bool room = heap->blocks.nr < heap->max_blocks;
	/* the overflow row has many processes, so its addresses are not unique */
	bool known = block->ptr && block->process != heap->overflow;
	bool follow = room && known;
	int i, err = 0;

	if (known)
		free_unseen(heap, block->process, block->ptr, block->born_ns);
	if (follow)
		mp_heap_use_freed(heap, block);
	if (follow)
		err = mp_blocks_add(&heap->blocks, block);
	if (err)
		return err;
	heap->counts.dropped_blocks += !room;
	heap->counts.not_followed += !block->ptr;
	for (i = 0; i < MP_HEAP_NR_TALLIES; i++) {
		t.all[i]->samples++;
		t.all[i]->alloc_objects += block->objects;
		t.all[i]->alloc_space += block->space;
		if (!follow)
			continue;
		t.all[i]->inuse_objects += block->objects;
		t.all[i]->inuse_space += block->space;
	}
	if (follow)
		mp_heap_peak_alloc(heap, block);
	if (bins)
		bins->sizes[bin_of(block->size)] += round_objects(block->objects);
	return 0;
}

static void account_failed(struct mp_heap *heap, const struct mp_block *block)
{
	struct mp_heap_tallies t = mp_heap_tallies_of(heap, block);
	int i;

	for (i = 0; i < MP_HEAP_NR_TALLIES; i++)
		t.all[i]->failed += block->objects;
}

static void count_unknown_free(struct mp_heap *heap, uint32_t process)
{
	struct mp_tally *tally = &heap->processes[process].tally;

	if (!heap->is_exact)
		return;
	if (tally->inherited_frees < tally->inherited_objects) {
		tally->inherited_frees++;
		return;
	}
	tally->unknown_frees++;
	heap->total.unknown_frees++;
	heap->counts.unknown_frees++;
}

/* Fills in a block from a call. @ptr: address; 0: the allocation failed. */
static int make_block(struct mp_heap *heap, const struct mp_who *who,
		      const struct mp_call *call, uint64_t ptr,
		      struct mp_block *block)
{
	int err;

	*block = (struct mp_block){
		.ptr = ptr, .size = call->size, .born_ns = who->time_ns,
		.space = call->size, .objects = MP_HEAP_ONE,
	};
	err = mp_heap_process(heap, who, &block->process);
	if (!err)
		err = mp_heap_site(heap, block->process, call, &block->site);
	if (!err)
		block->cgroup = heap->processes[block->process].cgroup;
	return err;
}

static int set_latest_block(struct mp_heap *heap, const struct mp_who *who,
			    const struct mp_block *block)
{
	struct mp_heap_thread *thread;
	int err = mp_heap_thread_get(heap, who->tid, &thread);

	if (!thread)
		return err;
	thread->last_ptr = block->ptr;
	thread->freed_ptr = 0;
	thread->last_born_ns = who->time_ns;
	if (!thread->depth)
		thread->process = block->process;
	return 0;
}

/*
 * A sample stands for 1.5 objects, say: then blocks of a stack stand for one and for two by
 * turns. So all sums are of whole objects, and rows add up to their total.
 */
static uint64_t whole_objects(struct mp_heap_site *site, uint64_t objects)
{
	const uint64_t part = objects % MP_HEAP_ONE, whole = objects - part;
	const int64_t rest = site->carry + (int64_t)part;
	const bool more = rest >= (int64_t)(MP_HEAP_ONE / 2);

	site->carry = (int32_t)(rest - (int64_t)(more ? MP_HEAP_ONE : 0));
	return whole + (more ? MP_HEAP_ONE : 0);
}

static int account_result(struct mp_heap *heap, const struct mp_who *who,
		     const struct mp_call *call, uint64_t ptr, uint64_t objects,
			  uint64_t space)
{
	struct mp_block block;
	int err = make_block(heap, who, call, ptr, &block);

	if (err)
		return err;
	block.objects = objects;
	block.space = space;
	if (!ptr) {
		account_failed(heap, &block);
		return 0;
	}
	block.objects = whole_objects(&heap->sites[block.site], objects);
	err = account_alloc(heap, &block);
	return err ? err : set_latest_block(heap, who, &block);
}

int mp_heap_alloc(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call, uint64_t ptr, uint64_t objects,
		  uint64_t space)
{
	heap->counts.failed_allocs += !ptr;
	return account_result(heap, who, call, ptr, objects, space);
}

static int hold_old(struct mp_heap *heap, const struct mp_who *who,
		    struct mp_flight *flight)
{
	struct mp_block *old;
	uint32_t process;
	int err = mp_heap_process(heap, who, &process);

	if (err || !flight->call.old)
		return err;
	old = mp_blocks_find(&heap->blocks, process, flight->call.old);
	flight->had_old = old && !old->held;
	if (flight->had_old) {
		old->held = true;
		flight->old_born_ns = old->born_ns;
	}
	return 0;
}

/*
 * Returns the old block of a realloc. NULL if another call allocated its address
 * again before the realloc returned.
 */
static struct mp_block *old_of(const struct mp_heap *heap, uint32_t process,
			       const struct mp_flight *flight)
{
	struct mp_block *old = !flight->had_old ? NULL :
		mp_blocks_find(&heap->blocks, process, flight->call.old);

	return old && old->held && old->born_ns == flight->old_born_ns ?
	       old : NULL;
}

static void release_old(struct mp_heap *heap, uint32_t process,
			const struct mp_flight *flight)
{
	struct mp_block *old = old_of(heap, process, flight);

	if (old)
		old->held = false;
}

/* Counts a realloc that returned. hold_old() marked the old block at the entry. */
static int account_realloc(struct mp_heap *heap, const struct mp_who *who,
			   const struct mp_flight *flight, uint64_t ptr)
{
	const struct mp_call *call = &flight->call;
	uint32_t process;
	int err = mp_heap_process(heap, who, &process);

	if (err)
		return err;
	if (!ptr && (call->size || !call->old)) {
		heap->counts.failed_reallocs++;
		release_old(heap, process, flight);
		return account_result(heap, who, call, 0, MP_HEAP_ONE, 0);
	}
	if (old_of(heap, process, flight))
		free_unseen(heap, process, call->old, who->time_ns);
	else if (call->old && !flight->had_old)
		count_unknown_free(heap, process);
	return ptr ? account_result(heap, who, call, ptr, MP_HEAP_ONE, call->size) :
		     0;
}

int mp_heap_realloc(struct mp_heap *heap, const struct mp_who *who,
		    const struct mp_call *call, uint64_t ptr)
{
	struct mp_flight flight = { .call = *call };
	int err = hold_old(heap, who, &flight);

	return err ? err : account_realloc(heap, who, &flight, ptr);
}

/* The old block of an abandoned realloc stays live. */
void mp_heap_abandon(struct mp_heap *heap, struct mp_heap_thread *thread)
{
	thread->deeper = 0;
	if (!--thread->depth)
		heap->counts.abandoned++;
	release_old(heap, thread->process, &thread->flights[thread->depth]);
}

/*
 * Whether the thread already left its innermost call when a later event occurred.
 * @func and @sp are the function and the stack pointer of that event. If @sp is
 * above the stack pointer at the entry of the call, the thread left the call.
 * If both are equal, @func decides: the same function is a new call, so the
 * thread left the old one. A different function was entered by a jump from the
 * call, so it is part of the call.
 */
static bool is_left(const struct mp_heap_thread *thread, uint32_t func,
		    uint64_t sp)
{
	const struct mp_call *top;

	if (!sp || !thread->depth)
		return false;
	top = &thread->flights[thread->depth - 1].call;
	return top->sp && (sp > top->sp ||
			   (sp == top->sp && func == top->func));
}

static void abandon_left(struct mp_heap *heap, struct mp_heap_thread *thread,
			 uint32_t func, uint64_t sp)
{
	while (is_left(thread, func, sp))
		mp_heap_abandon(heap, thread);
}

/*
 * The function to pass to is_left() for a free. A realloc can jump to free with its
 * old block; this free is part of the call. Any other free with the stack
 * pointer of the innermost call's entry means that this call ended.
 */
static uint32_t jumps_to_free(const struct mp_heap_thread *thread, uint64_t ptr)
{
	const struct mp_call *top;

	if (!thread->depth)
		return MEMPROF_FUNC_FREE;
	top = &thread->flights[thread->depth - 1].call;
	return top->old == ptr ? MEMPROF_FUNC_FREE : top->func;
}

/*
 * Whether a free is part of an allocator call in progress. If no stack pointers are
 * known, only the free of a realloc's old block is certain to be part of it.
 */
static bool frees_inside(const struct mp_heap_thread *thread, uint64_t ptr,
			 uint64_t sp)
{
	const struct mp_call *outer = &thread->flights[0].call;

	return thread->depth && ((sp && outer->sp) || outer->old == ptr);
}

static int account_dealloc(struct mp_heap *heap, const struct mp_who *who,
			   struct mp_heap_thread *thread, uint64_t ptr)
{
	struct mp_block block, *known;
	uint32_t process;
	int err = mp_heap_process(heap, who, &process);

	if (err)
		return err;
	known = mp_blocks_find(&heap->blocks, process, ptr);
	if (known && !known->held) {
		mp_blocks_take(&heap->blocks, process, ptr, &block);
		account_free(heap, &block, who->time_ns,
			     thread && thread->last_ptr == ptr &&
			     thread->last_born_ns == block.born_ns);
	} else {
		count_unknown_free(heap, process);
	}
	if (thread && thread->last_ptr == ptr)
		thread->last_ptr = 0;
	return 0;
}

/*
 * Whether a free is part of the thread's latest free: __rust_dealloc() calls or jumps to
 * free(). After a jump, stack pointer and return address are the same; a call comes
 * from close by. Two frees of a block in one function have other return addresses.
 */
static bool leads_on(const struct mp_heap_thread *thread, uint64_t ptr, uint64_t sp,
		     uint64_t ra)
{
	return thread && sp && thread->freed_ptr == ptr && sp <= thread->freed_sp &&
	       (sp == thread->freed_sp ? ra && ra == thread->freed_ra :
					 thread->freed_sp - sp <= NEAR_BYTES);
}

int mp_heap_dealloc(struct mp_heap *heap, const struct mp_who *who,
		    uint64_t ptr, uint64_t sp, uint64_t ra)
{
	struct mp_heap_thread *thread = mp_heap_thread_find(heap, who->tid);

	if (thread)
		abandon_left(heap, thread, jumps_to_free(thread, ptr), sp);
	if (!ptr) {
		heap->counts.free_null++;
		return 0;
	}
	if (leads_on(thread, ptr, sp, ra) ||
	    (thread && frees_inside(thread, ptr, sp))) {
		heap->counts.nested++;
		return 0;
	}
	if (thread) {
		thread->freed_ptr = ptr;
		thread->freed_sp = sp;
		thread->freed_ra = ra;
	}
	return account_dealloc(heap, who, thread, ptr);
}

int mp_heap_enter(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *call)
{
	struct mp_heap_thread *thread;
	struct mp_flight *flight;
	int err = mp_heap_thread_get(heap, who->tid, &thread);

	if (!thread)
		return err;
	if (!call->jumped)
		abandon_left(heap, thread, call->func, call->sp);
	if (thread->depth == MP_HEAP_DEPTH) {
		heap->counts.too_deep++;
		thread->deeper++;
		return 0;
	}
	heap->counts.nested += thread->depth > 0;
	thread->freed_ptr = 0;
	flight = &thread->flights[thread->depth++];
	flight->call = *call;
	flight->had_old = false;
	if (thread->depth > 1)
		return 0;
	thread->last_ptr = 0;
	err = mp_heap_process(heap, who, &thread->process);
	return err ? err : hold_old(heap, who, flight);
}

static bool is_same(const struct mp_call *call, uint32_t func, uint64_t sp)
{
	return call->func == func && (!sp || !call->sp || sp == call->sp);
}

static bool is_realloc(uint32_t func)
{
	return func == MEMPROF_FUNC_REALLOC ||
	       func == MEMPROF_FUNC_REALLOCARRAY ||
	       func == MEMPROF_FUNC_RUST_REALLOC;
}

/*
 * Counts a block of unknown address: posix_memalign() returns 0 or an error.
 */
static int leave_posix_memalign(struct mp_heap *heap, const struct mp_who *who,
				const struct mp_call *call, bool failed)
{
	struct mp_block block;
	int err;

	if (failed)
		return mp_heap_alloc(heap, who, call, 0, MP_HEAP_ONE, 0);
	err = make_block(heap, who, call, 0, &block);
	return err ? err : account_alloc(heap, &block);
}

int mp_heap_leave(struct mp_heap *heap, const struct mp_who *who, uint32_t func,
		  const struct mp_call *at, uint64_t ptr, uint64_t sp)
{
	struct mp_heap_thread *thread = mp_heap_thread_find(heap, who->tid);
	struct mp_flight flight;
	uint32_t level = thread ? thread->depth : 0;

	if (thread && thread->deeper && !is_left(thread, func, sp)) {
		thread->deeper--;
		return 0;
	}
	while (level &&
	       !is_same(&thread->flights[level - 1].call, func, sp))
		level--;
	if (!level) {
		heap->counts.unmatched_exits++;
		return 0;
	}
	thread->deeper = 0;
	while (thread->depth > level)
		mp_heap_abandon(heap, thread);
	if (--thread->depth)
		return 0;
	flight = thread->flights[0];
	if (at) {
		flight.call.stack = at->stack;
		flight.call.callsite = at->callsite;
	}
	if (func == MEMPROF_FUNC_POSIX_MEMALIGN)
		return leave_posix_memalign(heap, who, &flight.call, ptr);
	if (is_realloc(func))
		return account_realloc(heap, who, &flight, ptr);
	return mp_heap_alloc(heap, who, &flight.call, ptr, MP_HEAP_ONE,
			     flight.call.size);
}

/*
 * Finds the site of the outermost allocator call that a thread is inside of, or
 * MP_HEAP_NONE.
 */
static int find_outer_site(struct mp_heap *heap, const struct mp_who *who,
			   uint32_t process, uint32_t *site)
{
	struct mp_heap_thread *thread = mp_heap_thread_find(heap, who->tid);

	*site = MP_HEAP_NONE;
	if (!thread || !thread->depth || thread->process != process)
		return 0;
	return mp_heap_site(heap, process, &thread->flights[0].call, site);
}

/* Finds the site of the allocator call that is charged with a fault or growth. */
static int find_charged_site(struct mp_heap *heap, const struct mp_who *who,
		   uint32_t process, const struct mp_call *at, uint32_t *site)
{
	return at && !at->own ? mp_heap_site(heap, process, at, site) :
				find_outer_site(heap, who, process, site);
}

static void count_fault(struct mp_tally *tally, uint32_t weight, bool major)
{
	*(major ? &tally->major_faults : &tally->minor_faults) += weight;
	(*(major ? &tally->major_samples : &tally->minor_samples))++;
}

/*
 * Adds a fault to a site and to its callsite. @sum: offset of the fault counter in
 * struct mp_tally.
 */
static void charge_fault(struct mp_heap *heap, uint32_t site, uint32_t weight,
			 size_t sum)
{
	struct mp_heap_site *to = &heap->sites[site];
	bool both = site != heap->dropped;

	*(uint64_t *)((char *)&to->tally + sum) += weight;
	to = &heap->sites[to->callsite];
	if (both)
		*(uint64_t *)((char *)&to->tally + sum) += weight;
}

#define CHARGE_FAULT(heap, site, weight, sum)				\
	charge_fault(heap, site, weight, offsetof(struct mp_tally, sum))

int mp_heap_fault(struct mp_heap *heap, const struct mp_who *who,
		  const struct mp_call *at, uint64_t addr, uint32_t weight,
		  bool major)
{
	const struct mp_block *block;
	uint32_t process, site = MP_HEAP_NONE;
	bool own;
	int err = mp_heap_process(heap, who, &process);

	if (err)
		return err;
	block = mp_blocks_at(&heap->blocks, process, addr);
	/*
	 * A source that charges faults itself passes @at, but no block. If the
	 * engine has the block at the address, the block is charged.
	 */
	if (!at || at->own || !block)
		err = find_charged_site(heap, who, process, at, &site);
	own = at && at->own && !block && site == MP_HEAP_NONE;
	if (!err && own)
		err = mp_heap_site(heap, process, at, &site);
	if (err)
		return err;
	count_fault(&heap->total, weight, major);
	count_fault(&heap->processes[process].tally, weight, major);
	count_fault(&heap->cgroups[heap->processes[process].cgroup].tally,
		    weight, major);
	if (own)
		CHARGE_FAULT(heap, site, weight, other_faults);
	else if (site != MP_HEAP_NONE)
		CHARGE_FAULT(heap, site, weight, inside_faults);
	else if (block)
		CHARGE_FAULT(heap, block->site, weight, block_faults);
	return 0;
}

static void add_growth(struct mp_tally *tally, bool brk, int64_t delta)
{
	uint64_t size = delta < 0 ? -(uint64_t)delta : (uint64_t)delta;

	if (brk)
		*(delta < 0 ? &tally->brk_down : &tally->brk_up) += size;
	else
		*(delta < 0 ? &tally->mmap_down : &tally->mmap_up) += size;
	tally->growth_calls++;
	/* a recorded value is untrusted: unsigned addition may overflow */
	tally->growth = (int64_t)((uint64_t)tally->growth + (uint64_t)delta);
	if (tally->growth > tally->growth_peak)
		tally->growth_peak = tally->growth;
}

/* Finds the callsite that growth is charged to: MP_HEAP_NONE if there is none. */
static int find_grown(struct mp_heap *heap, const struct mp_who *who,
		      const struct mp_call *at, uint32_t *process, uint32_t *site)
{
	int err = mp_heap_process(heap, who, process);

	if (!err)
		err = find_charged_site(heap, who, *process, at, site);
	if (!err && at && at->own && *site == MP_HEAP_NONE)
		err = mp_heap_site(heap, *process, at, site);
	return err;
}

int mp_heap_advised(struct mp_heap *heap, const struct mp_who *who,
		    const struct mp_call *at, uint64_t bytes)
{
	uint32_t process, site;
	int err = find_grown(heap, who, at, &process, &site);

	if (err)
		return err;
	heap->total.advised += bytes;
	heap->processes[process].tally.advised += bytes;
	heap->cgroups[heap->processes[process].cgroup].tally.advised += bytes;
	if (site == MP_HEAP_NONE)
		return 0;
	heap->sites[site].tally.advised += bytes;
	if (site != heap->dropped)
		heap->sites[heap->sites[site].callsite].tally.advised += bytes;
	return 0;
}

int mp_heap_grow(struct mp_heap *heap, const struct mp_who *who,
		 const struct mp_call *at, bool brk, int64_t delta)
{
	uint32_t process, site;
	int err = find_grown(heap, who, at, &process, &site);

	if (err)
		return err;
	add_growth(&heap->total, brk, delta);
	add_growth(&heap->processes[process].tally, brk, delta);
	add_growth(&heap->cgroups[heap->processes[process].cgroup].tally, brk, delta);
	if (site == MP_HEAP_NONE)
		return 0;
	add_growth(&heap->sites[site].tally, brk, delta);
	if (site != heap->dropped)
		add_growth(&heap->sites[heap->sites[site].callsite].tally, brk,
			   delta);
	return 0;
}
