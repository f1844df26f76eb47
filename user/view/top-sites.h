/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top-sites: the callsites of a cgroup with the highest values
 */
#ifndef MP_TOP_SITES_H
#define MP_TOP_SITES_H

#include "profile.h"

/* Limit for --top. A longer list is a report of its own. */
#define MP_MAX_TOP	100

/**
 * mp_top_sites - find the callsites of a cgroup with the highest values
 * @cgroup: id; rows of different cgroups must not be merged
 * @metric: highest first; callsites with 0 are left out
 * @rows: out; @max elements
 *
 * Return: their number, up to @max.
 */
size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows);

#endif
