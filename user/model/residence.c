// SPDX-License-Identifier: GPL-2.0-only
/*
 * residence: adds up the mappings of a process
 *
 * The cost is one pass over the mappings. The functions cannot fail: if sizes
 * contradict each other, the difference is counted in OTHER.
 */
#include "residence.h"
#include "array.h"

#include <stdlib.h>

#define SPLIT_FLAGS	(MP_ROW_MAPPED | MP_ROW_SPLIT | MP_ROW_BOUND)

void mp_mappings_free(struct mp_mappings *mappings)
{
	free(mappings->list);
	*mappings = (struct mp_mappings){ 0 };
}

struct mp_mapping *mp_mappings_at(const struct mp_mappings *mappings,
				  uint64_t addr)
{
	size_t low = mp_array_above(mappings->list, mappings->nr, end, addr);

	return low < mappings->nr && mappings->list[low].start <= addr ?
	       &mappings->list[low] : NULL;
}

static const int metrics[MP_NR_MAPPING_CLASSES] = {
	[MP_MAPPING_OTHER] = MP_UNATTRIBUTED,
	[MP_MAPPING_BSS] = MP_FILE_MAPPED,
	[MP_MAPPING_ANON] = MP_HEAP_RESIDENT,
	[MP_MAPPING_HEAP] = MP_HEAP_RESIDENT,
	[MP_MAPPING_STACK] = MP_STACKS,
	[MP_MAPPING_FILE] = MP_FILE_MAPPED,
	[MP_MAPPING_SHMEM] = MP_SHMEM_MAPPED,
};

static void add_mapping(uint64_t *value, const struct mp_mapping *mapping)
{
	uint64_t anon = mapping->anon < mapping->rss ? mapping->anon :
						       mapping->rss;
	bool shmem = mapping->class == MP_MAPPING_SHMEM;

	value[MP_RESIDENT] += mapping->rss;
	value[MP_RESIDENT_ANON] += anon;
	value[shmem ? MP_RESIDENT_SHMEM : MP_RESIDENT_FILE] +=
		mapping->rss - anon;
	value[MP_SWAPPED] += mapping->swap;
	value[MP_PROPORTIONAL] += mapping->pss;
	value[metrics[mapping->class]] += mapping->rss;
	if (mapping->is_sampler)
		value[MP_SAMPLER_RESIDENT] += mapping->rss;
}

void mp_residence_fill(struct mp_row *row, const struct mp_mappings *mappings)
{
	static const struct mp_row none;
	size_t i;

	mp_residence_take(row, &none);
	for (i = 0; i < mappings->nr; i++)
		add_mapping(row->value, &mappings->list[i]);
	add_mapping(row->value, &mappings->rest);
	if (row->value[MP_PEAK_RESIDENT] < row->value[MP_RESIDENT])
		row->value[MP_PEAK_RESIDENT] = row->value[MP_RESIDENT];
	row->flags |= MP_ROW_MAPPED;
	mp_residence_rest(row);
}

void mp_residence_split(struct mp_row *row, uint64_t live, bool bound)
{
	uint64_t heap = row->value[MP_HEAP_RESIDENT];

	if (live > heap)
		live = heap;
	row->value[MP_LIVE_RESIDENT] = live;
	row->value[MP_HELD] = heap - live;
	row->flags |= MP_ROW_SPLIT | (bound ? MP_ROW_BOUND : 0);
}

void mp_residence_rest(struct mp_row *row)
{
	row->value[MP_UNATTRIBUTED] =
		row->value[MP_RESIDENT] - row->value[MP_HEAP_RESIDENT] -
		row->value[MP_STACKS] - row->value[MP_FILE_MAPPED] -
		row->value[MP_SHMEM_MAPPED];
}

static const enum mp_metric levels[] = {
	MP_RESIDENT, MP_RESIDENT_ANON, MP_RESIDENT_FILE, MP_RESIDENT_SHMEM,
	MP_SWAPPED, MP_HEAP_RESIDENT, MP_LIVE_RESIDENT, MP_HELD, MP_STACKS,
	MP_FILE_MAPPED, MP_SHMEM_MAPPED, MP_UNATTRIBUTED, MP_PROPORTIONAL,
	MP_RESIDENT_DELTA, MP_BLOCK_RESIDENT, MP_BLOCK_SWAPPED, MP_BLOCK_UNTOUCHED,
	MP_BLOCK_HUGE, MP_BLAME, MP_PINNED, MP_HELD_PAGES, MP_HELD_TOP, MP_HELD_ARENA,
	MP_HELD_EMPTY, MP_FILL_5, MP_FILL_10, MP_FILL_25, MP_FILL_50, MP_FILL_75,
	MP_FILL_100, MP_COLD, MP_NODE_0, MP_NODE_1, MP_NODE_2, MP_NODE_3, MP_NODE_4,
	MP_NODE_5, MP_NODE_6, MP_NODE_7, MP_FREED_RESIDENT, MP_FREED_PINNED,
	MP_SAMPLER_RESIDENT,
};

#define NR_LEVELS	(sizeof(levels) / sizeof(levels[0]))

/* Levels that no mapping tells: they are read from the process's memory. */
static const enum mp_metric of_malloc[] = {
	MP_MALLOC_USED, MP_MALLOC_FREE, MP_MALLOC_TRIM, MP_MALLOC_UNREAD,
};

void mp_residence_add(struct mp_row *row, const struct mp_row *from)
{
	size_t i;

	for (i = 0; i < NR_LEVELS; i++)
		row->value[levels[i]] += from->value[levels[i]];
	for (i = 0; i < sizeof(of_malloc) / sizeof(of_malloc[0]); i++)
		row->value[of_malloc[i]] += from->value[of_malloc[i]];
	row->flags |= from->flags & SPLIT_FLAGS;
}

void mp_residence_take(struct mp_row *row, const struct mp_row *from)
{
	size_t i;

	for (i = 0; i < NR_LEVELS; i++)
		row->value[levels[i]] = from->value[levels[i]];
	if (row->value[MP_PEAK_RESIDENT] < from->value[MP_PEAK_RESIDENT])
		row->value[MP_PEAK_RESIDENT] = from->value[MP_PEAK_RESIDENT];
	row->flags &= ~(unsigned int)SPLIT_FLAGS;
	row->flags |= from->flags & SPLIT_FLAGS;
}
