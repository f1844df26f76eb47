/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-maps: the binaries that a region's stacks go through
 */
#ifndef MP_REGION_MAPS_H
#define MP_REGION_MAPS_H

#include "region.h"

/**
 * struct mp_region_code - one that was seen
 * @start: first address
 * @end: first one behind it
 * @offset: of @start in the file
 * @binary: of the profile, from 1; 0: there is no file
 */
struct mp_region_code {
	uint64_t start, end, offset;
	uint32_t binary;
};

/**
 * struct mp_region_maps - all of them, in the order in which they were seen
 * @list: by the region's numbers; those without a binary lie nowhere
 */
struct mp_region_maps {
	struct mp_region_code *list;
	uint64_t nr;
};

/**
 * mp_region_maps_read - read them all
 * @pid: who runs them; 0: nobody any more
 * @profile: gets the binaries
 *
 * Return: 0, or -ENOMEM. mp_region_maps_free() follows in any case.
 */
int mp_region_maps_read(struct mp_region_maps *maps,
			const struct mp_region *region, pid_t pid,
			struct mp_profile *profile);

/**
 * mp_region_maps_find - what a return address was in
 * @nr_known: maps that were known when its stack was; 0: not known
 *
 * Of several over an address it is the last of @nr_known, for a library is written
 * down again that took another one's place; without one there, the next.
 *
 * Return: the code, or NULL.
 */
const struct mp_region_code *
mp_region_maps_find(const struct mp_region_maps *maps, uint64_t address,
		    uint64_t nr_known);

/** mp_region_maps_free - free the list */
void mp_region_maps_free(struct mp_region_maps *maps);

#endif
