// SPDX-License-Identifier: GPL-2.0-only
/*
 * trend: what grows, and what only comes and goes
 */
#include "trend.h"
#include "kselftest_harness.h"

#include <math.h>
#include <stdint.h>

#define NR	48

static double times[NR], values[NR];
static struct mp_trend trend;
static uint64_t seed;

/* from 0 to 1 */
static double chance(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(seed >> 11) / (double)(1ULL << 53);
}

static void fit(size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		times[i] = (double)i * 60;
	mp_trend_fit(times, values, nr, &trend);
}

TEST(a_line_is_its_slope)
{
	int i;

	for (i = 0; i < NR; i++)
		values[i] = 1000 + 60 * 5 * i;
	fit(NR);
	EXPECT_TRUE(trend.grows);
	EXPECT_EQ(5, trend.slope);
	EXPECT_EQ(5, trend.low);
	EXPECT_EQ(5, trend.high);
	EXPECT_EQ(0, trend.begin);
}

TEST(a_quarter_of_the_points_may_be_anything)
{
	int i;

	seed = 1;
	for (i = 0; i < NR; i++)
		values[i] = chance() < 0.25 ? 1e9 * chance() + 1e7 : 60 * 1000 * (double)i;
	fit(NR);
	EXPECT_TRUE(trend.grows);
	EXPECT_LT(fabs(trend.slope - 1000), 100);
	EXPECT_LE(trend.low, 1000);
	EXPECT_GE(trend.high, 1000);
}

/* Of 2000 random series one or so may pass. */
TEST(noise_does_not_grow)
{
	int run, i, nr = 0;

	seed = 2;
	for (run = 0; run < 2000; run++) {
		for (i = 0; i < NR; i++)
			values[i] = 1e8 * chance();
		fit(NR);
		nr += trend.grows;
	}
	EXPECT_LE(nr, 2);
}

TEST(what_was_filled_once_does_not_grow)
{
	int i, full;

	for (full = 2; full < NR * 4 / 5; full++) {
		for (i = 0; i < NR; i++)
			values[i] = 1e6 * (i < full ? i : full);
		fit(NR);
		EXPECT_FALSE(trend.grows)
			TH_LOG("full at %d", full);
	}
}

TEST(steps_and_falls_do_not_grow)
{
	int i, at;

	for (at = 1; at < NR; at++) {
		for (i = 0; i < NR; i++)
			values[i] = i < at ? 1e6 : 2e6;
		fit(NR);
		EXPECT_FALSE(trend.grows);
		for (i = 0; i < NR; i++)
			values[i] = -1e6 * i;
		fit(NR);
		EXPECT_FALSE(trend.grows);
	}
}

TEST(its_begin_is_found)
{
	int i, at;

	for (at = 5; at < NR - 16; at += 3) {
		seed = (uint64_t)at;
		for (i = 0; i < NR; i++)
			values[i] = 5e7 + 1e5 * chance() + (i < at ? 0 : 1e6 * (i - at));
		fit(NR);
		EXPECT_TRUE(trend.grows);
		EXPECT_LE(labs((long)trend.begin - at), 1);
		EXPECT_LT(fabs(trend.slope * 60 - 1e6), 2e4);
	}
}

TEST(few_points_have_no_trend)
{
	int i;

	for (i = 0; i < NR; i++)
		values[i] = i;
	for (i = 0; i < MP_TREND_MIN; i++) {
		fit((size_t)i);
		EXPECT_FALSE(trend.grows);
	}
	fit(MP_TREND_MIN);
	EXPECT_TRUE(trend.grows);
	/* two at the same time */
	times[1] = times[0];
	EXPECT_EQ(0, mp_trend_fit(times, values, NR, &trend));
}

TEST_HARNESS_MAIN
