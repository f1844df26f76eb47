/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites: the callsites of a profile, and what belongs to them
 */
#ifndef MP_SITES_H
#define MP_SITES_H

#include "profile.h"

/** mp_sites_add_binary - append a binary. Return: 0, or -ENOMEM. */
int mp_sites_add_binary(struct mp_profile *profile,
			const struct mp_binary *binary);

/**
 * mp_sites_binary - the number of a binary, a new one if it is not known
 * @number: out, for struct mp_location
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_binary(struct mp_profile *profile,
		    const struct mp_binary *binary, uint32_t *number);

/**
 * mp_sites_histogram - keep a histogram
 * @number: out, for struct mp_location
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_histogram(struct mp_profile *profile,
		       const struct mp_histogram *histogram, uint32_t *number);

/**
 * mp_sites_adopt - give callsites the names and cgroups of their processes
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_adopt(struct mp_profile *profile);

/**
 * mp_sites_compare - order by place, name and cgroup; 0 for rows that are to be
 * one
 */
int mp_sites_compare(const struct mp_profile *profile, const struct mp_row *a,
		     const struct mp_row *b);

/** mp_sites_fold - add to one row what only callsites have of another */
void mp_sites_fold(struct mp_profile *profile, struct mp_row *into,
		   const struct mp_row *other);

/** mp_sites_free - free binaries, names and histograms */
void mp_sites_free(struct mp_profile *profile);

/**
 * mp_profile_line - what a place is called
 *
 * Return: the line that the place's frame has, or NULL where nothing is known.
 */
const struct mp_line *mp_profile_line(const struct mp_profile *profile,
				      const struct mp_location *location);

#endif
