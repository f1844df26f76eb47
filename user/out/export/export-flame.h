/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-flame: the flame graph of an export
 */
#ifndef MP_EXPORT_FLAME_H
#define MP_EXPORT_FLAME_H

#include "export.h"
#include "flame-profile.h"

/**
 * mp_export_flame - of the chosen metric
 * @flame: out, finished, with one value, 0 or more
 *
 * Return: 0, or -ENOMEM; mp_flame_free() follows in any case.
 */
int mp_export_flame(struct mp_export *export, struct mp_flame *flame);

/**
 * mp_export_difference - of a difference, in the chosen metric
 * @flame: out, as above, with two values: before and after; or
 * @widths: the larger of both, and what is more now
 *
 * Return: as above.
 */
int mp_export_difference(struct mp_export *export, struct mp_flame *flame,
			 bool widths);

/* Metrics of stacks that viewers with several can show. */
#define MP_EXPORT_NR_METRICS	7

/**
 * mp_export_metrics - those that the profile has something of, the chosen one
 * among them
 * @metrics: out, MP_EXPORT_NR_METRICS + 1 of them
 *
 * Return: how many.
 */
uint32_t mp_export_metrics(const struct mp_export *export,
			   enum mp_metric *metrics);

/**
 * mp_export_flames - of several metrics
 * @flame: out, as above, with a value for each
 *
 * Return: 0, or -ENOMEM; mp_flame_free() follows in any case.
 */
int mp_export_flames(struct mp_export *export, struct mp_flame *flame,
		     const enum mp_metric *metrics, uint32_t nr);

#endif
