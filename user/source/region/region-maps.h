/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-maps: the binaries that contain the stacks of a region
 */
#ifndef MP_REGION_MAPS_H
#define MP_REGION_MAPS_H

#include "region.h"

/**
 * struct mp_region_code - a mapping of a binary
 * @start: first address
 * @end: first address after it
 * @offset: offset of @start in the file
 * @binary: number in the profile, from 1; 0: no file
 */
struct mp_region_code {
	uint64_t start, end, offset;
	uint32_t binary;
};

/**
 * struct mp_region_maps - all mappings, in the order of their discovery
 * @list: by the region's numbers; entries without a binary match no address
 * @nr: number of entries
 */
struct mp_region_maps {
	struct mp_region_code *list;
	uint64_t nr;
};

/**
 * mp_region_maps_read - read all mappings
 * @pid: process of the region; 0: it exited
 * @profile: binaries are added to it
 *
 * Call mp_region_maps_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_maps_read(struct mp_region_maps *maps,
			const struct mp_region *region, pid_t pid,
			struct mp_profile *profile);

/**
 * mp_region_maps_find - find the mapping of a return address
 * @nr_known: number of mappings when the stack was recorded; 0: not known
 *
 * A library that replaces another one at the same address is added again. So
 * the last match among the first @nr_known mappings is used, else the first
 * match after them.
 *
 * Return: the mapping, or NULL.
 */
const struct mp_region_code *
mp_region_maps_find(const struct mp_region_maps *maps, uint64_t address,
		    uint64_t nr_known);

/** mp_region_maps_free - free the list */
void mp_region_maps_free(struct mp_region_maps *maps);

#endif
