/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * intervals: values of rows in each interval of a range, from which sums of any part follow
 */
#ifndef MP_INTERVALS_H
#define MP_INTERVALS_H

#include "map.h"
#include "metric.h"
#include "names.h"

#include <stddef.h>

/* Limit of intervals. */
#define MP_INTERVALS_MAX	240

/* Limit of metrics of a table. */
#define MP_INTERVALS_METRICS	12

/* The row that takes the values of those beyond the limits. */
#define MP_INTERVALS_OTHERS	0

/**
 * struct mp_intervals_cell - a value of a row
 * @interval: of a flow, what came in it; of a level, what there was at its end, and until
 *	the next cell of the row and the metric
 */
struct mp_intervals_cell {
	uint32_t row;
	uint16_t interval, metric;
	int64_t value;
};

/**
 * struct mp_intervals_table - rows and their values; see mp_intervals_open()
 * @metrics, @nr_metrics: flows and levels, no peaks
 * @keys: of rows, numbers whose meaning is the caller's: three for each row
 * @nr: rows, of which the first one is MP_INTERVALS_OTHERS
 * @cells, @nr_cells: in the order of intervals; what is 0, or a level that did not change,
 *	has none
 * @nr_folded: values of rows that were added to MP_INTERVALS_OTHERS
 */
struct mp_intervals_table {
	enum mp_metric metrics[MP_INTERVALS_METRICS];
	uint16_t nr_metrics;
	uint32_t (*keys)[3];
	size_t nr, max, max_rows, max_cells;
	int64_t *now, *last;
	struct mp_intervals_cell *cells;
	size_t nr_cells, room;
	struct mp_map by_keys;
	size_t nr_folded;
};

/**
 * mp_intervals_open - initialise a table
 * @max_rows, @max_cells: limits; there are at most as many cells of MP_INTERVALS_OTHERS more
 *	as there are metrics and intervals
 *
 * Return: 0, or -ENOMEM. Call mp_intervals_free() also after an error.
 */
int mp_intervals_open(struct mp_intervals_table *table, const enum mp_metric *metrics,
		      uint16_t nr_metrics, size_t max_rows, size_t max_cells);

/**
 * mp_intervals_row - find or add a row
 *
 * Return: its number; MP_INTERVALS_OTHERS if there are too many; UINT32_MAX if memory is
 * short.
 */
uint32_t mp_intervals_row(struct mp_intervals_table *table, uint32_t a, uint32_t b, uint32_t c);

/** mp_intervals_add - add to a value of a row in the present interval */
void mp_intervals_add(struct mp_intervals_table *table, uint32_t row, uint16_t metric,
		      int64_t value);

/**
 * mp_intervals_end - end the present interval
 * @interval: its number
 *
 * Return: 0, or -ENOMEM.
 */
int mp_intervals_end(struct mp_intervals_table *table, uint16_t interval);

/** mp_intervals_free - free all; the object is empty afterwards */
void mp_intervals_free(struct mp_intervals_table *table);

/**
 * struct mp_intervals - a range of a history; all zero is empty
 * @times: ends of the intervals, in seconds of CLOCK_REALTIME; the first one is the begin
 * @nr: intervals
 * @nr_snapshots: snapshots of the range; more than @nr if they were too many
 * @folder: of the history; NULL: the agent's own
 * @names: texts of @commands and @sites
 * @commands: keys: command, cgroup, what is shown of the cgroup
 * @sites: keys: callsite, command, cgroup
 * @frames: names of the nodes' functions, see mp_html_point()
 * @nodes: stacks; keys: the caller's row, the number in @frames, 0. The root is
 *	MP_INTERVALS_OTHERS
 */
struct mp_intervals {
	uint64_t times[MP_INTERVALS_MAX + 1];
	uint16_t nr;
	size_t nr_snapshots;
	const char *folder;
	struct mp_names names, frames;
	struct mp_intervals_table commands, sites, nodes;
};

#endif
