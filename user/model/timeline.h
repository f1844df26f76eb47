/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline: who had how many bytes over time, in a bounded number of points
 *
 * A point has the sum of all, and the shares of processes and of callsites. Shares that
 * are small are not kept: the sum tells how much they are together. When all points are
 * used, one of two is removed, and later ones come half as often.
 */
#ifndef MP_TIMELINE_H
#define MP_TIMELINE_H

#include "map.h"

#include <linux/memprof.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_TIMELINE_POINTS	160

/* Limit of shares in a point, and the smallest share: this part of the sum. */
#define MP_TIMELINE_SHARES	500
#define MP_TIMELINE_PARTS	1000

/* Limit of owners. */
#define MP_TIMELINE_OWNERS	20000

/**
 * struct mp_timeline_owner - a process or a callsite
 * @pid: the process; 0: a callsite
 * @comm: its command name, not escaped
 * @cgroup: id of its cgroup; 0: not known
 * @callsite: of a callsite, the engine's code location
 * @frames: of one stack of a callsite, the engine's number of it, plus 1; 0: of the others
 * @stack: of a callsite, number of a stack in the profile, from 1; 0: not known
 */
struct mp_timeline_owner {
	uint32_t pid;
	char comm[MEMPROF_COMM_LEN];
	uint64_t cgroup;
	uint64_t callsite;
	uint32_t frames;
	uint32_t stack;
};

/**
 * struct mp_timeline_share - what an owner has at a point
 * @owner: number of the owner
 * @bytes: of it
 */
struct mp_timeline_share {
	uint32_t owner;
	uint64_t bytes;
};

/**
 * struct mp_timeline_point - what all had at one time
 * @time_ns: CLOCK_MONOTONIC
 * @since_ns: nothing had changed since then
 * @total: bytes of all
 * @is_peak: this is the time of the highest total
 * @shares: of those that had much; processes and callsites are separate parts of @total
 */
struct mp_timeline_point {
	uint64_t time_ns;
	uint64_t since_ns;
	uint64_t total;
	bool is_peak;
	struct mp_timeline_share *shares;
	size_t nr, max;
};

/**
 * struct mp_timeline_track - the points of one metric
 * @next_ns: time from which on the next point is due
 */
struct mp_timeline_track {
	struct mp_timeline_point points[MP_TIMELINE_POINTS + 2];
	size_t nr;
	uint64_t step_ns;
	uint64_t next_ns;
};

/**
 * struct mp_timeline - all zero means empty
 * @owners: by number
 * @live: bytes of living blocks
 * @resident: RSS of processes
 */
struct mp_timeline {
	struct mp_timeline_owner *owners;
	size_t nr_owners, max_owners;
	struct mp_map by_owner;
	struct mp_timeline_track live, resident;
};

/** mp_timeline_is_due - whether a track needs a point */
static inline bool mp_timeline_is_due(const struct mp_timeline_track *track,
				      uint64_t time_ns)
{
	return time_ns >= track->next_ns;
}

/**
 * mp_timeline_add - add a point without shares
 *
 * Return: the point, valid until the next one.
 */
struct mp_timeline_point *mp_timeline_add(struct mp_timeline_track *track,
					  uint64_t time_ns, uint64_t total);

/**
 * mp_timeline_last - add the last point, and the one of the peak
 *
 * Unlike mp_timeline_add() this removes no points. It works twice for each track.
 */
struct mp_timeline_point *mp_timeline_last(struct mp_timeline_track *track,
					   uint64_t time_ns, uint64_t total);

/** mp_timeline_sort - put the points in the order of time */
void mp_timeline_sort(struct mp_timeline_track *track);

/** mp_timeline_is_large - whether a share is large enough for a point */
static inline bool mp_timeline_is_large(const struct mp_timeline_point *point, uint64_t bytes)
{
	return bytes && bytes >= point->total / MP_TIMELINE_PARTS;
}

/** mp_timeline_find - find an owner that has a share; NULL: there is none */
struct mp_timeline_owner *mp_timeline_find(const struct mp_timeline *timeline,
					   const struct mp_timeline_owner *owner);

/**
 * mp_timeline_put - add a share to a point, if it is large enough
 * @owner: whose it is; a later name of a process replaces an earlier one
 *
 * Return: 0, or -ENOMEM.
 */
int mp_timeline_put(struct mp_timeline *timeline, struct mp_timeline_point *point,
		    const struct mp_timeline_owner *owner, uint64_t bytes);

/** mp_timeline_free - free all memory; the object is empty afterwards */
void mp_timeline_free(struct mp_timeline *timeline);

#endif
