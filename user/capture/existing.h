/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * existing: records for the targets that existed before perf's events were opened
 */
#ifndef MP_EXISTING_H
#define MP_EXISTING_H

#include "perf-synth.h"
#include "prober.h"

/**
 * mp_existing_write - write the names and mappings of all targets that run now,
 * and the paths of all cgroups
 * @synth: takes the records
 * @prober: recognises the targets
 *
 * Return: 0, or the negative errno of @synth.
 */
int mp_existing_write(const struct mp_perf_synth *synth,
		      const struct mp_prober *prober);

#endif
