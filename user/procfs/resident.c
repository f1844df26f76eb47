// SPDX-License-Identifier: GPL-2.0-only
/*
 * resident: looks at the mappings of a process, then at the pages of its heap
 *
 * The process runs meanwhile. If pages come or go between the two looks, the sums are
 * corrected so that they add up, and the difference is counted.
 */
#include "resident.h"
#include "clock.h"
#include "mappings.h"
#include "page-nodes.h"
#include "page-walk.h"
#include "smaps.h"
#include "stacks-mark.h"

#include <errno.h>
#include <unistd.h>

static void charge_pages(struct mp_resident *resident, struct mp_row *row,
			 const struct mp_blame_blocks *blocks, struct mp_pages *pages)
{
	struct mp_blame *blame = &resident->blame;
	uint64_t moved;

	blame->total = (struct mp_blame_sum){ 0 };
	blame->held_top = blame->held_arena = blame->held_empty = 0;
	mp_blame_find(blame, blocks, pages);
	if (resident->freed && !blame->is_sampled)
		resident->unfreed += mp_freed_find(blame, resident->freed, blocks, pages) != 0;
	resident->unseen += pages->unseen;
	resident->guessed += pages->guessed;
	moved = mp_blame_process(row, blame);
	/* what was not looked at did not move */
	resident->moved += moved > pages->unseen ? moved - pages->unseen : 0;
	mp_residence_split(row, blame->total.heap, pages->unseen);
}

/* Sets the nodes of pages, and marks those that are cold. */
static void mark_pages(struct mp_resident *resident, pid_t pid, uint64_t end_ns,
		       struct mp_pages *pages)
{
	const uint64_t now_ns = mp_clock_ns();
	/* other processes of the session have to be looked at, too */
	const uint64_t nodes_ns = end_ns > now_ns ? now_ns + (end_ns - now_ns) / 4 : end_ns;
	const int nodes = mp_page_nodes(pid, nodes_ns, pages);
	const int cold = resident->cold ? mp_cold_mark(resident->cold, pid, pages) : 0;

	resident->unmarked += nodes || cold;
	resident->unplaced += pages->unplaced;
}

bool mp_resident_read(struct mp_resident *resident, pid_t pid,
		      struct mp_blame_blocks *blocks, struct mp_row *row)
{
	struct mp_page_walk walk = {
		.blocks = blocks, .end_ns = resident->end_ns,
	};
	struct mp_mappings mappings = { 0 };
	struct mp_pages pages = { 0 };
	int err = mp_mappings_read(pid, &mappings);

	if (!err) {
		mp_stacks_mark(pid, &mappings);
		mp_blame_sort(blocks);
		mp_blame_mark(blocks, &mappings);
		/* of the pages alone: a million blocks take long to sort */
		if (resident->walk_ns)
			walk.end_ns = mp_clock_ns() + resident->walk_ns;
		err = mp_page_walk(&walk, pid, &mappings, &pages);
	}
	if (!err) {
		mark_pages(resident, pid, walk.end_ns, &pages);
		row->value[MP_PEAK_RESIDENT] = mp_smaps_peak(pid);
		mp_residence_fill(row, &mappings);
		charge_pages(resident, row, blocks, &pages);
		resident->cut += mappings.nr_cut > 0;
	}
	mp_pages_free(&pages);
	mp_mappings_free(&mappings);
	return !err;
}

/* Text that another process wrote may have any numbers: no sum may overflow. */
static void bound_sizes(struct mp_mappings *mappings)
{
	struct mp_mapping *mapping;
	uint64_t bytes;
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		mapping = &mappings->list[i];
		bytes = mapping->end > mapping->start ? mapping->end - mapping->start : 0;
		mapping->rss = mapping->rss < bytes ? mapping->rss : bytes;
		mapping->pss = mapping->pss < bytes ? mapping->pss : bytes;
		mapping->swap = mapping->swap < bytes ? mapping->swap : bytes;
	}
	mappings->rest = (struct mp_mapping){ 0 };
}

bool mp_resident_read_kept(struct mp_resident *resident,
			   const struct mp_resident_kept *kept,
			   struct mp_blame_blocks *blocks, struct mp_row *row)
{
	const struct mp_page_walk walk = { .blocks = blocks };
	struct mp_mappings mappings = { 0 };
	struct mp_pages pages = { 0 };
	int err = mp_mappings_parse(kept->smaps, &mappings);

	if (!err && !mappings.nr)
		err = -ENODATA;
	if (!err) {
		bound_sizes(&mappings);
		mp_blame_sort(blocks);
		mp_blame_mark(blocks, &mappings);
		err = mp_page_walk_runs(&walk, &kept->runs, &mappings, &pages);
	}
	if (!err) {
		mp_residence_fill(row, &mappings);
		if (row->value[MP_PEAK_RESIDENT] < row->value[MP_RESIDENT])
			row->value[MP_PEAK_RESIDENT] = row->value[MP_RESIDENT];
		charge_pages(resident, row, blocks, &pages);
	}
	mp_pages_free(&pages);
	mp_mappings_free(&mappings);
	return !err;
}

int mp_resident_report(const struct mp_resident *resident, struct mp_profile *profile)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	int err = 0;

	if (resident->moved)
		err = mp_profile_add_counter(profile, "pages_moved", resident->moved / size);
	if (!err && resident->unseen)
		err = mp_profile_add_counter(profile, "pages_unseen",
					     resident->unseen / size);
	if (!err && resident->guessed)
		err = mp_profile_add_counter(profile, "pages_guessed",
					     resident->guessed / size);
	if (!err && resident->unplaced)
		err = mp_profile_add_counter(profile, "pages_unplaced",
					     resident->unplaced / size);
	if (!err && resident->unmarked)
		err = mp_profile_add_counter(profile, "pages_unmarked", resident->unmarked);
	if (!err && resident->unfreed)
		err = mp_profile_add_counter(profile, "freed_skipped", resident->unfreed);
	if (!err && resident->cut)
		err = mp_profile_add_counter(profile, "mappings_cut", resident->cut);
	return err;
}
