// SPDX-License-Identifier: GPL-2.0-only
/*
 * intervals: keeps what changed
 *
 * Most rows of a machine do nothing in most intervals, so a table has cells only of those
 * that do: 16 bytes each. What is beyond a limit is added to the row of the others: sums stay
 * what they were. An interval costs a pass over the rows.
 */
#include "intervals.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int grow_rows(struct mp_intervals_table *table)
{
	const size_t max = table->max ? 2 * table->max : 64;
	const size_t size = max * table->nr_metrics;
	void *more;

	more = reallocarray(table->keys, max, sizeof(*table->keys));
	if (!more)
		return -ENOMEM;
	table->keys = more;
	more = reallocarray(table->now, size, sizeof(*table->now));
	if (!more)
		return -ENOMEM;
	table->now = more;
	more = reallocarray(table->last, size, sizeof(*table->last));
	if (!more)
		return -ENOMEM;
	table->last = more;
	table->max = max;
	return 0;
}

static int append_row(struct mp_intervals_table *table, uint32_t a, uint32_t b, uint32_t c)
{
	const size_t first = table->nr * table->nr_metrics;
	int err = table->nr == table->max ? grow_rows(table) : 0;

	if (err)
		return err;
	table->keys[table->nr][0] = a;
	table->keys[table->nr][1] = b;
	table->keys[table->nr][2] = c;
	memset(table->now + first, 0, table->nr_metrics * sizeof(*table->now));
	memset(table->last + first, 0, table->nr_metrics * sizeof(*table->last));
	table->nr++;
	return 0;
}

int mp_intervals_open(struct mp_intervals_table *table, const enum mp_metric *metrics,
		      uint16_t nr_metrics, size_t max_rows, size_t max_cells)
{
	*table = (struct mp_intervals_table){
		.nr_metrics = nr_metrics, .max_rows = max_rows, .max_cells = max_cells,
	};
	memcpy(table->metrics, metrics, nr_metrics * sizeof(*metrics));
	return append_row(table, MP_NAMES_NONE, MP_NAMES_NONE, MP_NAMES_NONE);
}

uint32_t mp_intervals_row(struct mp_intervals_table *table, uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t ab = (uint64_t)a << 32 | b;
	uint32_t *known = mp_map_find(&table->by_keys, ab, c);

	if (known)
		return *known;
	if (table->nr == table->max_rows)
		return MP_INTERVALS_OTHERS;
	known = mp_map_add(&table->by_keys, ab, c);
	if (!known || append_row(table, a, b, c))
		return UINT32_MAX;
	*known = (uint32_t)table->nr - 1;
	return *known;
}

void mp_intervals_add(struct mp_intervals_table *table, uint32_t row, uint16_t metric,
		      int64_t value)
{
	table->now[(size_t)row * table->nr_metrics + metric] += value;
}

static bool is_level(const struct mp_intervals_table *table, uint16_t metric)
{
	return mp_metrics[table->metrics[metric]].nature == MP_LEVEL;
}

/* Makes a cell of a value, or adds it to the others. */
static int put_cell(struct mp_intervals_table *table, uint32_t row, uint16_t metric,
		    uint16_t interval)
{
	const size_t at = (size_t)row * table->nr_metrics + metric;
	const bool level = is_level(table, metric);
	const int64_t value = table->now[at];

	table->now[at] = 0;
	if (value == (level ? table->last[at] : 0))
		return 0;
	if (row != MP_INTERVALS_OTHERS && table->nr_cells >= table->max_cells) {
		/* of a level, the page goes on with the last value */
		table->now[metric] += value - (level ? table->last[at] : 0);
		table->nr_folded++;
		return 0;
	}
	if (table->nr_cells == table->room &&
	    !mp_array_grow(&table->cells, &table->room, sizeof(*table->cells)))
		return -ENOMEM;
	table->cells[table->nr_cells++] = (struct mp_intervals_cell){
		.row = row, .interval = interval, .metric = metric, .value = value,
	};
	table->last[at] = value;
	return 0;
}

int mp_intervals_end(struct mp_intervals_table *table, uint16_t interval)
{
	uint16_t metric;
	size_t row;
	int err = 0;

	/* the others come last, when all is added to them */
	for (row = table->nr; row--;)
		for (metric = 0; !err && metric < table->nr_metrics; metric++)
			err = put_cell(table, (uint32_t)row, metric, interval);
	return err;
}

void mp_intervals_free(struct mp_intervals_table *table)
{
	free(table->keys);
	free(table->now);
	free(table->last);
	free(table->cells);
	mp_map_free(&table->by_keys);
	*table = (struct mp_intervals_table){ 0 };
}
