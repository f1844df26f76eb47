// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * drop-counter.c: counts data that was dropped, skipped or less exact.
 *
 * The counters are in the region, so they can be read after the process has
 * exited. Before the region exists they are in a variable of this file. Tracers of the
 * static probes do not read the region: a probe tells them what was added. Cost: one
 * atomic addition.
 */
#include "drop-counter.h"

#include "memprof_internal.h"
#include "probes.h"
#include "sample-clock.h"

#include <string.h>

static const struct {
	const char *name;
	uint64_t *mirror;	/* the public counter, or NULL */
} kinds[] = {
#define KIND(name, mirror) { #name, (uint64_t *)mirror },
	MP_COUNTERS(KIND)
#undef KIND
};

static struct memprof_region_counter early[MP_NR_COUNTERS];
static struct memprof_region_counter *counters = early;

#ifdef MP_SDT
unsigned short otel_memory_counter_semaphore __attribute__((section(".probes")));
#endif

/* 2^27 ns are an eighth of a second. */
#define PERIOD_BITS	27
#define NOBODY		UINT64_MAX

/* What tracers know, and the period in which they were told; NOBODY: there was none. */
static uint64_t told[MP_NR_COUNTERS];
static uint64_t told_at;

static struct memprof_region_counter *current_counters(void)
{
	return __atomic_load_n(&counters, __ATOMIC_ACQUIRE);
}

void mp_drop_count(enum mp_drop_counter counter)
{
	__atomic_fetch_add(&current_counters()[counter].value, 1, __ATOMIC_RELAXED);
	if (kinds[counter].mirror)
		__atomic_fetch_add(kinds[counter].mirror, 1, __ATOMIC_RELAXED);
}

uint64_t mp_drop_counter_value(enum mp_drop_counter counter)
{
	return __atomic_load_n(&current_counters()[counter].value, __ATOMIC_RELAXED);
}

/*
 * Moves the counts that were made before the region existed into the region.
 * @to: counters of the new region, all zero, which no thread uses yet.
 */
void mp_counters_move(struct memprof_region_counter *to)
{
	int i;

	for (i = 0; i < MP_NR_COUNTERS; i++) {
		strncpy(to[i].name, kinds[i].name, sizeof(to[i].name) - 1);
		to[i].value = __atomic_exchange_n(&early[i].value, 0,
						  __ATOMIC_RELAXED);
	}
	__atomic_store_n(&counters, to, __ATOMIC_RELEASE);
}

/* Sets the counters to 0 in the child of a fork: the old counts are the parent's. */
void mp_counters_begin(void)
{
	memset(early, 0, sizeof(early));
	memset(told, 0, sizeof(told));
	told_at = 0;
	__atomic_store_n(&counters, early, __ATOMIC_RELEASE);
}

/*
 * If several threads tell at once, the sum of what they tell is right: each tells the
 * difference to what the one before it has told.
 */
static void tell(int i, bool listens)
{
	struct memprof_region_counter record = {
		.value = __atomic_load_n(&current_counters()[i].value, __ATOMIC_RELAXED),
	};

	if (__atomic_load_n(&told[i], __ATOMIC_RELAXED) == record.value)
		return;
	record.value -= __atomic_exchange_n(&told[i], record.value, __ATOMIC_RELAXED);
	strncpy(record.name, kinds[i].name, sizeof(record.name) - 1);
	if (listens)
		mp_probe_counter(&record);
}

/**
 * mp_counters_tell() - tell tracers what was added to the counters
 * @last: there may be no other call
 *
 * Call it after each sample, of which one in an eighth of a second does the work. A
 * tracer that came late is told what was added since its first sample.
 */
void mp_counters_tell(bool last)
{
	const uint64_t before = __atomic_load_n(&told_at, __ATOMIC_RELAXED);
	uint64_t now;
	int i;

	if (!mp_probe_counter_listens()) {
		if (before != NOBODY)
			__atomic_store_n(&told_at, NOBODY, __ATOMIC_RELAXED);
		return;
	}
	now = mp_clock_coarse_ns() >> PERIOD_BITS;
	if (before == now && !last)
		return;
	__atomic_store_n(&told_at, now, __ATOMIC_RELAXED);
	for (i = 0; i < MP_NR_COUNTERS; i++)
		tell(i, before != NOBODY);
}
