// SPDX-License-Identifier: GPL-2.0-only
/*
 * blamed-rows: hands the living blocks of the engine to the look at pages
 *
 * Memory during a report: 32 bytes per block of a process, 24 bytes per run of pages, and
 * 120 bytes per callsite and stack. If it is short, a process is skipped and counted.
 */
#include "blamed-rows.h"
#include "clock.h"
#include "heap-blame.h"

#include <stdlib.h>

/* Blocks between two looks at the clock */
#define NR_PIECE	65536

void mp_blamed_begin(struct mp_blamed_rows *rows, const struct mp_heap *heap,
		     uint64_t end_ns)
{
	struct mp_blame *blame = &rows->resident.blame;

	*rows = (struct mp_blamed_rows){ .heap = heap };
	if (!heap)
		return;
	rows->resident.end_ns = end_ns;
	blame->is_sampled = heap->is_sampled;
	blame->owners = calloc(heap->nr_sites + 1, sizeof(*blame->owners));
	blame->nr_owners = blame->owners ? heap->nr_sites : 0;
}

/* Copies the blocks of a process. Returns false if there are too many. */
static bool copy_blocks(const struct mp_blamed_rows *rows, uint32_t process,
			struct mp_blame_blocks *blocks)
{
	const struct mp_block *block = NULL;

	while ((block = mp_blocks_next(&rows->heap->blocks, process, block))) {
		const struct mp_blame_block copy = {
			.start = block->ptr, .size = block->size,
			.space = block->space, .owner = block->site,
		};

		if (blocks->nr == MP_RESIDENT_MAX_BLOCKS ||
		    (blocks->nr % NR_PIECE == 0 &&
		     mp_clock_ns() > rows->resident.end_ns) ||
		    mp_blame_add(blocks, &copy))
			return false;
	}
	return true;
}

bool mp_blamed_process(struct mp_blamed_rows *rows, struct mp_row *row)
{
	const uint32_t *process = rows->resident.blame.nr_owners ?
				  mp_map_find(&rows->heap->by_pid, row->pid, 0) : NULL;
	struct mp_blame_blocks blocks = { 0 };
	struct mp_freed freed = { 0 };
	bool done = false;

	if (!process)
		return false;
	rows->resident.freed = mp_freed_copy(&freed, &rows->heap->freed, *process) ?
			       NULL : &freed;
	rows->resident.unfreed += !rows->resident.freed;
	if (!copy_blocks(rows, *process, &blocks))
		rows->nr_skipped++;
	else
		done = mp_resident_read(&rows->resident, (pid_t)row->pid, &blocks, row);
	rows->resident.freed = NULL;
	mp_freed_free(&freed);
	mp_blame_free_blocks(&blocks);
	return done;
}

int mp_blamed_put(const struct mp_blamed_rows *rows, struct mp_profile *profile)
{
	int err = 0;

	if (rows->heap)
		mp_heap_put_blame(rows->heap, &rows->resident.blame, profile);
	if (rows->nr_skipped)
		err = mp_profile_add_counter(profile, "blame_skipped", rows->nr_skipped);
	return err ?: mp_resident_report(&rows->resident, profile);
}

void mp_blamed_end(struct mp_blamed_rows *rows)
{
	free(rows->resident.blame.owners);
}
