/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler-counts: what libmemprof dropped in the processes, as its static probe tells
 */
#ifndef MP_SAMPLER_COUNTS_H
#define MP_SAMPLER_COUNTS_H

#include "profile.h"

#include <memprof/region.h>

#define MP_SAMPLER_COUNTS	13

/** struct mp_sampler_counts - sums of all processes, in the order of the names */
struct mp_sampler_counts {
	uint64_t list[MP_SAMPLER_COUNTS];
};

/**
 * mp_sampler_counts_add - add what a process tells
 *
 * Counters that are not known, or that concern only the process's file, are ignored.
 */
void mp_sampler_counts_add(struct mp_sampler_counts *counts,
			   const struct memprof_region_counter *counter);

/**
 * mp_sampler_counts_put - add the sums to the counters of a profile
 *
 * Return: 0, or -ENOMEM.
 */
int mp_sampler_counts_put(const struct mp_sampler_counts *counts,
			  struct mp_profile *profile);

#endif
