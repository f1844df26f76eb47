/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top-sites: finds the callsites with the highest values
 */
#ifndef MP_TOP_SITES_H
#define MP_TOP_SITES_H

#include "profile.h"

/* Limit of the option --top, which lists callsites below each cgroup. */
#define MP_MAX_TOP	100

/* In place of a cgroup: the callsites of all. */
#define MP_TOP_ALL	UINT64_MAX

/**
 * mp_top_sites - find the callsites of a cgroup with the highest values
 * @cgroup: id of the cgroup; rows of different cgroups must not be merged then. Or MP_TOP_ALL
 * @metric: metric to compare; callsites with the value 0, and memprof's own, are left out
 * @rows: out: the callsites, highest value first; @max elements
 *
 * Return: number of callsites, at most @max.
 */
size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows);

#endif
