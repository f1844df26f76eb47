/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region-resident: the pages of the process of a region, and whose blocks keep them
 */
#ifndef MP_REGION_RESIDENT_H
#define MP_REGION_RESIDENT_H

#include "cold.h"
#include "region.h"

/**
 * mp_region_resident - set the sizes of a process and of its stacks
 * @rows: what mp_region_profile() added
 * @cold: ages of pages, sorted; NULL: there is no COLD
 *
 * A process that has ended has the sizes that it kept at its end. If it was killed, or
 * called _exit() or exec, it kept none, which the counter end_pages_missing tells.
 *
 * Return: 0; a negative errno if the blocks or the process cannot be read. Rows do not
 * change then.
 */
int mp_region_resident(const struct mp_region *region, const struct mp_region_rows *rows,
		       const struct mp_cold *cold, struct mp_profile *profile);

#endif
