/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sites: handles the callsites of a profile, with their binaries and histograms
 */
#ifndef MP_SITES_H
#define MP_SITES_H

#include "profile.h"

/** mp_sites_add_binary - append a binary. Return: 0, or -ENOMEM */
int mp_sites_add_binary(struct mp_profile *profile,
			const struct mp_binary *binary);

/**
 * mp_sites_binary - find or add a binary
 * @number: out: value for mp_location.binary
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_binary(struct mp_profile *profile,
		    const struct mp_binary *binary, uint32_t *number);

/**
 * mp_sites_histogram - append a histogram
 * @number: out: value for mp_location.histogram
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_histogram(struct mp_profile *profile,
		       const struct mp_histogram *histogram, uint32_t *number);

/**
 * mp_sites_adopt - copy command names and cgroups from the rows of processes to
 * the rows of their callsites
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sites_adopt(struct mp_profile *profile);

/**
 * mp_location_is_near - whether a location is only the caller of a callsite, because
 * the callsite is missing in the stack
 */
bool mp_location_is_near(const struct mp_profile *profile,
			 const struct mp_location *location);

/**
 * mp_sites_compare - compare location, command name and cgroup of two rows
 *
 * Return: 0 if the rows can be merged; else a negative or positive number, as for
 * qsort().
 */
int mp_sites_compare(const struct mp_profile *profile, const struct mp_row *a,
		     const struct mp_row *b);

/** mp_sites_fold - merge the levels and histograms of a callsite into @into */
void mp_sites_fold(struct mp_profile *profile, struct mp_row *into,
		   const struct mp_row *other);

/** mp_sites_free - free binaries, frames, symbols and histograms */
void mp_sites_free(struct mp_profile *profile);

/**
 * mp_profile_line - get the function and source line of a callsite
 *
 * Return: a line of the callsite's frame, or NULL if no symbol is known.
 */
const struct mp_line *mp_profile_line(const struct mp_profile *profile,
				      const struct mp_location *location);

#endif
