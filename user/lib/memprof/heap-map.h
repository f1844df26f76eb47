/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * heap-map.h: the table of live blocks. Each slot has a packed word, and the exact
 * numbers in case they do not fit into the word.
 */
#ifndef MEMPROF_HEAP_MAP_H
#define MEMPROF_HEAP_MAP_H

#include "memprof_internal.h"

struct mp_exact {
	uint64_t size;
	uint64_t weight_bytes;
	uint64_t birth_ns;
	uint64_t birth_seq;
	const void *region;	/* the region that the block was removed from */
	uint32_t stack;
	uint32_t kind;
};

uint64_t mp_heap_map_seq(void);
void mp_heap_map_prefetch(uintptr_t ptr);
int mp_heap_map_finalize(int slot, uintptr_t ptr, const struct mp_exact *exact);
int mp_heap_map_remove(uintptr_t ptr, uint64_t free_seq, struct mp_exact *exact);
uint32_t mp_heap_map_slots(void);
uint32_t mp_heap_map_live(void);
uintptr_t mp_heap_map_at(uint32_t slot);
bool mp_heap_map_copy(uint32_t slot, HeapMapEntry *entry);

#endif
