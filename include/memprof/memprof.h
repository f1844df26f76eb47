/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memprof.h: declares the functions of libmemprof, which samples the allocations of
 * its own process.
 *
 * LD_PRELOAD=libmemprof.so starts the sampler. A program that also calls these
 * functions uses the same state. No function here prints, exits or aborts.
 */
#ifndef MEMPROF_MEMPROF_H
#define MEMPROF_MEMPROF_H

#include "section.h"

#include <stddef.h>
#include <stdint.h>

struct memprof_region_header;

#ifdef __cplusplus
#define MEMPROF_ATOMIC(type) type
extern "C" {
#else
#define MEMPROF_ATOMIC(type) _Atomic(type)
#endif

/* Limit of frames in a stack. The first frame is the caller of the allocator. */
#ifndef MEMPROF_MAX_STACK_DEPTH
#define MEMPROF_MAX_STACK_DEPTH 64
#endif

/**
 * struct HeapMapEntry - a sampled block that is not freed yet
 * @ptr: address of the block; in the table also HEAP_ENTRY_EMPTY and similar values
 * @metadata: stack, size and weight in one word; METADATA_STACK_ID() and similar
 *	macros unpack it. A value that does not fit is set to the highest one
 * @birth_seq: sequence number of the allocation
 * @timestamp: time of the allocation, CLOCK_MONOTONIC, nanoseconds
 */
typedef struct HeapMapEntry {
	MEMPROF_ATOMIC(uintptr_t) ptr;
	MEMPROF_ATOMIC(uint64_t) metadata;
	MEMPROF_ATOMIC(uint64_t) birth_seq;
	uint64_t timestamp;
} __attribute__((aligned(16))) HeapMapEntry;

/* Layout of packed metadata: stack_id (20 bits) | size (24 bits) | weight (20 bits). */
static inline uint64_t memprof_metadata_clamp(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

#define METADATA_PACK(stack_id, size, weight)				\
	(memprof_metadata_clamp(stack_id, 0xFFFFF) << 44 |		\
	 memprof_metadata_clamp(size, 0xFFFFFF) << 20 |			\
	 memprof_metadata_clamp(weight, 0xFFFFF))
#define METADATA_STACK_ID(m)	(((m) >> 44) & 0xFFFFF)
#define METADATA_SIZE(m)	(((m) >> 20) & 0xFFFFFF)
#define METADATA_WEIGHT(m)	((m) & 0xFFFFF)

/**
 * struct FramePointerHealth - how complete the stacks are
 * @shallow_stack_warnings: number of stacks whose walk stopped before the outermost
 *	caller
 * @total_native_stacks: number of stacks that were walked
 * @avg_native_depth: mean number of frames
 * @min_native_depth: smallest number of frames
 * @truncation_rate: @shallow_stack_warnings / @total_native_stacks
 */
typedef struct FramePointerHealth {
	uint64_t shallow_stack_warnings;
	uint64_t total_native_stacks;
	double avg_native_depth;
	uint64_t min_native_depth;
	double truncation_rate;
} FramePointerHealth;

/**
 * struct MemProfStats - statistics of the sampler since its start
 * @total_samples: number of sampled allocations
 * @live_samples: number of sampled allocations that are not freed yet
 * @freed_samples: number of sampled allocations that were freed
 * @unique_stacks: number of different stacks
 * @estimated_heap_bytes: bytes in use: an unbiased estimate from exact sizes
 * @heap_map_load_percent: used slots in the table of live blocks, in percent
 * @collisions: how often a search in that table met a slot of another block
 * @sampling_rate_bytes: mean bytes between samples
 * @frame_pointer_health: how complete the stacks are
 */
typedef struct MemProfStats {
	uint64_t total_samples;
	uint64_t live_samples;
	uint64_t freed_samples;
	uint64_t unique_stacks;
	uint64_t estimated_heap_bytes;
	double heap_map_load_percent;
	uint64_t collisions;
	uint64_t sampling_rate_bytes;
	FramePointerHealth frame_pointer_health;
} MemProfStats;

/* Results of memprof_get_state(). */
typedef enum {
	MEMPROF_UNINITIALIZED,
	MEMPROF_INITIALIZED,
	MEMPROF_ACTIVE,
	MEMPROF_STOPPED,
	MEMPROF_TERMINATED,
} MemProfState;

/* Control of the sampler. If a function fails, it returns -1 and sets errno. */
int memprof_init(uint64_t sampling_rate);
int memprof_start(void);
int memprof_stop(void);
void memprof_shutdown(void);
int memprof_mark(void);

/* Copies the sampled blocks in use. Free *out_entries with memprof_free_snapshot(). */
int memprof_get_snapshot(HeapMapEntry **out_entries, size_t *out_count);
void memprof_free_snapshot(HeapMapEntry *entries);
int memprof_get_stats(MemProfStats *out);
int memprof_resolve_symbols(void);

int memprof_get_state(void);

/*
 * For programs that show their own samples: the region of this process, see region.h, or
 * a null pointer. It stays mapped until a fork, or until memprof_attach() was called
 * twice.
 */
const struct memprof_region_header *memprof_get_region(void);

/* Returns the number of the last sampled block; later ones have higher numbers. */
uint64_t memprof_get_sequence(void);

/*
 * 1: what the calling thread allocates is not sampled; 0: it is. The thread's frees are
 * followed in both cases. Returns what it was before.
 */
int memprof_exclude(int is_excluded);

/* Returns "high", "medium" or "low", by the truncation rate. */
const char *memprof_confidence(const FramePointerHealth *health);

#ifdef __cplusplus
}
#endif

#endif
