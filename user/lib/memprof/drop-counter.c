// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * drop-counter.c: counts data that was dropped, skipped or less exact.
 *
 * The counters are in the region, so they can be read after the process has
 * exited. Before the region exists they are in a variable of this file. Cost:
 * one atomic addition.
 */
#include "drop-counter.h"

#include "memprof_internal.h"

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
	__atomic_store_n(&counters, early, __ATOMIC_RELEASE);
}
