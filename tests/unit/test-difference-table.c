// SPDX-License-Identifier: GPL-2.0-only
/* test-difference-table: which rows the table of a difference has */
#include "difference-table.h"
#include "kselftest_harness.h"

static const struct mp_difference_view view = {
	.kind = MP_ROW_SITE, .sort = MP_INUSE_SPACE,
};

/* Peaks of rows are those that the collector saw, so they may differ when nothing else does. */
TEST(rows_that_differ_in_no_column_are_left_out)
{
	struct mp_difference difference = { 0 };
	struct mp_difference_row *row;

	row = mp_difference_row(&difference, "program", "peak");
	ASSERT_NE(NULL, row);
	row->after[MP_PEAK_SPACE] = 1;
	row = mp_difference_row(&difference, "program", "blocks");
	ASSERT_NE(NULL, row);
	row->before[MP_ALLOC_OBJECTS] = 1;
	mp_difference_sort(&difference, MP_INUSE_SPACE);
	ASSERT_EQ(2, difference.nr);
	mp_difference_table_drop(&difference, &view);
	ASSERT_EQ(1, difference.nr);
	EXPECT_EQ(1, difference.rows[0].before[MP_ALLOC_OBJECTS]);
	mp_difference_free(&difference);
}

TEST_HARNESS_MAIN
