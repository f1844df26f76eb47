/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top-sites: the callsites that matter most in a cgroup
 */
#ifndef MP_TOP_SITES_H
#define MP_TOP_SITES_H

#include "profile.h"

/* More are a report of their own. */
#define MP_MAX_TOP	100

/**
 * mp_top_sites - the first ones of a cgroup
 * @cgroup: that they are in: a merge has kept those in others apart
 * @metric: highest first; those that have none of it are left out
 * @rows: out, @max of them
 *
 * Return: how many there are, up to @max.
 */
size_t mp_top_sites(const struct mp_profile *profile, uint64_t cgroup,
		    enum mp_metric metric, size_t max,
		    const struct mp_row **rows);

#endif
