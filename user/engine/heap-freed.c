// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap-freed: keeps freed blocks until their addresses are allocated again
 *
 * A freed block costs as much memory as a living one, and two look-ups. At the limit, an
 * older one makes room. See freed.h for what they are kept for.
 */
#include "heap-freed.h"

/* Of the blocks of all allocators that are followed */
#define ALIGNMENT	16UL

/* Makes room for a freed block. Slots are filled in the order of time, more or less. */
static void forget_freed(struct mp_heap *heap)
{
	struct mp_blocks *freed = &heap->freed;
	struct mp_block block;

	while (freed->nr && freed->nr >= heap->max_freed) {
		block = freed->list[heap->next_forgotten++ % freed->nr_slots];
		if (block.ptr && mp_blocks_take(freed, block.process, block.ptr, &block))
			heap->counts.freed_forgotten++;
	}
}

void mp_heap_keep_freed(struct mp_heap *heap, const struct mp_block *block, uint64_t time_ns)
{
	struct mp_block freed = *block, before;

	if (heap->is_sampled)
		return;
	mp_blocks_take(&heap->freed, block->process, block->ptr, &before);
	forget_freed(heap);
	freed.born_ns = time_ns;
	heap->counts.freed_forgotten += mp_blocks_add(&heap->freed, &freed) != 0;
}

void mp_heap_use_freed(struct mp_heap *heap, const struct mp_block *block)
{
	const uint64_t used = (block->size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	struct mp_block freed;

	if (!mp_blocks_take(&heap->freed, block->process, block->ptr, &freed) ||
	    freed.size <= used || used < block->size)
		return;
	freed.ptr += used;
	freed.size -= used;
	if (!mp_blocks_find(&heap->freed, freed.process, freed.ptr))
		heap->counts.freed_forgotten += mp_blocks_add(&heap->freed, &freed) != 0;
}

void mp_heap_drop_freed(struct mp_heap *heap, uint32_t process)
{
	struct mp_block block;

	while (mp_blocks_pop(&heap->freed, process, &block))
		;
}
