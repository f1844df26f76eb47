/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drop-counter.h: counts data that was dropped, skipped or less exact, by name.
 */
#ifndef MEMPROF_DROP_COUNTER_H
#define MEMPROF_DROP_COUNTER_H

#include <memprof/region.h>

#include <stdbool.h>
#include <stdint.h>

#define MP_COUNTERS(X)							\
	X(rate_invalid, 0)						\
	X(out_unusable, 0)						\
	X(region_private, 0)						\
	X(region_grow_failed, 0)					\
	X(heap_map_full_drops, &g_memprof.heap_map_full_drops)		\
	X(heap_map_stale, 0)						\
	X(stack_table_full_drops, &g_memprof.stack_table_full_drops)	\
	X(stack_table_busy_drops, 0)						\
	X(thread_table_full_drops, 0)					\
	X(stacks_not_walked, 0)						\
	X(stacks_shallow, &g_memprof.shallow_stack_warnings)		\
	X(stacks_cut, 0)						\
	X(maps_full_drops, 0)						\
	X(functions_full_drops, 0)					\
	X(python_unknown, 0)						\
	X(python_frames_lost, 0)					\
	X(python_objects_skipped, 0)					\
	X(samples_skipped_reentrant, 0)					\
	X(samples_skipped_paused, 0)					\
	X(bloom_false_positives, 0)					\
	X(death_during_birth, &g_memprof.death_during_birth)		\
	X(zombie_races, &g_memprof.zombie_races_detected)		\
	X(bloom_rebuilds, &g_memprof.bloom_rebuilds)			\
	X(failed_allocs, 0)						\
	X(cpu_unsupported, 0)						\
	X(end_pages_refused, 0)						\
	X(end_pages_cut, 0)

enum mp_drop_counter {
#define MP_COUNTER_NUMBER(name, mirror) MP_COUNT_##name,
	MP_COUNTERS(MP_COUNTER_NUMBER)
#undef MP_COUNTER_NUMBER
	MP_NR_COUNTERS
};

void mp_drop_count(enum mp_drop_counter counter);
uint64_t mp_drop_counter_value(enum mp_drop_counter counter);
void mp_counters_begin(void);
void mp_counters_tell(bool last);
void mp_counters_move(struct memprof_region_counter *to);

#endif
