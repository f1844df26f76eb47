// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * snapshot.c: copies the live blocks and the statistics of this process.
 *
 * In the child of a fork, the data is the child's, never the parent's. Memory is
 * allocated by the next allocator's functions, so it is not sampled. If memory is
 * short, functions return -1 with ENOMEM.
 */
#include "fork-watch.h"
#include "heap-map.h"
#include "next.h"
#include "region-file.h"

#include <errno.h>
#include <stdatomic.h>

MEMPROF_API int memprof_get_snapshot(HeapMapEntry **out_entries,
				     size_t *out_count)
{
	HeapMapEntry *list;
	size_t count = 0;
	uint32_t i, nr;

	nr = mp_process_claim() && g_memprof.heap_map ? mp_heap_map_slots() : 0;
	if (!out_entries || !out_count || !nr) {
		errno = EINVAL;
		return -1;
	}
	list = mp_next.malloc(nr * sizeof(*list));
	if (!list)
		return -1;
	for (i = 0; i < nr; i++)
		count += mp_heap_map_copy(i, &list[count]);
	*out_entries = list;
	*out_count = count;
	return 0;
}

MEMPROF_API const struct memprof_region_header *memprof_get_region(void)
{
	return mp_process_claim() ? mp_region : NULL;
}

MEMPROF_API uint64_t memprof_get_sequence(void)
{
	return mp_heap_map_seq();
}

MEMPROF_API void memprof_free_snapshot(HeapMapEntry *entries)
{
	mp_next.free(entries);
}

static void get_health(FramePointerHealth *health)
{
	health->shallow_stack_warnings = g_memprof.shallow_stack_warnings;
	health->total_native_stacks = g_memprof.native_stacks;
	health->min_native_depth = g_memprof.min_native_depth;
	if (!health->total_native_stacks)
		return;
	health->avg_native_depth = (double)g_memprof.native_frames /
				   (double)health->total_native_stacks;
	health->truncation_rate = (double)health->shallow_stack_warnings /
				  (double)health->total_native_stacks;
}

MEMPROF_API const char *memprof_confidence(const FramePointerHealth *health)
{
	if (!health->total_native_stacks || health->truncation_rate < 0.05)
		return "high";
	return health->truncation_rate <= 0.20 ? "medium" : "low";
}

/*
 * Returns the bytes of live blocks. If another thread takes a sample at the
 * same time, the result may be wrong by the bytes of that sample.
 */
static uint64_t live_bytes(void)
{
	uint64_t freed, allocated;

	if (!mp_region)
		return 0;
	freed = __atomic_load_n(&mp_region->total.free_bytes, __ATOMIC_ACQUIRE);
	allocated = __atomic_load_n(&mp_region->total.alloc_bytes,
				    __ATOMIC_RELAXED);
	return allocated > freed ? allocated - freed : 0;
}

MEMPROF_API int memprof_get_stats(MemProfStats *out)
{
	if (!out) {
		errno = EINVAL;
		return -1;
	}
	mp_process_claim();
	*out = (MemProfStats){
		.total_samples = g_memprof.total_samples,
		.live_samples = mp_heap_map_live(),
		.freed_samples = g_memprof.total_frees_tracked,
		.unique_stacks = g_memprof.stack_count,
		.estimated_heap_bytes = live_bytes(),
		.heap_map_load_percent = mp_heap_map_live() * 100.0 /
					 MEMPROF_HEAP_MAP_CAPACITY,
		.collisions = g_memprof.heap_map_collisions,
		.sampling_rate_bytes = g_memprof.sampling_rate,
	};
	get_health(&out->frame_pointer_health);
	return 0;
}
