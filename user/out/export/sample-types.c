// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample-types: what other heap profilers have, and then what only memprof has
 *
 * The cost is one pass over the samples for each metric. Nothing can fail.
 */
#include "sample-types.h"

#define NR_USUAL	4

static const enum mp_metric all[] = {
	MP_ALLOC_OBJECTS, MP_ALLOC_SPACE, MP_INUSE_OBJECTS, MP_INUSE_SPACE,
	MP_TOUCHED, MP_GROWTH, MP_PEAK_SPACE,
	/* of whole processes, for those who ask for them */
	MP_FAULTS, MP_RESIDENT,
};

#define NR_ALL		(sizeof(all) / sizeof(all[0]))
#define NR_WITHOUT_SIZES	(NR_ALL - 2)

uint32_t mp_sample_types(const struct mp_export *export, enum mp_metric *types)
{
	const size_t nr_all = export->with_sizes ? NR_ALL : NR_WITHOUT_SIZES;
	bool chosen = false;
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < nr_all; i++) {
		if (i >= NR_USUAL && all[i] != export->metric &&
		    !mp_stack_samples_have(&export->samples, all[i]))
			continue;
		chosen |= all[i] == export->metric;
		types[nr++] = all[i];
	}
	if (!chosen)
		types[nr++] = export->metric;
	return nr;
}

const char *mp_sample_unit(enum mp_unit unit)
{
	return unit == MP_UNIT_BYTES ? "bytes" : "count";
}
