// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-rows: stores rows in growing arrays, and finds them through hash maps
 */
#include "heap-rows.h"
#include "heap-peak.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit of cgroups, more than machines have. Further ones are counted as cgroup 0. */
#define MAX_CGROUPS	65536

uint32_t mp_heap_one_more(void **list, size_t *nr, size_t *max, size_t size)
{
	if (*nr == *max && !mp_array_grow(list, max, size))
		return MP_HEAP_NONE;
	memset((char *)*list + *nr * size, 0, size);
	return (uint32_t)(*nr)++;
}

static int cgroup_of(struct mp_heap *heap, uint64_t id, uint32_t *number)
{
	uint32_t *known = mp_map_add(&heap->by_cgroup, id, 0);

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW && heap->nr_cgroups >= MAX_CGROUPS) {
		mp_map_remove(&heap->by_cgroup, id, 0);
		heap->counts.full_cgroups++;
		*number = 0;
		return 0;
	}
	if (*known == MP_MAP_NEW) {
		uint32_t i = MP_HEAP_ONE_MORE(heap, cgroups);

		if (i == MP_HEAP_NONE) {
			mp_map_remove(&heap->by_cgroup, id, 0);
			return -ENOMEM;
		}
		heap->cgroups[i].id = id;
		*known = i;
	}
	*number = *known;
	return 0;
}

uint32_t mp_heap_new_process(struct mp_heap *heap)
{
	uint32_t i = heap->free_process;

	if (i != MP_HEAP_NONE) {
		heap->free_process = heap->processes[i].next;
		heap->nr_free_processes--;
	} else {
		i = MP_HEAP_ONE_MORE(heap, processes);
	}
	if (i != MP_HEAP_NONE)
		heap->processes[i] = (struct mp_heap_process){
			.sites = MP_HEAP_NONE,
		};
	return i;
}

void mp_heap_free_process(struct mp_heap *heap, uint32_t number)
{
	heap->processes[number] = (struct mp_heap_process){
		.sites = MP_HEAP_NONE, .next = heap->free_process,
	};
	heap->free_process = number;
	heap->nr_free_processes++;
}

/* Finds or adds the row for all processes beyond limit_processes. */
static uint32_t overflow_of(struct mp_heap *heap)
{
	if (heap->overflow == MP_HEAP_NONE)
		heap->overflow = mp_heap_new_process(heap);
	heap->counts.full_processes++;
	return heap->overflow;
}

static int new_process(struct mp_heap *heap, const struct mp_who *who,
		       uint32_t *number)
{
	uint32_t *known = mp_map_add(&heap->by_pid, who->pid, 0);

	if (!known)
		return -ENOMEM;
	*number = heap->nr_processes - heap->nr_free_processes <
		  heap->limit_processes ? mp_heap_new_process(heap) :
					  overflow_of(heap);
	if (*number == MP_HEAP_NONE) {
		mp_map_remove(&heap->by_pid, who->pid, 0);
		return -ENOMEM;
	}
	*known = *number;
	if (*number == heap->overflow)
		return 0;
	heap->processes[*number].pid = who->pid;
	heap->processes[*number].start_ns = who->time_ns;
	return 0;
}

int mp_heap_process(struct mp_heap *heap, const struct mp_who *who,
		    uint32_t *number)
{
	uint32_t *known = mp_map_find(&heap->by_pid, who->pid, 0), cgroup;
	int err = 0;

	if (known)
		*number = *known;
	else
		err = new_process(heap, who, number);
	if (err || (!who->cgroup && heap->processes[*number].cgroup))
		return err;
	/* the first row is for cgroup id 0, the unknown cgroup */
	if (!heap->nr_cgroups)
		err = cgroup_of(heap, 0, &cgroup);
	if (!err)
		err = cgroup_of(heap, who->cgroup, &cgroup);
	if (!err)
		heap->processes[*number].cgroup = cgroup;
	return err;
}

static uint32_t new_site(struct mp_heap *heap, uint32_t process)
{
	uint32_t i = heap->free_site;

	if (i != MP_HEAP_NONE) {
		heap->free_site = heap->sites[i].next;
		heap->nr_free_sites--;
	} else {
		i = MP_HEAP_ONE_MORE(heap, sites);
	}
	if (i == MP_HEAP_NONE)
		return i;
	heap->sites[i] = (struct mp_heap_site){
		.process = process, .callsite = i,
		.next = heap->processes[process].sites,
	};
	heap->processes[process].sites = i;
	return i;
}

void mp_heap_free_site(struct mp_heap *heap, uint32_t number)
{
	struct mp_heap_site *site = &heap->sites[number];

	if (site->callsite == number)
		mp_map_remove(&heap->by_callsite, site->process,
			      site->location.callsite);
	else
		mp_map_remove(&heap->by_stack, site->process, site->stack);
	free(site->bins);
	*site = (struct mp_heap_site){
		.callsite = MP_HEAP_NONE, .next = heap->free_site,
	};
	heap->free_site = number;
	heap->nr_free_sites++;
}

static int add_site(struct mp_heap *heap, struct mp_map *map, uint64_t key,
		    const struct mp_heap_site *like, uint32_t *number)
{
	uint32_t *known = mp_map_add(map, like->process, key);
	struct mp_heap_site *site;
	uint32_t i;

	if (!known)
		return -ENOMEM;
	if (*known == MP_MAP_NEW) {
		i = new_site(heap, like->process);
		if (i == MP_HEAP_NONE) {
			mp_map_remove(map, like->process, key);
			return -ENOMEM;
		}
		site = &heap->sites[i];
		site->stack = like->stack;
		site->func = like->func;
		site->location = like->location;
		*known = i;
	}
	*number = *known;
	return 0;
}

