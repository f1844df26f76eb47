/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memprof_internal.h: types, limits and functions for all parts of the sampler.
 *
 * Capacities can be changed at compile time (-D), with the same values for all files
 * of the library. The capacity of a table must be a power of two.
 */
#ifndef MEMPROF_INTERNAL_H
#define MEMPROF_INTERNAL_H

#include <memprof/memprof.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MEMPROF_HEAP_MAP_CAPACITY
#define MEMPROF_HEAP_MAP_CAPACITY (1 << 20)	/* 1M entries */
#endif
#define MEMPROF_HEAP_MAP_MASK (MEMPROF_HEAP_MAP_CAPACITY - 1)
#ifndef MEMPROF_STACK_TABLE_INITIAL
#define MEMPROF_STACK_TABLE_INITIAL (1 << 12)	/* 4K entries */
#endif
#ifndef MEMPROF_STACK_TABLE_MAX_DEFAULT
#define MEMPROF_STACK_TABLE_MAX_DEFAULT (1 << 16)	/* 64K entries */
#endif
#ifndef MEMPROF_MAX_PROBE
#define MEMPROF_MAX_PROBE 128
#endif
#ifndef MEMPROF_DEFAULT_SAMPLING_RATE
#define MEMPROF_DEFAULT_SAMPLING_RATE (512 * 1024)	/* 512 KB */
#endif
#ifndef BLOOM_SIZE_BITS
#define BLOOM_SIZE_BITS (1 << 20)	/* 1M bits */
#endif
#define BLOOM_SIZE_BYTES (BLOOM_SIZE_BITS / 8)	/* 128 KB */
#define BLOOM_HASH_COUNT 4
#define MEMPROF_MAX_THRESHOLD (1LL << 40)

#define HEAP_ENTRY_EMPTY	((uintptr_t)0)
#define HEAP_ENTRY_RESERVED	((uintptr_t)1)
#define HEAP_ENTRY_TOMBSTONE	(~(uintptr_t)0)

#define STACK_FLAG_RESOLVED	0x0001
#define STACK_FLAG_PYTHON_ATTR	0x0002
#define STACK_FLAG_TRUNCATED	0x0004
#define STACK_FLAG_MMAP		0x0008

#define MEMPROF_HIDDEN __attribute__((visibility("hidden")))
#define MEMPROF_API __attribute__((visibility("default")))

/*
 * A stack in the table. The other fields are valid only if @hash is not 0.
 */
typedef struct {
	_Atomic uint64_t hash;
	uint16_t depth;
	uint16_t flags;
	uintptr_t frames[MEMPROF_MAX_STACK_DEPTH];
	/* set by memprof_resolve_symbols() */
	char **function_names;
	char **file_names;
	int *line_numbers;
} StackEntry;

/*
 * Allocations with the same caller and size, or that hash alike: see sample-pace.c.
 * @samples: of the window; stays at 15
 * @shift: their distance is this many times doubled
 */
struct mp_pace_site {
	uint8_t samples : 4;
	uint8_t shift : 4;
};

#define MP_PACE_SITES	256

/*
 * The state of a thread, see thread-table.h; no other thread writes it. A call that is
 * not sampled uses only @byte_counter, which is never negative: see
 * mp_sampler_counts_down().
 */
typedef struct MemProfThreadState {
	int64_t byte_counter;
	uint64_t rate;			/* rate that byte_counter was drawn with */
	uint64_t prng_state[2];
	uint64_t window_ns;		/* see sample-pace.c */
	uint32_t window_samples;
	uint32_t window_ends;
	uint16_t pace_shift;
	uint16_t pace_second;
	struct mp_pace_site sites[MP_PACE_SITES];
	int inside_profiler;
	int initialized;
	uintptr_t stack_low;		/* readable range: see stack-bounds.c */
	uintptr_t stack_high;
	uintptr_t frame_buffer[MEMPROF_MAX_STACK_DEPTH];
	int frame_depth;
	int frames_cut;			/* callers are missing in frame_buffer */
	/* counters of the slow paths; calls on the fast path are not counted */
	uint64_t total_allocs;
	uint64_t total_frees;
	uint64_t sampled_allocs;
	uint64_t sampled_bytes;
	uint64_t skipped_reentrant;
	int tid;			/* of the thread that took the last sample */
	/* see python-frames.c */
	uintptr_t python_state;
	uint64_t python_missed;
} MemProfThreadState;

