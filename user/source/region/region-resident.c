// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-resident: hands the living blocks of a region to the look at pages
 *
 * Memory: 32 bytes per block, 120 bytes per stack, and of a process that has ended 24
 * bytes per run of pages. The process may write any numbers
 * into its region: the time is bounded (blame.c), and wrong numbers only harm its rows.
 */
#include "region-resident.h"
#include "region-blocks.h"
#include "region-pages.h"
#include "resident.h"

#include <errno.h>
#include <stdlib.h>

/* Limit of the time for the pages of a process: it may have touched very much. */
#define WALK_NS	1000000000ULL

/*
 * The process ran on after its sums were read: what lives is what lived when its blocks
 * were read, so that the parts add up.
 */
static void set_live(struct mp_row *row, const struct mp_blame_sum *sum)
{
	row->value[MP_INUSE_SPACE] = sum->resident + sum->swapped + sum->untouched;
	if (row->value[MP_OLD_SPACE] > row->value[MP_INUSE_SPACE])
		row->value[MP_OLD_SPACE] = row->value[MP_INUSE_SPACE];
	mp_row_raise_peak(row);
}

static void put(const struct mp_resident *resident, const struct mp_region_rows *rows,
		bool is_running, struct mp_profile *profile)
{
	struct mp_row *row;
	uint64_t i;

	if (is_running)
		set_live(&profile->rows[rows->process], &resident->blame.total);
	for (i = 0; i < rows->nr; i++) {
		if (rows->of_stack[i] == MP_REGION_NO_ROW)
			continue;
		row = &profile->rows[rows->of_stack[i]];
		mp_blame_put(row, &resident->blame.owners[i]);
		if (is_running)
			set_live(row, &resident->blame.owners[i]);
	}
}

/* Looks at the process, or at what it kept at its end. Returns 0 or a negative errno. */
static int look(const struct mp_region *region, struct mp_resident *resident,
		struct mp_blame_blocks *blocks, struct mp_row *row)
{
	struct mp_region_pages pages = { 0 };
	int err;

	if (mp_region_lives(region))
		return mp_resident_read(resident, mp_region_pid(region), blocks, row) ?
		       0 : -ESRCH;
	err = mp_region_pages_read(&pages, region);
	if (!err && !mp_resident_read_kept(resident, &pages.kept, blocks, row))
		err = -ENODATA;
	mp_region_pages_free(&pages);
	return err;
}

int mp_region_resident(const struct mp_region *region, const struct mp_region_rows *rows,
		       const struct mp_cold *cold, struct mp_profile *profile)
{
	struct mp_blame_blocks blocks = { 0 };
	struct mp_resident resident = {
		.walk_ns = WALK_NS,
		.cold = cold,
		.blame.is_sampled = region->header.rate > 1,
		.blame.nr_owners = rows->nr,
	};
	int err = mp_region_blocks_all(region, &blocks);

	resident.blame.owners = calloc(rows->nr + 1, sizeof(*resident.blame.owners));
	if (!err && !resident.blame.owners)
		err = -ENOMEM;
	if (!err)
		err = look(region, &resident, &blocks, &profile->rows[rows->process]);
	if (!err) {
		put(&resident, rows, mp_region_lives(region), profile);
		err = mp_resident_report(&resident, profile);
	} else if (blocks.nr && err != -ENOMEM && !mp_region_lives(region)) {
		mp_profile_add_counter(profile, "end_pages_missing", 1);
	}
	mp_blame_free_blocks(&blocks);
	free(resident.blame.owners);
	return err;
}
