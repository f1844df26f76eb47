/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regions: reads the regions of several processes into one profile
 */
#ifndef MP_REGIONS_H
#define MP_REGIONS_H

#include "cold.h"

#include <sys/types.h>

/* Limit of regions in a folder; files that cannot be read do not count. */
#define MP_REGIONS_MAX	65536

/**
 * struct mp_regions - what to read, and the result; the caller sets @profile,
 * and @since_mark and @pid if needed; the rest is zero
 * @profile: rows are added to it
 * @since_mark: only live blocks that were allocated after the latest mark; a
 *	region without a mark is refused
 * @cold: ages of pages, sorted; NULL: there is no COLD
 * @pid: process of the region, if known; 0: use the region's header
 * @nr: regions that were read
 * @nr_bad: regions that could not be read
 * @nr_left: regions beyond MP_REGIONS_MAX
 * @nr_others: regions of other users that mp_regions_strays() left out
 * @why: why the latest of @nr_bad could not be read
 */
struct mp_regions {
	struct mp_profile *profile;
	bool since_mark;
	const struct mp_cold *cold;
	pid_t pid;
	size_t nr, nr_bad, nr_left, nr_others;
	char why[128];
};

/** mp_regions_are - check whether a path is a region or a folder */
bool mp_regions_are(const char *path);

/**
 * mp_regions_read - read a region, or each one in a folder
 *
 * If only some cannot be read, the profile gets a warning.
 *
 * Return: 0; -EBADMSG if none could be read, with the reason in why; another
 * negative errno.
 */
int mp_regions_read(struct mp_regions *regions, const char *path);

/**
 * mp_regions_strays - read regions that could not be written to the requested
 * folder
 * @path: the library's default folder
 * @since_ns: CLOCK_MONOTONIC; older regions are left out. Regions of other users are
 *	left out and counted, because they may not belong to this recording
 *
 * Return: 0, or -ENOMEM.
 */
int mp_regions_strays(struct mp_regions *regions, const char *path,
		      uint64_t since_ns);

#endif
