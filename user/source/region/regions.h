/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * regions: those of several processes, as one profile
 */
#ifndef MP_REGIONS_H
#define MP_REGIONS_H

#include "profile.h"

#include <sys/types.h>

/* Files of a folder that are looked at. */
#define MP_REGIONS_MAX	65536

/**
 * struct mp_regions - set profile, zero the rest
 * @profile: where all goes
 * @since_mark: only what lives since the latest mark; without one there is nothing
 * @pid: whose region it is, as we know it; 0: as the regions say
 * @nr: regions that were read
 * @nr_bad: that could not be
 * @nr_left: that were too many
 * @why: what is wrong with the latest of those
 */
struct mp_regions {
	struct mp_profile *profile;
	bool since_mark;
	pid_t pid;
	size_t nr, nr_bad, nr_left;
	char why[128];
};

/** mp_regions_are - whether a path is that of a region, or of a folder */
bool mp_regions_are(const char *path);

/**
 * mp_regions_read - read a region, or each one in a folder
 *
 * Those that cannot be read make a warning where others can.
 *
 * Return: 0; -EBADMSG with why: there is none; or another negative errno.
 */
int mp_regions_read(struct mp_regions *regions, const char *path);

/**
 * mp_regions_strays - read those that found no room where they should have been
 * @path: the folder that the library goes to then
 * @since_ns: CLOCK_MONOTONIC; older ones are not ours, nor are those of others
 *
 * Return: 0, or -ENOMEM.
 */
int mp_regions_strays(struct mp_regions *regions, const char *path,
		      uint64_t since_ns);

#endif
