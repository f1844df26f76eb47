// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters live in the region, so that they outlive the process; until there is
 * one, in this file.
 */
#include "drop-counter.h"

#include "memprof_internal.h"

#include <string.h>

static const struct {
	const char *name;
	uint64_t *mirror;	/* the contract's own, or NULL */
} kinds[] = {
#define KIND(name, mirror) { #name, (uint64_t *)mirror },
	MP_COUNTERS(KIND)
#undef KIND
};

static struct memprof_region_counter early[MP_NR_COUNTERS];
static struct memprof_region_counter *counters = early;

static struct memprof_region_counter *list(void)
{
	return __atomic_load_n(&counters, __ATOMIC_ACQUIRE);
}

void mp_drop_count(enum mp_drop_counter counter)
{
	__atomic_fetch_add(&list()[counter].value, 1, __ATOMIC_RELAXED);
	if (kinds[counter].mirror)
		__atomic_fetch_add(kinds[counter].mirror, 1, __ATOMIC_RELAXED);
}

uint64_t mp_drop_counter_value(enum mp_drop_counter counter)
{
	return __atomic_load_n(&list()[counter].value, __ATOMIC_RELAXED);
}

/* @to: zeroed; of a region that nobody uses yet. What was counted early goes with
 * it, once.
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

/* In the child of a fork: the counters are the parent's. */
void mp_counters_begin(void)
{
	memset(early, 0, sizeof(early));
	__atomic_store_n(&counters, early, __ATOMIC_RELEASE);
}
