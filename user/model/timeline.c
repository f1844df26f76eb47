// SPDX-License-Identifier: GPL-2.0-only
/*
 * timeline: keeps the points of two metrics, and the owners of their shares
 *
 * A share takes 16 bytes, and there are at most 81000 in a track. If memory is short,
 * functions return -ENOMEM.
 */
#include "timeline.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS	5000000ULL

static void free_point(struct mp_timeline_point *point)
{
	free(point->shares);
	*point = (struct mp_timeline_point){ 0 };
}

static uint64_t hold_of(const struct mp_timeline_point *point)
{
	return point->time_ns - point->since_ns;
}

/* Removes one of two points: the one that was true for a shorter time. */
static void thin(struct mp_timeline_track *track)
{
	struct mp_timeline_point *pair, kept;
	size_t i;

	for (i = 0; i + 1 < track->nr; i += 2) {
		pair = &track->points[i];
		kept = pair[hold_of(&pair[1]) > hold_of(&pair[0])];
		free_point(kept.time_ns == pair[0].time_ns ? &pair[1] : &pair[0]);
		pair[0] = pair[1] = (struct mp_timeline_point){ 0 };
		track->points[i / 2] = kept;
	}
	track->nr = i / 2;
	track->step_ns *= 2;
}

static struct mp_timeline_point *append(struct mp_timeline_track *track,
					uint64_t time_ns, uint64_t total)
{
	struct mp_timeline_point *point = &track->points[track->nr++];

	*point = (struct mp_timeline_point){
		.time_ns = time_ns, .since_ns = time_ns, .total = total,
	};
	return point;
}

struct mp_timeline_point *mp_timeline_add(struct mp_timeline_track *track,
					  uint64_t time_ns, uint64_t total)
{
	if (!track->step_ns)
		track->step_ns = STEP_NS;
	if (track->nr == MP_TIMELINE_POINTS)
		thin(track);
	track->next_ns = time_ns + track->step_ns;
	return append(track, time_ns, total);
}

struct mp_timeline_point *mp_timeline_last(struct mp_timeline_track *track,
					   uint64_t time_ns, uint64_t total)
{
	return append(track, time_ns, total);
}

static int compare(const void *a, const void *b)
{
	const struct mp_timeline_point *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

void mp_timeline_sort(struct mp_timeline_track *track)
{
	qsort(track->points, track->nr, sizeof(track->points[0]), compare);
}

/* What tells an owner from all others. */
static void key_of(const struct mp_timeline_owner *owner, uint64_t *a, uint64_t *b)
{
	*a = owner->pid ? owner->pid : owner->frames ? owner->frames : owner->callsite;
	*b = owner->pid ? 0 : owner->frames ? 2 : 1;
}

struct mp_timeline_owner *mp_timeline_find(const struct mp_timeline *timeline,
					   const struct mp_timeline_owner *owner)
{
	const uint32_t *number;
	uint64_t a, b;

	key_of(owner, &a, &b);
	number = mp_map_find(&timeline->by_owner, a, b);
	return number ? &timeline->owners[*number] : NULL;
}

/* Finds or adds an owner. @number: out; MP_MAP_NEW: there are too many. */
static int find_owner(struct mp_timeline *timeline,
		      const struct mp_timeline_owner *owner, uint32_t *number)
{
	uint32_t *known;
	uint64_t a, b;

	key_of(owner, &a, &b);
	known = mp_map_find(&timeline->by_owner, a, b);
	*number = MP_MAP_NEW;
	if (!known && timeline->nr_owners == MP_TIMELINE_OWNERS)
		return 0;
	if (!known) {
		if (timeline->nr_owners == timeline->max_owners &&
		    !mp_array_grow(&timeline->owners, &timeline->max_owners,
				   sizeof(*timeline->owners)))
			return -ENOMEM;
		known = mp_map_add(&timeline->by_owner, a, b);
		if (!known)
			return -ENOMEM;
		*known = (uint32_t)timeline->nr_owners++;
		timeline->owners[*known] = *owner;
	}
	*number = *known;
	if (owner->comm[0])
		timeline->owners[*known] = *owner;
	return 0;
}

int mp_timeline_put(struct mp_timeline *timeline, struct mp_timeline_point *point,
		    const struct mp_timeline_owner *owner, uint64_t bytes)
{
	uint32_t number;
	int err;

	if (!mp_timeline_is_large(point, bytes) || point->nr == MP_TIMELINE_SHARES)
		return 0;
	err = find_owner(timeline, owner, &number);
	if (err || number == MP_MAP_NEW)
		return err;
	if (point->nr == point->max &&
	    !mp_array_grow(&point->shares, &point->max, sizeof(*point->shares)))
		return -ENOMEM;
	point->shares[point->nr++] = (struct mp_timeline_share){ number, bytes };
	return 0;
}

static void free_track(struct mp_timeline_track *track)
{
	size_t i;

	for (i = 0; i < track->nr; i++)
		free_point(&track->points[i]);
}

void mp_timeline_free(struct mp_timeline *timeline)
{
	free_track(&timeline->live);
	free_track(&timeline->resident);
	free(timeline->owners);
	mp_map_free(&timeline->by_owner);
	*timeline = (struct mp_timeline){ 0 };
}
