/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * out: how a profile is written
 *
 * A writer is one format behind struct mp_out_ops. It opens nothing: the caller
 * gives it a profile, merged and sorted, and a stream.
 */
#ifndef MP_WRITER_H
#define MP_WRITER_H

#include "profile.h"

#include <stdio.h>

struct mp_out;

/**
 * struct mp_out_ops - a format
 * @begin: before the first row; optional
 * @row: one row that is to be shown
 * @end: after the last; totals, sampling, losses
 */
struct mp_out_ops {
	void (*begin)(struct mp_out *out);
	void (*row)(struct mp_out *out, const struct mp_row *row);
	void (*end)(struct mp_out *out);
};

/**
 * enum mp_view - which columns a table has
 * @MP_VIEW_GROWTH: faults and growth
 * @MP_VIEW_ALLOC: allocations
 * @MP_VIEW_RSS: what RSS is made of
 * @MP_VIEW_SIZES: the same, where allocations are not followed: nothing parts HEAP
 */
enum mp_view {
	MP_VIEW_GROWTH,
	MP_VIEW_ALLOC,
	MP_VIEW_RSS,
	MP_VIEW_SIZES,
	MP_NR_VIEWS,
};

/**
 * enum mp_tree_shape - how stacks are added up
 * @MP_TREE_NONE: not at all: rows
 * @MP_TREE_CALLERS: from callsites outwards
 * @MP_TREE_CALLEES: from the first function inwards
 * @MP_TREE_FLAT: each function with all that it called
 */
enum mp_tree_shape {
	MP_TREE_NONE,
	MP_TREE_CALLERS,
	MP_TREE_CALLEES,
	MP_TREE_FLAT,
};

#define MP_OUT_MAX_COLUMNS	16

/**
 * struct mp_out - one report being written
 * @ops: the format
 * @file: where to; the caller looks at ferror() afterwards
 * @profile: what
 * @kind: rows to show
 * @view: columns of a table
 * @tree: instead of rows
 * @min_percent: of a tree, what has less is left out
 * @histograms: show those of callsites
 * @top: callsites to show below each cgroup
 * @limit: rows to show at most; 0 for all
 * @sort: the metric that the rows are sorted by
 * @exact: every digit of sizes and counts
 * @colour: the stream understands escape sequences
 * @nr_hidden: set by mp_out_report(): rows beyond the limit
 * @width: columns; the table's own
 */
struct mp_out {
	const struct mp_out_ops *ops;
	FILE *file;
	const struct mp_profile *profile;
	enum mp_row_kind kind;
	enum mp_view view;
	enum mp_tree_shape tree;
	double min_percent;
	bool histograms;
	size_t top;
	size_t limit;
	enum mp_metric sort;
	bool exact;
	bool colour;
	size_t nr_hidden;
	unsigned int width[MP_OUT_MAX_COLUMNS];
};

/** mp_out_next - the first row at or after @row to show, or NULL */
const struct mp_row *mp_out_next(const struct mp_out *out,
				 const struct mp_row *row);

/**
 * mp_out_top - the callsites to show below a row
 * @rows: out, MP_MAX_TOP of them
 *
 * Return: how many.
 */
size_t mp_out_top(const struct mp_out *out, const struct mp_row *row,
		  const struct mp_row **rows);

/**
 * mp_table_metrics - what a table shows, from left to right
 * @metrics: out, MP_OUT_MAX_COLUMNS of them
 *
 * Return: how many.
 */
size_t mp_table_metrics(const struct mp_out *out, enum mp_metric *metrics);

/** mp_table_total - write the line of totals of a table that was begun */
void mp_table_total(struct mp_out *out);

/** mp_out_report - write the report */
void mp_out_report(struct mp_out *out);

extern const struct mp_out_ops mp_table_ops;
extern const struct mp_out_ops mp_json_ops;

#endif
