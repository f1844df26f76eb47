// SPDX-License-Identifier: GPL-2.0-only
/* Tests of human: numbers with units. */
#include "human.h"

#include "kselftest_harness.h"

static char buf[MP_HUMAN_SIZE];

TEST(sizes_are_scaled_by_1024)
{
	EXPECT_STREQ("0", mp_human_bytes(buf, 0));
	EXPECT_STREQ("1023", mp_human_bytes(buf, 1023));
	EXPECT_STREQ("1.0K", mp_human_bytes(buf, 1024));
	EXPECT_STREQ("1.5K", mp_human_bytes(buf, 1536));
	EXPECT_STREQ("53.1M", mp_human_bytes(buf, 55679386));
	EXPECT_STREQ("512M", mp_human_bytes(buf, 512UL << 20));
	EXPECT_STREQ("16.0E", mp_human_bytes(buf, UINT64_MAX));
}

TEST(sizes_round_to_the_nearest)
{
	EXPECT_STREQ("1.9K", mp_human_bytes(buf, 1024 + 970));
	EXPECT_STREQ("100K", mp_human_bytes(buf, 102390));
	EXPECT_STREQ("1.0M", mp_human_bytes(buf, (1UL << 20) - 1));
	EXPECT_STREQ("1023K", mp_human_bytes(buf, 1023 * 1024));
}

TEST(counts_are_exact_below_100000)
{
	EXPECT_STREQ("99999", mp_human_count(buf, 99999));
	EXPECT_STREQ("100k", mp_human_count(buf, 100000));
	EXPECT_STREQ("12.3e6", mp_human_count(buf, 12345678));
}

TEST(spans_have_two_units)
{
	EXPECT_STREQ("850 ms", mp_human_span(buf, 850999999));
	EXPECT_STREQ("12.3 s", mp_human_span(buf, 12345000000));
	EXPECT_STREQ("4 min 05 s", mp_human_span(buf, 245000000000));
	EXPECT_STREQ("3 h 07 min", mp_human_span(buf, 11220000000000));
	EXPECT_STREQ("2 d 04 h", mp_human_span(buf, 187200000000000));
	EXPECT_STREQ("213503 d 23 h", mp_human_span(buf, UINT64_MAX));
}

TEST(metrics_know_their_unit_and_sign)
{
	EXPECT_STREQ("-4.0M", mp_human_metric(buf, MP_GROWTH, -(4UL << 20),
					      false));
	EXPECT_STREQ("-4194304", mp_human_metric(buf, MP_GROWTH, -(4UL << 20),
						 true));
	EXPECT_STREQ("2048", mp_human_metric(buf, MP_MINOR_FAULTS, 2048,
					     false));
	EXPECT_STREQ("18446744073709551615",
		     mp_human_metric(buf, MP_BRK_UP, UINT64_MAX, true));
	EXPECT_STREQ("-9223372036854775808",
		     mp_human_metric(buf, MP_GROWTH, 1UL << 63, true));
}

TEST_HARNESS_MAIN
