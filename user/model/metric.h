/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metric: describes all metrics: their names, units, and how values combine
 *
 * Table headings, JSON keys, --sort and the rules for merging come from this
 * table. So a metric has the same name everywhere.
 */
#ifndef MP_METRIC_H
#define MP_METRIC_H

#include <stdbool.h>
#include <stdint.h>

enum mp_metric {
	MP_MINOR_FAULTS,
	MP_MAJOR_FAULTS,
	MP_TOUCHED,
	MP_GROWTH,
	MP_GROWTH_PEAK,
	MP_BRK_UP,
	MP_BRK_DOWN,
	MP_MMAP_UP,
	MP_MMAP_DOWN,
	MP_GROWTH_CALLS,
	MP_RESIDENT,
	MP_RESIDENT_ANON,
	MP_RESIDENT_FILE,
	MP_RESIDENT_SHMEM,
	MP_SWAPPED,
	MP_PEAK_RESIDENT,
	MP_MINOR_SAMPLES,
	MP_MAJOR_SAMPLES,
	MP_ALLOC_OBJECTS,
	MP_ALLOC_SPACE,
	MP_FREE_OBJECTS,
	MP_INUSE_OBJECTS,
	MP_INUSE_SPACE,
	MP_PEAK_SPACE,
	MP_FAILED_ALLOCS,
	MP_TEMPORARY_OBJECTS,
	MP_UNKNOWN_FREES,
	MP_INHERITED_OBJECTS,
	MP_INHERITED_SPACE,
	MP_INHERITED_FREES,
	MP_ALLOC_SAMPLES,
	MP_FAULTS,
	MP_INSIDE_FAULTS,
	MP_BLOCK_FAULTS,
	MP_OTHER_FAULTS,
	MP_HEAP_RESIDENT,
	MP_LIVE_RESIDENT,
	MP_HELD,
	MP_STACKS,
	MP_FILE_MAPPED,
	MP_SHMEM_MAPPED,
	MP_UNATTRIBUTED,
	MP_PROPORTIONAL,
	MP_CGROUP_CURRENT,
	MP_CGROUP_PEAK,
	MP_CGROUP_ANON,
	MP_CGROUP_FILE,
	MP_CGROUP_KERNEL,
	MP_CGROUP_REST,
	MP_INHERITED_LIVE,
	MP_AT_PEAK,
	MP_AT_EXIT,
	MP_RESIDENT_DELTA,
	MP_OLD_SPACE,
	MP_BLOCK_RESIDENT,
	MP_BLOCK_SWAPPED,
	MP_BLOCK_UNTOUCHED,
	MP_BLOCK_HUGE,
	MP_BLAME,
	MP_PINNED,
	MP_HELD_PAGES,
	MP_HELD_TOP,
	MP_HELD_ARENA,
	MP_HELD_EMPTY,
	MP_FILL_5,
	MP_FILL_10,
	MP_FILL_25,
	MP_FILL_50,
	MP_FILL_75,
	MP_FILL_100,
	MP_INUSE_DELTA,
	MP_COLD,
	MP_NODE_0,
	MP_NODE_1,
	MP_NODE_2,
	MP_NODE_3,
	MP_NODE_4,
	MP_NODE_5,
	MP_NODE_6,
	MP_NODE_7,
	MP_ADVISED,
	MP_RELEASED,
	MP_FREED_RESIDENT,
	MP_FREED_PINNED,
	MP_SAMPLER_RESIDENT,
	MP_MALLOC_USED,
	MP_MALLOC_FREE,
	MP_MALLOC_TRIM,
	MP_MALLOC_UNREAD,
	MP_NR_METRICS,
};

enum mp_unit {
	MP_UNIT_BYTES,
	MP_UNIT_COUNT,
};

/**
 * enum mp_nature - how values of a metric combine
 * @MP_FLOW: a count over time. Values are added up over all programs that a
 *	process ran, and over processes
 * @MP_LEVEL: the state at the time of the snapshot. A process has the value of
 *	the newest program that it ran. A total includes only running processes
 * @MP_PEAK: the highest value over time. Processes may reach their peaks at
 *	different times, so there is no total
 */
enum mp_nature {
	MP_FLOW,
	MP_LEVEL,
	MP_PEAK,
};

/* Bits for the sampled event streams that a metric is computed from. */
#define MP_FROM_MINOR	(1 << 0)
#define MP_FROM_MAJOR	(1 << 1)
#define MP_FROM_ALLOC	(1 << 2)

/**
 * struct mp_metric_info - one metric
 * @key: name in JSON and for --sort
 * @heading: name in tables, and for --sort in upper or lower case
 * @unit: bytes or a count
 * @nature: how values combine
 * @sampled: MP_FROM_* bits. The metric is an estimate if one of these streams is
 *	sampled: its period, or its mean bytes between samples, is above 1
 * @is_signed: values are int64_t, stored in a uint64_t
 * @description: one line for help
 */
struct mp_metric_info {
	const char *key;
	const char *heading;
	enum mp_unit unit;
	enum mp_nature nature;
	unsigned int sampled;
	bool is_signed;
	const char *description;
};

extern const struct mp_metric_info mp_metrics[MP_NR_METRICS];

/**
 * mp_metric_find - find a metric by a name that the user gave
 * @name: a key such as "resident_space" or a heading such as "rss"
 *
 * Return: enum mp_metric, or -1.
 */
int mp_metric_find(const char *name);

/**
 * mp_metric_is_estimate - whether the values of a metric are scaled up from samples
 * @metric: the metric
 * @minor_period: minor faults per sample
 * @major_period: major faults per sample
 * @alloc_rate: mean bytes between two samples of allocations
 */
bool mp_metric_is_estimate(enum mp_metric metric, uint32_t minor_period,
			   uint32_t major_period, uint64_t alloc_rate);

/**
 * mp_metric_error - how far an estimate of bytes in blocks may be from the truth
 * @value: the estimate, in bytes
 * @rate: mean bytes between two samples; 0 or 1: not an estimate
 *
 * Each sample stands for about @rate bytes, so the variance is at most @value * @rate;
 * blocks larger than @rate are sampled more often, and make it smaller.
 *
 * Return: twice the standard deviation, at most: 95 of 100 estimates are nearer.
 */
uint64_t mp_metric_error(uint64_t value, uint64_t rate);

/**
 * mp_metric_is_known - whether a row or a total has a value of a metric
 * @values: all values of the row or total
 *
 * Only the values that the kernel counts for a cgroup can be unknown. Cgroups without
 * the memory controller, removed cgroups, processes and callsites do not have them, the
 * root cgroup only has those of memory.stat, and kernels before Linux 5.19 have no
 * memory.peak. An unknown value is 0 in @values. Tables show "-" for it; JSON and
 * exports leave it out.
 */
bool mp_metric_is_known(enum mp_metric metric, const uint64_t *values);

/**
 * mp_metric_compare - compare two values of a metric
 *
 * Return: a negative number if @a is less than @b, 0 if equal, else a positive
 * one.
 */
int mp_metric_compare(enum mp_metric metric, uint64_t a, uint64_t b);

#endif
