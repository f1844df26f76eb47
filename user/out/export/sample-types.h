/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample-types: the metrics that each sample of pprof and OTLP has
 */
#ifndef MP_SAMPLE_TYPES_H
#define MP_SAMPLE_TYPES_H

#include "export.h"

#define MP_SAMPLE_MAX_TYPES	10

/**
 * mp_sample_types - choose the metrics of an export
 * @types: out: the metrics; MP_SAMPLE_MAX_TYPES elements
 *
 * The first four are always there, because other heap profilers have them, too. The others
 * are there if they are not 0, or chosen.
 *
 * Return: number of metrics.
 */
uint32_t mp_sample_types(const struct mp_export *export, enum mp_metric *types);

/** mp_sample_unit - the name of a metric's unit */
const char *mp_sample_unit(enum mp_unit unit);

#endif
