// SPDX-License-Identifier: GPL-2.0-only
/*
 * intervals: sums of rows stay what they were, within all limits
 */
#include "intervals.h"
#include "kselftest_harness.h"

static const enum mp_metric metrics[] = { MP_TOUCHED, MP_RESIDENT };

/* What a page adds up: the flow of all rows in some intervals, and the level at an end. */
static int64_t flow_of(const struct mp_intervals_table *table, int from, int to)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < table->nr_cells; i++)
		if (table->cells[i].metric == 0 && table->cells[i].interval > from &&
		    table->cells[i].interval <= to)
			sum += table->cells[i].value;
	return sum;
}

static int64_t level_of(const struct mp_intervals_table *table, uint32_t row, int at)
{
	int64_t level = 0;
	size_t i;

	for (i = 0; i < table->nr_cells; i++)
		if (table->cells[i].metric == 1 && table->cells[i].row == row &&
		    table->cells[i].interval <= at)
			level = table->cells[i].value;
	return level;
}

static int64_t levels_of(const struct mp_intervals_table *table, int at)
{
	int64_t sum = 0;
	uint32_t row;

	for (row = 0; row < table->nr; row++)
		sum += level_of(table, row, at);
	return sum;
}

TEST(what_does_not_change_has_no_cell)
{
	struct mp_intervals_table table;
	uint32_t row;
	uint16_t i;

	ASSERT_EQ(0, mp_intervals_open(&table, metrics, 2, 10, 100));
	row = mp_intervals_row(&table, 1, 2, 3);
	EXPECT_EQ(1, row);
	EXPECT_EQ(row, mp_intervals_row(&table, 1, 2, 3));
	EXPECT_EQ(2, mp_intervals_row(&table, 1, 2, 4));
	for (i = 0; i < 5; i++) {
		mp_intervals_add(&table, row, 1, 70);
		mp_intervals_add(&table, row, 1, i == 3 ? 30 : 0);
		mp_intervals_add(&table, row, 0, i == 2 ? 5 : 0);
		ASSERT_EQ(0, mp_intervals_end(&table, i));
	}
	/* it is gone */
	ASSERT_EQ(0, mp_intervals_end(&table, 5));
	EXPECT_EQ(5, table.nr_cells);
	EXPECT_EQ(70, level_of(&table, row, 2));
	EXPECT_EQ(100, level_of(&table, row, 3));
	EXPECT_EQ(70, level_of(&table, row, 4));
	EXPECT_EQ(0, level_of(&table, row, 5));
	EXPECT_EQ(5, flow_of(&table, 1, 2));
	EXPECT_EQ(0, flow_of(&table, 2, 5));
	mp_intervals_free(&table);
}

TEST(beyond_the_limits_sums_are_the_same)
{
	struct mp_intervals_table table;
	int64_t flows[50] = { 0 }, levels[50] = { 0 }, sum = 0;
	uint32_t i, row, value;
	uint16_t at;

	ASSERT_EQ(0, mp_intervals_open(&table, metrics, 2, 20, 200));
	for (at = 1; at < 50; at++) {
		for (i = 0; i < 40; i++) {
			row = mp_intervals_row(&table, i, 0, 0);
			ASSERT_LT(row, 20);
			value = (at * 31 + i * 17) % 100;
			mp_intervals_add(&table, row, 0, value);
			mp_intervals_add(&table, row, 1, 1000 + value);
			flows[at] += value;
			levels[at] += 1000 + value;
		}
		ASSERT_EQ(0, mp_intervals_end(&table, at));
	}
	EXPECT_EQ(20, table.nr);
	EXPECT_LE(table.nr_cells, 200 + 2 * 50);
	EXPECT_LT(0, table.nr_folded);
	for (at = 1; at < 50; at++) {
		sum += flows[at];
		EXPECT_EQ(flows[at], flow_of(&table, at - 1, at));
		EXPECT_EQ(levels[at], levels_of(&table, at));
	}
	EXPECT_EQ(sum, flow_of(&table, 0, 49));
	mp_intervals_free(&table);
}

TEST_HARNESS_MAIN
