// SPDX-License-Identifier: GPL-2.0-only
/*
 * merge-timeline: adds points to the engine's timeline
 *
 * A point costs a walk over all processes and callsites, and there are some hundred
 * walks in all. Functions fail with -ENOMEM only.
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct mp_timeline_owner process_owner(const struct mp_heap *heap,
					      const struct mp_heap_process *process)
{
	struct mp_timeline_owner owner = { .pid = process->pid };

	if (heap->nr_cgroups)
		owner.cgroup = heap->cgroups[process->cgroup].id;
	memcpy(owner.comm, process->comm, sizeof(owner.comm));
	return owner;
}

uint64_t mp_merge_timeline_bytes(const struct mp_merge *merge)
{
	const uint64_t now = mp_tally_settled(&merge->heap.total);
	const uint64_t highest = mp_tally_highest(&merge->heap.total);

	return now < highest ? now : highest;
}

/* Which bytes of a tally a point has. Before the end, those that count for peaks are drawn. */
enum moment { ON_THE_WAY, AT_PEAK, AT_END };

static uint64_t bytes_of(const struct mp_heap *heap, const struct mp_tally *tally,
			 enum moment moment)
{
	const uint64_t settled = mp_tally_settled(&heap->total);
	const uint64_t highest = mp_tally_highest(&heap->total);

	if (moment == AT_PEAK)
		return mp_heap_at_peak(heap, tally);
	if (moment == AT_END)
		return tally->inuse_space;
	return settled <= highest ? mp_tally_settled(tally) :
	       (uint64_t)((double)mp_tally_settled(tally) * (double)highest / (double)settled);
}

static bool is_stack(const struct mp_heap_site *site, size_t i)
{
	return site->callsite != MP_HEAP_NONE && site->callsite != i;
}

/*
 * Adds the shares of callsites. A report names a callsite by its stack, so stacks of one
 * callsite may be in different rows: each that is large is an owner, and the rest is one.
 * @rest: 0 for each site
 */
static int put_sites(struct mp_merge *merge, struct mp_timeline_point *point,
		     enum moment moment, uint64_t *rest)
{
	const struct mp_heap *heap = &merge->heap;
	struct mp_timeline_owner owner = { 0 };
	const struct mp_heap_site *site;
	uint64_t bytes;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < heap->nr_sites; i++) {
		site = &heap->sites[i];
		bytes = bytes_of(heap, &site->tally, moment);
		if (!is_stack(site, i) || !mp_timeline_is_large(point, bytes))
			continue;
		rest[site->callsite] += bytes;
		owner.callsite = site->location.callsite;
		owner.frames = site->location.stack + 1;
		err = mp_timeline_put(&merge->timeline, point, &owner, bytes);
	}
	for (i = 0; !err && i < heap->nr_sites; i++) {
		site = &heap->sites[i];
		bytes = bytes_of(heap, &site->tally, moment);
		owner = (struct mp_timeline_owner){ .callsite = site->location.callsite };
		if (site->callsite == i && i != heap->dropped && bytes > rest[i])
			err = mp_timeline_put(&merge->timeline, point, &owner,
					      bytes - rest[i]);
	}
	return err;
}

/* Adds the shares of processes and of callsites. */
static int put_shares(struct mp_merge *merge, struct mp_timeline_point *point,
		      enum moment moment)
{
	const struct mp_heap *heap = &merge->heap;
	const struct mp_heap_process *process = heap->processes;
	struct mp_timeline_owner owner;
	uint64_t *rest;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < heap->nr_processes; i++, process++) {
		owner = process_owner(heap, process);
		if (owner.pid)
			err = mp_timeline_put(&merge->timeline, point, &owner,
					      bytes_of(heap, &process->tally, moment));
	}
	rest = calloc(heap->nr_sites + 1, sizeof(*rest));
	if (!rest)
		return -ENOMEM;
	err = err ?: put_sites(merge, point, moment, rest);
	free(rest);
	return err;
}

int mp_merge_timeline_live(struct mp_merge *merge, uint64_t time_ns)
{
	struct mp_timeline_track *track = &merge->timeline.live;
	struct mp_timeline_point *point;

	if (!merge->has_timeline || !time_ns || !mp_timeline_is_due(track, time_ns))
		return 0;
	point = mp_timeline_add(track, time_ns, mp_merge_timeline_bytes(merge));
	if (merge->event_ns && merge->event_ns < time_ns)
		point->since_ns = merge->event_ns;
	return put_shares(merge, point, ON_THE_WAY);
}

int mp_merge_timeline_end(struct mp_merge *merge, uint64_t time_ns)
{
	struct mp_timeline_track *track = &merge->timeline.live;
	struct mp_timeline_point *point;
	const bool is_peak = mp_heap_is_peak(&merge->heap);
	int err = 0;

	/* at the end, what does not count for peaks yet is there, too */
	if (merge->event_ns)
		mp_series_put(&merge->series[MP_SERIES_LIVE], merge->event_ns,
			      (int64_t)merge->heap.total.inuse_space);
	if ((!mp_tally_highest(&merge->heap.total) && !is_peak) || !track->nr)
		return 0;
	if (!is_peak) {
		point = mp_timeline_last(track, merge->peak_ns, mp_tally_highest(&merge->heap.total));
		point->is_peak = true;
		err = put_shares(merge, point, AT_PEAK);
		mp_timeline_sort(track);
	}
	if (err)
		return err;
	/* an exit may be newer than the last sample */
	if (time_ns < merge->event_ns)
		time_ns = merge->event_ns;
	point = mp_timeline_last(track, time_ns, merge->heap.total.inuse_space);
	if (merge->event_ns)
		point->since_ns = merge->event_ns;
	point->is_peak |= is_peak;
	return put_shares(merge, point, AT_END);
}

int mp_merge_timeline_resident(struct mp_merge *merge, struct mp_timeline_point *point,
			       uint32_t pid, uint64_t bytes)
{
	const uint32_t *known = mp_map_find(&merge->heap.by_pid, pid, 0);
	struct mp_timeline_owner owner = { .pid = pid };

	if (known)
		owner = process_owner(&merge->heap, &merge->heap.processes[*known]);
	return mp_timeline_put(&merge->timeline, point, &owner, bytes);
}
