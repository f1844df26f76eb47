/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-functions: the interpreted functions in the stacks of a region
 */
#ifndef MP_REGION_FUNCTIONS_H
#define MP_REGION_FUNCTIONS_H

#include "region.h"

/**
 * struct mp_region_function - a line of a function
 * @binary: number of the function in the profile, from 1
 * @line: the line
 */
struct mp_region_function {
	uint32_t binary;
	uint32_t line;
};

/**
 * struct mp_region_functions - all of them
 * @list: by the region's numbers
 * @nr: number of entries
 * @by_address: the frame in stacks -> index in @list
 */
struct mp_region_functions {
	struct mp_region_function *list;
	uint64_t nr;
	struct mp_map by_address;
};

/**
 * mp_region_functions_read - read all functions
 * @profile: each function is added to its binaries, see interpreted.h
 *
 * Call mp_region_functions_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_region_functions_read(struct mp_region_functions *functions,
			     const struct mp_region *region, struct mp_profile *profile);

/** mp_region_functions_find - find the function of a frame, or NULL */
const struct mp_region_function *
mp_region_functions_find(const struct mp_region_functions *functions, uint64_t address);

/** mp_region_functions_free - free the list */
void mp_region_functions_free(struct mp_region_functions *functions);

#endif
