// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-fold: sums up exited processes by command name and cgroup
 *
 * The callsites of these processes are summed up by code location. One run folds
 * half of the exited processes, so runs are rare. Each run also searches all
 * threads for those whose exit event was lost. Functions fail with -ENOMEM.
 */
#include "heap-fold.h"
#include "heap-peak.h"
#include "heap-rows.h"
#include "heap-threads.h"

#include <errno.h>
#include <string.h>

/*
 * Limit of pairs of name and cgroup with their own sum. The others share one
 * sum.
 */
#define MAX_SUMS	4096

static void add_tally(const struct mp_heap *heap, struct mp_tally *to,
		      const struct mp_tally *from)
{
	mp_heap_peak_add(heap, to, from);
	to->at_exit += from->at_exit;
	to->alloc_objects += from->alloc_objects;
	to->alloc_space += from->alloc_space;
	to->free_objects += from->free_objects;
	to->inuse_objects += from->inuse_objects;
	to->inuse_space += from->inuse_space;
	to->failed += from->failed;
	to->temporary += from->temporary;
	to->samples += from->samples;
	to->unknown_frees += from->unknown_frees;
	to->inherited_objects += from->inherited_objects;
	to->inherited_space += from->inherited_space;
	to->inherited_frees += from->inherited_frees;
	to->minor_faults += from->minor_faults;
	to->major_faults += from->major_faults;
	to->minor_samples += from->minor_samples;
	to->major_samples += from->major_samples;
	to->inside_faults += from->inside_faults;
	to->block_faults += from->block_faults;
	to->other_faults += from->other_faults;
	to->brk_up += from->brk_up;
	to->brk_down += from->brk_down;
	to->mmap_up += from->mmap_up;
	to->mmap_down += from->mmap_down;
	to->growth_calls += from->growth_calls;
	to->advised += from->advised;
	to->growth = (int64_t)((uint64_t)to->growth + (uint64_t)from->growth);
	if (from->growth_peak > to->growth_peak)
		to->growth_peak = from->growth_peak;
}

/* Moves the histograms to @to if it has none; else adds them to those of @to. */
static void move_bins(struct mp_heap_site *to, struct mp_heap_site *from)
{
	int i;

	if (!to->bins || !from->bins) {
		to->bins = to->bins ? to->bins : from->bins;
		from->bins = NULL;
		return;
	}
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		to->bins->sizes[i] += from->bins->sizes[i];
		to->bins->lifetimes[i] += from->bins->lifetimes[i];
	}
}

static bool has_name(const struct mp_heap_process *sum,
		     const struct mp_heap_process *process)
{
	return sum->cgroup == process->cgroup &&
	       !memcmp(sum->comm, process->comm, sizeof(sum->comm));
}

/*
 * Hash of a process's name and cgroup. It is never 0, because 0 is the key of
 * the sum for all pairs beyond MAX_SUMS.
 */
static uint64_t hash_name(const struct mp_heap_process *process)
{
	uint64_t halves[2];

	memcpy(halves, process->comm, sizeof(halves));
	return mp_map_hash(mp_map_hash(halves[0], halves[1]), process->cgroup) | 1;
}

/*
 * Makes the key of a process's sum. Pairs of the same hash get the keys (hash, 0),
 * (hash, 1) and so on. Returns false if the pair has no sum yet.
 */
static bool find_sum(const struct mp_heap *heap, uint32_t process,
		     uint64_t *hash, uint64_t *n)
{
	const struct mp_heap_process *from = &heap->processes[process];
	const uint32_t *known;

	*hash = hash_name(from);
	for (*n = 0;; ++*n) {
		known = mp_map_find(&heap->by_sum, *hash, *n);
		if (!known)
			return false;
		if (has_name(&heap->processes[*known], from))
			return true;
	}
}