static int dropped_of(struct mp_heap *heap, uint32_t *number)
{
	if (heap->dropped == MP_HEAP_NONE) {
		heap->dropped = MP_HEAP_ONE_MORE(heap, sites);
		if (heap->dropped == MP_HEAP_NONE)
			return -ENOMEM;
		heap->sites[heap->dropped].callsite = heap->dropped;
	}
	heap->counts.full_sites++;
	*number = heap->dropped;
	return 0;
}

/* Whether sites are full. A new stack needs two rows: the stack's and the callsite's. */
static bool is_full(const struct mp_heap *heap, bool own)
{
	return heap->nr_sites - heap->nr_free_sites + 2 >
	       (own ? heap->limit_sites / 2 : heap->limit_sites);
}

/* Finds or adds a stack's row and its callsite's row. */
static int add_both(struct mp_heap *heap, const struct mp_heap_site *like,
		    uint32_t *number)
{
	uint32_t callsite;
	int err = add_site(heap, &heap->by_callsite, like->location.callsite, like,
			   &callsite);

	if (err)
		return err;
	err = add_site(heap, &heap->by_stack, like->stack, like, number);
	if (!err)
		heap->sites[*number].callsite = callsite;
	return err;
}

int mp_heap_site(struct mp_heap *heap, uint32_t process,
		 const struct mp_call *call, uint32_t *number)
{
	uint32_t *known = mp_map_find(&heap->by_stack, process, call->stack);
	struct mp_heap_site like = {
		.process = process, .stack = call->stack, .func = call->func,
		.location = { .callsite = call->callsite, .stack = call->stack },
	};
	int err;

	if (known) {
		*number = *known;
		return 0;
	}
	if (is_full(heap, call->own))
		return dropped_of(heap, number);
	err = heap->location ? heap->location(heap->context, process, call,
					      &like.location) : 0;
	return err ? err : add_both(heap, &like, number);
}

/* In a sum, stacks are found by code location, because a sum has no addresses. */
int mp_heap_sum_site(struct mp_heap *heap, uint32_t sum, uint32_t other,
		     uint32_t *number)
{
	struct mp_heap_site like = heap->sites[other];
	bool is_callsite = like.callsite == other;
	uint32_t *known;
	int err = heap->sum_location ?
		  heap->sum_location(heap->context, &like.location) : 0;

	if (err)
		return err;
	like.process = sum;
	like.stack = like.location.stack;
	known = is_callsite ?
		mp_map_find(&heap->by_callsite, sum, like.location.callsite) :
		mp_map_find(&heap->by_stack, sum, like.stack);
	if (known) {
		*number = *known;
		return 0;
	}
	if (is_full(heap, false))
		return dropped_of(heap, number);
	if (is_callsite)
		return add_site(heap, &heap->by_callsite, like.location.callsite,
				&like, number);
	return add_both(heap, &like, number);
}

static void forget_old(struct mp_heap *heap)
{
	size_t i;

	for (i = 0; i < heap->nr_processes; i++)
		heap->processes[i].tally.old_space = 0;
	for (i = 0; i < heap->nr_cgroups; i++)
		heap->cgroups[i].tally.old_space = 0;
	for (i = 0; i < heap->nr_sites; i++)
		heap->sites[i].tally.old_space = 0;
}

void mp_heap_find_old(struct mp_heap *heap, uint64_t until_ns)
{
	const struct mp_blocks *blocks = &heap->blocks;
	const struct mp_block *block;
	struct mp_heap_site *site;

	forget_old(heap);
	for (block = blocks->list; block < blocks->list + blocks->nr_slots; block++) {
		if (!block->ptr || block->born_ns > until_ns)
			continue;
		site = &heap->sites[block->site];
		site->tally.old_space += block->space;
		if (site->callsite != block->site)
			heap->sites[site->callsite].tally.old_space += block->space;
		heap->processes[block->process].tally.old_space += block->space;
		if (block->cgroup < heap->nr_cgroups)
			heap->cgroups[block->cgroup].tally.old_space += block->space;
	}
}

static void reset_tally(struct mp_tally *tally)
{
	*tally = (struct mp_tally){
		.inuse_objects = tally->inuse_objects,
		.inuse_space = tally->inuse_space,
		.peak = tally->peak,
		.inherited_objects = tally->inherited_objects,
		.inherited_space = tally->inherited_space,
		.inherited_frees = tally->inherited_frees,
	};
	mp_heap_peak_reset(tally);
}

void mp_heap_reset(struct mp_heap *heap)
{
	size_t i;

	heap->peak[0] = heap->peak[1] = 0;
	reset_tally(&heap->total);
	for (i = 0; i < heap->nr_processes; i++)
		reset_tally(&heap->processes[i].tally);
	for (i = 0; i < heap->nr_cgroups; i++)
		reset_tally(&heap->cgroups[i].tally);
	for (i = 0; i < heap->nr_sites; i++) {
		reset_tally(&heap->sites[i].tally);
		if (heap->sites[i].bins)
			*heap->sites[i].bins = (struct mp_bins){ { 0 }, { 0 } };
	}
}
