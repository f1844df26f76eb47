/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top-sites: finds the callsites of a cgroup with the highest values
 */
#ifndef MP_TOP_SITES_H
#define MP_TOP_SITES_H

#include "profile.h"

/* Limit of the option --top, which lists callsites below each cgroup. */
#define MP_MAX_TOP	100

/**
 * mp_top_sites - find the callsites of a cgroup with the highest values
 * @cgroup: id of the cgroup; rows of different cgroups must not be merged
 * @metric: metric to compare; callsites with the value 0 are left out
 * @rows: out: the callsites, highest value first; @max elements
 *
 * Return: number of callsites, at most @max.
 */
size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows);

#endif
