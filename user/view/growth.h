/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * growth: a metric of each row over several profiles, and which rows keep growing
 */
#ifndef MP_GROWTH_H
#define MP_GROWTH_H

#include "names.h"
#include "profile.h"
#include "trend.h"

/* Limit of rows. Rows beyond it are only counted. */
#define MP_GROWTH_MAX_ROWS	100000

/**
 * struct mp_growth_row - a callsite, or a command or a cgroup, over time
 * @name, @comm, @cgroup: numbers in mp_growth.names; @name of a command or a cgroup is
 *	empty
 * @shown: of the same, what tables show of the cgroup: its container, or its path
 * @build_id: of the callsite's binary; the last one that was seen
 * @build_id_size: bytes of @build_id; 0: not known
 * @values: by point; 0 where the profile had no such row
 * @allocs: by point, the bytes that had been allocated until then; a part of @values' memory
 * @distance: mean bytes between the samples of blocks; the longest of all points
 * @trend: set by mp_growth_find()
 */
struct mp_growth_row {
	uint32_t name, comm, cgroup, shown;
	uint8_t build_id[MP_BUILD_ID_SIZE];
	uint32_t build_id_size;
	double *values, *allocs;
	double distance;
	struct mp_trend trend;
};

/**
 * struct mp_growth - rows over time; all zero but @kind, @metric, @max is empty
 * @kind: kind of the rows
 * @metric: a level, in bytes
 * @max: limit of profiles, at most MP_TREND_MAX
 * @rate: mean bytes between samples of the metric, or 0; of the last profile
 * @times: of the profiles, in seconds of CLOCK_MONOTONIC
 * @nr: profiles that were added
 * @rows: after mp_growth_find(), those that grow, and the steepest one first
 * @nr_dropped: rows beyond the limit
 */
struct mp_growth {
	enum mp_row_kind kind;
	enum mp_metric metric;
	size_t max;
	uint64_t rate;
	double times[MP_TREND_MAX];
	size_t nr;
	struct mp_growth_row *rows;
	size_t nr_rows, max_rows;
	size_t nr_dropped;
	struct mp_names names;
	struct mp_map by_names;
};

/**
 * mp_growth_add - add the next profile
 * @profile: arranged rows, of one session with the profiles before; the cgroups of
 *	callsites are kept
 * @name_of: writes the name of a callsite to @size bytes
 *
 * Rows that have command, cgroup and name in common are added up.
 *
 * Return: 0, or -ENOMEM; -E2BIG above the limit of profiles.
 */
int mp_growth_add(struct mp_growth *growth, const struct mp_profile *profile,
		  void (*name_of)(const struct mp_profile *profile,
				  const struct mp_row *row, char *text),
		  size_t size);

/**
 * mp_growth_raise - raise the value of a command to one that is known from elsewhere
 * @at: index of the profile, below @growth->nr
 * @cgroup: path of the command's cgroup
 *
 * A row is added if the command has none. A lower value changes nothing.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_growth_raise(struct mp_growth *growth, size_t at, const char *comm, const char *cgroup,
		    double value);

/**
 * mp_growth_find - leave only the rows that keep growing
 * @least: growth in bytes that a row must have had in all
 *
 * If the values are estimates, a row must have grown by four samples, and by three standard
 * errors of its growth: that of a large row whose blocks come and go is more than four samples.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_growth_find(struct mp_growth *growth, double least);

/** mp_growth_free - free all */
void mp_growth_free(struct mp_growth *growth);

#endif