typedef struct {
	/* written by memprof_init() */
	uint64_t sampling_rate;
	int capture_python;
	int resolve_on_stop;

	/* Copies of the state in @initialized, for code outside of this library. */
	_Atomic int active_alloc;
	_Atomic int active_free;
	/* MemProfState. Hooks read only this word, because the two words above
	 * can have values of different times.
	 */
	_Atomic int initialized;

	HeapMapEntry *heap_map;
	StackEntry *stack_table;
	_Atomic uint32_t stack_count;

	/* every free reads these words: samples must not write to their cache line */
	_Atomic(_Atomic uint8_t *) bloom_filter_ptr;
	_Atomic int bloom_rebuild_in_progress;

	/*
	 * Each sample writes these words. They are in few cache lines, because
	 * threads compete for them.
	 */
	_Alignas(64)
	_Atomic uint64_t birth_seq;
	_Atomic int64_t heap_map_live;
	_Atomic uint64_t bloom_adds;	/* since the last rebuild */
	_Atomic uint64_t bloom_ones_count;
	/* the fields below are set to 0 in the child of a fork */
	_Atomic uint64_t total_frees_tracked;
	_Atomic uint64_t total_samples;
	_Atomic uint64_t heap_map_insertions;
	_Atomic uint64_t heap_map_deletions;

	_Atomic uint64_t heap_map_collisions;
	_Atomic uint64_t tombstones_recycled;
	_Atomic uint64_t native_stacks;
	_Atomic uint64_t native_frames;
	_Atomic uint64_t min_native_depth;
	_Atomic uint64_t stack_table_collisions;
	_Atomic uint64_t stack_table_full_drops;
	_Atomic uint64_t heap_map_full_drops;
	_Atomic uint64_t bloom_rebuilds;
	_Atomic uint64_t death_during_birth;
	_Atomic uint64_t zombie_races_detected;
	_Atomic uint64_t shallow_stack_warnings;

	void *platform_state;
} MemProfGlobalState;

/* Flags in MixedStackCapture.flags. */
#define MIXED_STACK_NATIVE_ONLY	0x0001	/* Python frames were not searched */
#define MIXED_STACK_TRUNCATED	0x0002

typedef struct {
	uintptr_t native_frames[MEMPROF_MAX_STACK_DEPTH];
	int native_depth;
	uintptr_t python_frames[MEMPROF_MAX_STACK_DEPTH];
	int python_depth;
	uint32_t flags;
} MixedStackCapture;

extern MEMPROF_HIDDEN MemProfGlobalState g_memprof;

/* Whether allocations are sampled. */
static inline bool mp_active_alloc(void)
{
	return g_memprof.initialized == MEMPROF_ACTIVE;
}

/* Whether frees are tracked. They are also tracked after a stop, until the shutdown. */
static inline bool mp_active_free(void)
{
	int state = g_memprof.initialized;

	return state == MEMPROF_ACTIVE || state == MEMPROF_STOPPED;
}

#pragma GCC visibility push(hidden)

int heap_map_init(void);
int heap_map_reserve(uintptr_t ptr);
int heap_map_finalize(int slot_idx, uintptr_t ptr, uint64_t packed_metadata);
int heap_map_remove(uintptr_t ptr, uint64_t free_seq, uint64_t free_timestamp,
		    uint32_t *out_stack_id, uint32_t *out_size,
		    uint32_t *out_weight, uint64_t *out_duration);
int heap_map_load_percent(void);

int stack_table_init(void);
uint32_t stack_table_intern(const uintptr_t *frames, int depth, uint64_t hash);
const StackEntry *stack_table_get(uint32_t stack_id);

int bloom_init(void);
void bloom_add(uintptr_t ptr);
int bloom_might_contain(uintptr_t ptr);
int bloom_rebuild_from_heap(void);

int capture_native_stack(uintptr_t *frames, int max_depth, int skip);
int capture_mixed_stack(MixedStackCapture *out);
int64_t next_sample_threshold(uint64_t mean_bytes);

/* Sets the counts to 0, for a new region: the old counts are of the last one. */
void mp_state_begin(void);
int memprof_linux_install(void);
int memprof_darwin_install(void);
int memprof_darwin_remove(void);

#pragma GCC visibility pop

#endif
