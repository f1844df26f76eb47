/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heap-freed: remembers who had an address last; only for the files heap*.c
 */
#ifndef MP_HEAP_FREED_H
#define MP_HEAP_FREED_H

#include "heap.h"

/**
 * mp_heap_keep_freed - keep a block that was freed
 * @time_ns: time of the free
 *
 * Nothing is kept if blocks are samples. If memory is short, the block is counted as forgotten.
 */
void mp_heap_keep_freed(struct mp_heap *heap, const struct mp_block *block, uint64_t time_ns);

/**
 * mp_heap_use_freed - the address of a freed block is allocated again, if there is one
 * @block: the new block. Of a larger freed block, the rest stays free
 */
void mp_heap_use_freed(struct mp_heap *heap, const struct mp_block *block);

/** mp_heap_drop_freed - forget the freed blocks of a process that ends */
void mp_heap_drop_freed(struct mp_heap *heap, uint32_t process);

#endif
