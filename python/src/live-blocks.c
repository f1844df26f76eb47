// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * live-blocks.c: copies the sampled blocks in use from the region of this process.
 *
 * Other threads sample and free meanwhile. A slot that changes during its copy is read
 * again, and its block is left out if it changes all the time: then it is being freed.
 * Blocks of 0 bytes stand for nothing and are left out. So are mappings, which hold
 * blocks of the heap. The memory is from malloc(): the caller excludes its thread.
 */
#include "live-blocks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS	4

static const void *element(const struct memprof_region_header *region, int section,
			   uint64_t index, uint64_t size)
{
	return memprof_region_element(region, region->file_size,
				      &region->sections[section], index, size);
}

static bool is_block(uint64_t address)
{
	return address != MEMPROF_REGION_EMPTY && address != MEMPROF_REGION_RESERVED &&
	       address != MEMPROF_REGION_TOMBSTONE;
}

/* pairs with the exchange that publishes a block in heap-map.c */
static void copy_entry(struct memprof_region_entry *to,
		       const struct memprof_region_entry *from)
{
	to->ptr = __atomic_load_n(&from->ptr, __ATOMIC_ACQUIRE);
	to->metadata = __atomic_load_n(&from->metadata, __ATOMIC_ACQUIRE);
	to->birth_seq = __atomic_load_n(&from->birth_seq, __ATOMIC_ACQUIRE);
	to->birth_ns = __atomic_load_n(&from->birth_ns, __ATOMIC_ACQUIRE);
}

/* Copies a slot. Returns false if it has no block. */
static bool copy_slot(const struct memprof_region_header *region, uint64_t slot,
		      struct memprof_region_entry *entry,
		      struct memprof_region_block *block)
{
	const struct memprof_region_entry *from =
		element(region, MEMPROF_REGION_ENTRIES, slot, sizeof(*from));
	const struct memprof_region_block *exact =
		element(region, MEMPROF_REGION_BLOCKS, slot, sizeof(*exact));
	struct memprof_region_entry again;
	int i;

	for (i = 0; from && exact && i < ATTEMPTS; i++) {
		copy_entry(entry, from);
		if (!is_block(entry->ptr))
			return false;
		memcpy(block, exact, sizeof(*block));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		copy_entry(&again, from);
		if (!memcmp(entry, &again, sizeof(again)) &&
		    !memprof_region_read_block(entry, block))
			return true;
	}
	return false;
}

static int append(struct live_blocks *blocks, size_t *room,
		  const struct live_block *block)
{
	struct live_block *list = blocks->list;

	if (blocks->nr == *room) {
		*room = *room ? 2 * *room : 1024;
		list = realloc(list, *room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		blocks->list = list;
	}
	list[blocks->nr++] = *block;
	return 0;
}

/**
 * live_blocks_copy() - copy the blocks in use
 * @blocks: out: the blocks; free them with live_blocks_free()
 * @region: of this process
 * @after: only blocks with higher sequence numbers
 * @since_ns: only blocks that are not older; 0: all
 *
 * Return: 0 or -ENOMEM.
 */
int live_blocks_copy(struct live_blocks *blocks,
		     const struct memprof_region_header *region, uint64_t after,
		     uint64_t since_ns)
{
	const uint64_t nr = region->sections[MEMPROF_REGION_ENTRIES].used;
	struct memprof_region_block exact;
	struct memprof_region_entry entry;
	size_t room = 0;
	uint64_t i;
	int error = 0;

	*blocks = (struct live_blocks){ 0 };
	for (i = 0; i < nr && !error; i++) {
		if (!copy_slot(region, i, &entry, &exact) || !exact.size ||
		    !exact.weight_bytes || exact.kind != MEMPROF_REGION_HEAP ||
		    entry.birth_seq <= after || entry.birth_ns < since_ns)
			continue;
		error = append(blocks, &room, &(struct live_block){
			.address = entry.ptr, .size = exact.size,
			.weight_bytes = exact.weight_bytes,
			.birth_ns = entry.birth_ns, .stack = exact.stack });
	}
	if (error)
		live_blocks_free(blocks);
	return error;
}

void live_blocks_free(struct live_blocks *blocks)
{
	free(blocks->list);
	*blocks = (struct live_blocks){ 0 };
}

/* Returns a stack that blocks refer to, or NULL. */
const struct memprof_region_stack *
live_blocks_stack(const struct memprof_region_header *region, uint32_t stack)
{
	const struct memprof_region_stack *is =
		element(region, MEMPROF_REGION_STACKS, stack, sizeof(*is));

	return is && __atomic_load_n(&is->hash, __ATOMIC_ACQUIRE) &&
	       is->depth <= MEMPROF_REGION_DEPTH ? is : NULL;
}

/* Returns the interpreted function that a frame stands for; NULL: it is native code. */
const struct memprof_region_function *
live_blocks_function(const struct memprof_region_header *region, uint64_t frame)
{
	const struct memprof_region_section *section =
		&region->sections[MEMPROF_REGION_FUNCTIONS];
	const uint64_t begin = (uintptr_t)region + section->offset;
	const struct memprof_region_function *function;

	if (frame <= begin || !section->stride)
		return NULL;
	function = element(region, MEMPROF_REGION_FUNCTIONS,
			   (frame - 1 - begin) / section->stride, sizeof(*function));
	return function && __atomic_load_n(&function->address, __ATOMIC_ACQUIRE) == frame ?
	       function : NULL;
}
