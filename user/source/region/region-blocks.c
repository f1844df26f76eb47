// SPDX-License-Identifier: GPL-2.0-only
/*
 * region-blocks: reads the slots of the table of living blocks
 *
 * The process changes slots meanwhile: a slot that changes is read up to three times
 * again, and then left out.
 */
#include "region-blocks.h"
#include "resident.h"

#include <errno.h>

/* Limit of attempts to read a block while the process replaces it. */
#define MAX_TRIES	3

int mp_region_blocks_open(struct mp_region_blocks *blocks,
			  const struct mp_region *region)
{
	return mp_region_window_open(&blocks->entries, region, MEMPROF_REGION_ENTRIES) ?:
	       mp_region_window_open(&blocks->blocks, region, MEMPROF_REGION_BLOCKS);
}

static bool is_block(const struct memprof_region_entry *entry)
{
	return entry->ptr != MEMPROF_REGION_EMPTY &&
	       entry->ptr != MEMPROF_REGION_RESERVED &&
	       entry->ptr != MEMPROF_REGION_TOMBSTONE;
}

static bool is_wanted(const struct memprof_region_entry *entry,
		      const struct mp_region_span *span)
{
	return is_block(entry) && entry->birth_ns >= span->from_ns &&
	       entry->birth_ns <= span->until_ns;
}

bool mp_region_blocks_read(struct mp_region_blocks *blocks, uint64_t i,
			   const struct mp_region_span *span, uint64_t *ptr,
			   struct memprof_region_block *block)
{
	const struct memprof_region_entry *entry = mp_region_window_at(&blocks->entries, i);
	const struct memprof_region_block *its = mp_region_window_at(&blocks->blocks, i);
	struct memprof_region_entry now;
	int tries;

	if (!entry || !its || !is_wanted(entry, span))
		return false;
	*block = *its;
	*ptr = entry->ptr;
	if (!memprof_region_read_block(entry, block))
		return true;
	for (tries = 0; tries < MAX_TRIES; tries++) {
		if (!mp_region_window_read(&blocks->entries, i, &now) ||
		    !mp_region_window_read(&blocks->blocks, i, block) ||
		    !is_wanted(&now, span))
			return false;
		*ptr = now.ptr;
		if (!memprof_region_read_block(&now, block))
			return true;
	}
	return false;
}

uint64_t mp_region_blocks_youngest_ns(const struct mp_region *region)
{
	const struct memprof_region_entry *entry;
	struct mp_region_window entries;
	uint64_t i, ns = 0;
	int err = mp_region_window_open(&entries, region, MEMPROF_REGION_ENTRIES);

	for (i = 0; !err && (entry = mp_region_window_at(&entries, i)); i++)
		if (is_block(entry) && entry->birth_ns > ns)
			ns = entry->birth_ns;
	mp_region_window_close(&entries);
	return ns;
}

static int add_all(struct mp_region_blocks *blocks, struct mp_blame_blocks *list)
{
	const struct mp_region_span all = { 0, UINT64_MAX };
	struct memprof_region_block block;
	uint64_t i, ptr;
	int err = 0;

	for (i = 0; !err && i < blocks->entries.nr; i++) {
		if (!mp_region_blocks_read(blocks, i, &all, &ptr, &block))
			continue;
		err = list->nr == MP_RESIDENT_MAX_BLOCKS ? -E2BIG :
		      mp_blame_add(list, &(struct mp_blame_block){
			.start = ptr, .size = block.size,
			.space = block.weight_bytes, .owner = block.stack,
		      });
	}
	return err;
}

int mp_region_blocks_all(const struct mp_region *region, struct mp_blame_blocks *list)
{
	struct mp_region_blocks blocks = { 0 };
	int err = mp_region_blocks_open(&blocks, region) ?: add_all(&blocks, list);

	mp_region_blocks_close(&blocks);
	return err;
}

void mp_region_blocks_close(struct mp_region_blocks *blocks)
{
	mp_region_window_close(&blocks->entries);
	mp_region_window_close(&blocks->blocks);
}
