/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-flame: the flame graph of an export
 */
#ifndef MP_EXPORT_FLAME_H
#define MP_EXPORT_FLAME_H

#include "export.h"
#include "call-tree.h"

/**
 * mp_export_flame - build the flame graph of the chosen metric
 * @flame: out; finished, with one value, which is not negative
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_flame(struct mp_export *export, struct mp_stack_tree *flame);

/**
 * mp_export_difference - build the flame graph of a difference, in the chosen
 * metric
 * @flame: out; finished, with two values: before and after
 * @widths: make the values the larger of both, and the difference
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_difference(struct mp_export *export, struct mp_stack_tree *flame,
			 bool widths);

/* Limit of metrics for viewers that can show several. */
#define MP_EXPORT_NR_METRICS	7

/**
 * mp_export_metrics - the metrics that are not 0, and the chosen one
 * @metrics: out; MP_EXPORT_NR_METRICS + 1 elements
 *
 * Return: their number.
 */
uint32_t mp_export_metrics(const struct mp_export *export,
			   enum mp_metric *metrics);

/**
 * mp_export_flames - build the flame graph of several metrics
 * @flame: out; finished, with a value for each metric
 * @metrics: @nr metrics
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_flames(struct mp_export *export, struct mp_stack_tree *flame,
		     const enum mp_metric *metrics, uint32_t nr);

#endif
