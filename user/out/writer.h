/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * writer: writes a profile as a report
 *
 * A format is a struct mp_out_ops. It opens no files: the caller passes a merged and
 * sorted profile and a stream.
 */
#ifndef MP_WRITER_H
#define MP_WRITER_H

#include "call-tree.h"
#include "profile.h"

#include <stdio.h>

struct mp_out;

/**
 * struct mp_out_ops - functions of a format
 * @begin: called before the first row; optional
 * @row: called for each row to show
 * @end: called after the last row; writes totals, sampling and losses
 */
struct mp_out_ops {
	void (*begin)(struct mp_out *out);
	void (*row)(struct mp_out *out, const struct mp_row *row);
	void (*end)(struct mp_out *out);
};

/**
 * enum mp_view - the columns of a table
 * @MP_VIEW_GROWTH: faults and growth
 * @MP_VIEW_ALLOC: allocations
 * @MP_VIEW_RSS: the parts of RSS
 * @MP_VIEW_AGE: how long blocks have been living, and how many were freed
 * @MP_VIEW_RESIDENT: who keeps the resident pages of the heap
 * @MP_VIEW_FRAGMENTATION: how full these pages are
 * @MP_VIEW_SIZES: the parts of RSS if allocations are not traced; HEAP is not divided
 */
enum mp_view {
	MP_VIEW_GROWTH,
	MP_VIEW_ALLOC,
	MP_VIEW_RSS,
	MP_VIEW_AGE,
	MP_VIEW_RESIDENT,
	MP_VIEW_FRAGMENTATION,
	MP_VIEW_SIZES,
	MP_NR_VIEWS,
};

#define MP_OUT_MAX_COLUMNS	24

/**
 * struct mp_out - a report in progress
 * @ops: the format
 * @file: output stream; the caller checks ferror() afterwards
 * @profile: the profile
 * @kind: kind of rows to show
 * @view: columns of a table
 * @tree: kind of tree to show instead of rows
 * @min_percent: in a tree, functions with a lower share of the total are left out
 * @histograms: show histograms of callsites
 * @verbose: a table explains each stream and counter
 * @by_host: rows of cgroups are those of machines
 * @paths: show whole paths of cgroups
 * @sites: rows of callsites for a second table below the first; or NULL
 * @sites_sort: metric that @sites are sorted by
 * @sites_limit: of @sites, rows to show; 0: those that matter
 * @sites_live: @sites are shown once more, by LIVE, which reorders them
 * @has_delta: DELTA is known: a table shows it
 * @has_live_delta: so is LIVE-DELTA
 * @is_screen: the rows are those of top
 * @is_watched: and newer ones follow, until the user ends it
 * @has_no_blocks: no allocation was followed: the view of growth has no columns of blocks
 * @no_pages: a view of pages, of which none was looked at
 * @has_freed: FREED-RSS is known: the view of fragmentation shows it
 * @has_malloc: FREE is known: the view of RSS shows it
 * @has_huge: some pages are huge: the view of resident blocks shows HUGE
 * @nodes: NUMA nodes that have pages, a bit each, of mp_out_nodes()
 * @ended: the processes have exited: a table of callsites has AT-PEAK instead of LIVE, one of
 *	processes AT-EXIT
 * @runs: with @ended: one of them runs still, but none has a living block
 * @judged: callsites that @headline is about, if neither rows nor @sites are; or NULL
 * @headline: the answer in a sentence, above a table or a tree; or NULL
 * @hint: how the report could name more functions; or NULL
 * @top: number of callsites to show below each cgroup
 * @limit: limit of rows; 0: all
 * @sort: metric that the rows are sorted by
 * @exact: write exact numbers without units
 * @colour: use escape sequences for colours
 * @nr_hidden: set by mp_out_report(): number of rows beyond the limit
 * @titled: processes have their command lines; used by the table only
 * @sorted_first: GROWTH, or OLD of ages, is the first column of callsites that are sorted by it
 * @has_hosts: rows are of several machines; used by the table only
 * @width: widths of columns; used by the table only
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
	bool verbose;
	bool by_host;
	bool paths;
	struct mp_profile *sites;
	enum mp_metric sites_sort;
	size_t sites_limit;
	bool sites_live;
	bool has_delta;
	bool has_live_delta;
	bool is_screen, is_watched;
	bool has_no_blocks;
	bool no_pages, has_freed, has_huge, has_malloc;
	uint32_t nodes;
	bool ended, runs;
	const struct mp_profile *judged;
	const char *headline;
	const char *hint;
	size_t top;
	size_t limit;
	enum mp_metric sort;
	bool exact;
	bool colour;
	size_t nr_hidden;
	bool titled, has_hosts, sorted_first;
	unsigned int width[MP_OUT_MAX_COLUMNS];
};

/** mp_view_has_pages - whether a view shows the metrics of pages */
static inline bool mp_view_has_pages(enum mp_view view)
{
	return view == MP_VIEW_RESIDENT || view == MP_VIEW_FRAGMENTATION;
}

/** mp_out_nodes - the NUMA nodes that have pages: bit 0 is N0. Eight passes over the rows */
uint32_t mp_out_nodes(const struct mp_profile *profile);

/** mp_out_next - find the first row to show, beginning with @row; NULL at the end */
const struct mp_row *mp_out_next(const struct mp_out *out,
				 const struct mp_row *row);

/**
 * mp_out_top - find the callsites to show below the row of a cgroup
 * @rows: out: the callsites; MP_MAX_TOP elements
 *
 * Return: number of callsites.
 */
size_t mp_out_top(const struct mp_out *out, const struct mp_row *row,
		  const struct mp_row **rows);

/**
 * mp_table_metrics - list the metrics that a table shows, from left to right
 * @metrics: out: the metrics; MP_OUT_MAX_COLUMNS elements
 *
 * Return: number of metrics.
 */
size_t mp_table_metrics(const struct mp_out *out, enum mp_metric *metrics);

/** mp_table_total - write the line of totals */
void mp_table_total(struct mp_out *out);

/** mp_out_rows - write what comes before the rows, and the rows */
void mp_out_rows(struct mp_out *out);

/** mp_out_report - write the report */
void mp_out_report(struct mp_out *out);

extern const struct mp_out_ops mp_table_ops;
extern const struct mp_out_ops mp_json_ops;

#endif
