// SPDX-License-Identifier: GPL-2.0-only
/*
 * metric: the registry's data
 *
 * Constant data and linear searches over a handful of rows. Cannot fail.
 */
#include "metric.h"

#include <string.h>
#include <strings.h>

const struct mp_metric_info mp_metrics[MP_NR_METRICS] = {
	[MP_MINOR_FAULTS] = {
		"minor_faults", "MINFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MINOR, false,
		"page faults served without reading from a device",
	},
	[MP_MAJOR_FAULTS] = {
		"major_faults", "MAJFLT", MP_UNIT_COUNT, MP_FLOW,
		MP_FROM_MAJOR, false,
		"page faults that waited for a device",
	},
	[MP_TOUCHED] = {
		"touched_space", "TOUCHED", MP_UNIT_BYTES, MP_FLOW,
		MP_FROM_MINOR | MP_FROM_MAJOR, false,
		"all faults, each taken as one page",
	},
	[MP_GROWTH] = {
		"growth_space", "GROWTH", MP_UNIT_BYTES, MP_FLOW, 0, true,
		"BRK+ - BRK- + MMAP+ - MMAP-; below 0 when more was given back",
	},
	[MP_GROWTH_PEAK] = {
		"growth_peak_space", "GROWTH-PEAK", MP_UNIT_BYTES, MP_PEAK, 0,
		false, "highest GROWTH since the start or the last reset",
	},
	[MP_BRK_UP] = {
		"brk_up_space", "BRK+", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"by which brk enlarged heap segments",
	},
	[MP_BRK_DOWN] = {
		"brk_down_space", "BRK-", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"by which brk shrank them",
	},
	[MP_MMAP_UP] = {
		"mmap_up_space", "MMAP+", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"by which mmap and mremap enlarged address spaces",
	},
	[MP_MMAP_DOWN] = {
		"mmap_down_space", "MMAP-", MP_UNIT_BYTES, MP_FLOW, 0, false,
		"by which munmap, mremap and mmap shrank them",
	},
	[MP_GROWTH_CALLS] = {
		"growth_calls", "GROWTH-CALLS", MP_UNIT_COUNT, MP_FLOW, 0,
		false, "calls of brk, mmap, munmap, mremap that changed a size",
	},
	[MP_RESIDENT] = {
		"resident_space", "RSS", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"ANON + FILE + SHMEM",
	},
	[MP_RESIDENT_ANON] = {
		"resident_anon", "ANON", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident private anonymous pages",
	},
	[MP_RESIDENT_FILE] = {
		"resident_file", "FILE", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident pages of mapped files",
	},
	[MP_RESIDENT_SHMEM] = {
		"resident_shmem", "SHMEM", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"resident pages of shared memory and tmpfs",
	},
	[MP_SWAPPED] = {
		"swapped_space", "SWAP", MP_UNIT_BYTES, MP_LEVEL, 0, false,
		"anonymous pages in swap; not part of RSS",
	},
	[MP_PEAK_RESIDENT] = {
		"peak_resident_space", "RSS-PEAK", MP_UNIT_BYTES, MP_PEAK, 0,
		false, "the kernel's own high-water mark of RSS",
	},
	[MP_MINOR_SAMPLES] = {
		"minor_samples", "MINSAMPLES", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"minor faults that were sampled",
	},
	[MP_MAJOR_SAMPLES] = {
		"major_samples", "MAJSAMPLES", MP_UNIT_COUNT, MP_FLOW, 0, false,
		"major faults that were sampled",
	},
};

int mp_metric_find(const char *name)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (!strcmp(name, mp_metrics[i].key) ||
		    !strcasecmp(name, mp_metrics[i].heading))
			return i;
	return -1;
}

bool mp_metric_is_estimate(enum mp_metric metric, uint32_t minor_period,
			   uint32_t major_period)
{
	unsigned int sampled = mp_metrics[metric].sampled;

	return (sampled & MP_FROM_MINOR && minor_period > 1) ||
	       (sampled & MP_FROM_MAJOR && major_period > 1);
}

int mp_metric_compare(enum mp_metric metric, uint64_t a, uint64_t b)
{
	if (mp_metrics[metric].is_signed)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}
