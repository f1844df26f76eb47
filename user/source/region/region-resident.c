// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-resident: hands the living blocks of a region to the look at pages
 *
 * Memory: 32 bytes per block, and 120 bytes per stack. The process may write any numbers
 * into its region: the time is bounded (blame.c), and wrong numbers only harm its rows.
 */
#include "region-resident.h"
#include "clock.h"
#include "region-blocks.h"
#include "resident.h"

#include <errno.h>
#include <stdlib.h>

/* Limit of the time for the pages of a process: it may have mapped very much. */
#define WALK_NS	1000000000ULL

static void put(const struct mp_resident *resident, const struct mp_region_rows *rows,
		struct mp_profile *profile)
{
	uint64_t i;

	for (i = 0; i < rows->nr; i++)
		if (rows->of_stack[i] != MP_REGION_NO_ROW)
			mp_blame_put(&profile->rows[rows->of_stack[i]],
				     &resident->blame.owners[i]);
}

int mp_region_resident(const struct mp_region *region, const struct mp_region_rows *rows,
		       struct mp_profile *profile)
{
	struct mp_blame_blocks blocks = { 0 };
	struct mp_resident resident = {
		.end_ns = mp_clock_ns() + WALK_NS,
		.blame.is_sampled = region->header.rate > 1,
		.blame.nr_owners = rows->nr,
	};
	int err = mp_region_blocks_all(region, &blocks);

	resident.blame.owners = calloc(rows->nr + 1, sizeof(*resident.blame.owners));
	if (!err && !resident.blame.owners)
		err = -ENOMEM;
	if (!err && !mp_resident_read(&resident, mp_region_pid(region), &blocks,
				      &profile->rows[rows->process]))
		err = -ESRCH;
	if (!err) {
		put(&resident, rows, profile);
		err = mp_resident_report(&resident, profile);
	}
	mp_blame_free_blocks(&blocks);
	free(resident.blame.owners);
	return err;
}
