// SPDX-License-Identifier: GPL-2.0-only
/*
 * sampler-counts: adds up the counters of samplers
 *
 * Names come from other processes, so only those of a list are taken.
 */
#include "sampler-counts.h"

#include <string.h>

static const char * const names[MP_SAMPLER_COUNTS] = {
	"cpu_unsupported", "death_during_birth", "functions_full_drops",
	"heap_map_full_drops", "heap_map_stale", "python_frames_lost",
	"python_objects_skipped", "python_unknown",
	"samples_skipped_paused", "samples_skipped_reentrant", "stacks_not_walked",
	"thread_table_full_drops", "zombie_races",
};

void mp_sampler_counts_add(struct mp_sampler_counts *counts,
			   const struct memprof_region_counter *counter)
{
	size_t i;

	for (i = 0; i < MP_SAMPLER_COUNTS; i++)
		if (!strncmp(counter->name, names[i], sizeof(counter->name)))
			counts->list[i] += counter->value;
}

int mp_sampler_counts_put(const struct mp_sampler_counts *counts,
			  struct mp_profile *profile)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < MP_SAMPLER_COUNTS; i++)
		if (counts->list[i])
			err = mp_profile_add_counter(profile, names[i], counts->list[i]);
	return err;
}