/* Finds or adds the sum for a process. */
static int sum_of(struct mp_heap *heap, uint32_t process, uint32_t *number)
{
	const struct mp_heap_process *from;
	uint64_t hash, n;
	uint32_t *known;

	if (!find_sum(heap, process, &hash, &n) && heap->by_sum.nr >= MAX_SUMS)
		hash = n = 0;
	known = mp_map_add(&heap->by_sum, hash, n);
	if (!known)
		return -ENOMEM;
	*number = *known;
	if (*known != MP_MAP_NEW)
		return 0;
	*number = mp_heap_new_process(heap);
	if (*number == MP_HEAP_NONE) {
		mp_map_remove(&heap->by_sum, hash, n);
		return -ENOMEM;
	}
	*known = *number;
	from = &heap->processes[process];
	if (hash) {
		memcpy(heap->processes[*number].comm, from->comm,
		       sizeof(from->comm));
		heap->processes[*number].cgroup = from->cgroup;
	}
	return 0;
}

/*
 * Adds a site of a process to a sum. Callsites must be moved before stacks, because
 * a stack needs the row of its callsite.
 */
static int move_site(struct mp_heap *heap, uint32_t number, uint32_t sum,
		     bool callsites)
{
	struct mp_heap_site *site = &heap->sites[number];
	bool is_callsite = site->callsite == number;
	uint32_t to;
	int err;

	if (is_callsite != callsites)
		return 0;
	err = mp_heap_sum_site(heap, sum, number, &to);
	if (err)
		return err;
	site = &heap->sites[number];
	/*
	 * the overflow row already has the numbers of the callsite, which
	 * include those of its stacks
	 */
	if (to == heap->dropped && !is_callsite)
		return 0;
	add_tally(heap, &heap->sites[to].tally, &site->tally);
	/* several sites may become one site: count the process once */
	if (heap->sites[to].nr_folded <= heap->processes[sum].nr_folded)
		heap->sites[to].nr_folded++;
	if (is_callsite)
		move_bins(&heap->sites[to], site);
	return 0;
}

static int move_sites(struct mp_heap *heap, uint32_t process, uint32_t sum)
{
	uint32_t i, next;
	int pass, err = 0;

	for (pass = 0; pass < 2; pass++)
		for (i = heap->processes[process].sites;
		     !err && i != MP_HEAP_NONE; i = heap->sites[i].next)
			err = move_site(heap, i, sum, !pass);
	for (i = heap->processes[process].sites; i != MP_HEAP_NONE; i = next) {
		next = heap->sites[i].next;
		mp_heap_free_site(heap, i);
	}
	heap->processes[process].sites = MP_HEAP_NONE;
	return err;
}

static int fold_one(struct mp_heap *heap, uint32_t number)
{
	struct mp_heap_process *process, *to;
	uint32_t sum;
	int err = sum_of(heap, number, &sum);

	if (!err)
		err = move_sites(heap, number, sum);
	if (err)
		return err;
	process = &heap->processes[number];
	to = &heap->processes[sum];
	add_tally(heap, &to->tally, &process->tally);
	to->nr_folded++;
	if (process->exit_ns > to->exit_ns)
		to->exit_ns = process->exit_ns;
	mp_heap_free_process(heap, number);
	return 0;
}

/*
 * Removes threads whose exit event was lost, if their process exited. The number of
 * the process will be used again.
 */
static void forget_threads(struct mp_heap *heap)
{
	struct mp_heap_thread *thread;
	size_t i;

	for (i = 0; i < heap->nr_threads; i++) {
		thread = &heap->threads[i];
		if (mp_heap_thread_find(heap, thread->tid) == thread &&
		    thread->process != MP_HEAP_NONE &&
		    heap->processes[thread->process].exit_ns)
			mp_heap_thread_put(heap, thread);
	}
}

int mp_heap_fold(struct mp_heap *heap, uint32_t number)
{
	uint32_t oldest;
	int err = 0;

	heap->processes[number].next = MP_HEAP_NONE;
	if (heap->nr_exited++)
		heap->processes[heap->newest].next = number;
	else
		heap->oldest = number;
	heap->newest = number;
	if (heap->nr_exited <= heap->limit_exited)
		return 0;
	forget_threads(heap);
	while (!err && heap->nr_exited > heap->limit_exited / 2) {
		oldest = heap->oldest;
		heap->oldest = heap->processes[oldest].next;
		heap->nr_exited--;
		err = fold_one(heap, oldest);
	}
	return err;
}
