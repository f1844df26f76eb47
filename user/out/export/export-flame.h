/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-flame: builds the flame graphs of an export
 */
#ifndef MP_EXPORT_FLAME_H
#define MP_EXPORT_FLAME_H

#include "export.h"
#include "call-tree.h"

/**
 * mp_export_flame - build the flame graph of the chosen metric
 * @flame: out: finished flame graph with one value per node, which is not negative
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_flame(struct mp_export *export, struct mp_stack_tree *flame);

/**
 * mp_export_difference - build the flame graph of a difference, in the chosen
 * metric
 * @flame: out: finished flame graph with two values per node: before and after
 * @widths: store the larger of both values and the difference, instead of before and
 *	after
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_difference(struct mp_export *export, struct mp_stack_tree *flame,
			 bool widths);

/* Limit of metrics in formats that can have several metrics. */
#define MP_EXPORT_NR_METRICS	9

/**
 * mp_export_metrics - list the metrics that are not 0, and the chosen metric
 * @metrics: out: the metrics; MP_EXPORT_NR_METRICS + 1 elements
 *
 * Return: number of metrics.
 */
uint32_t mp_export_metrics(const struct mp_export *export,
			   enum mp_metric *metrics);

/**
 * mp_export_flames - build the flame graph of several metrics
 * @flame: out: finished flame graph with one value per metric in each node
 * @metrics: array of @nr metrics
 * @name: writes the name of a function; NULL: functions have the same name at all lines
 *
 * Call mp_stack_tree_free() also after an error.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_flames(struct mp_export *export, struct mp_stack_tree *flame,
		     const enum mp_metric *metrics, uint32_t nr,
		     mp_point_namer name);

#endif
