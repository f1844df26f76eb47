// SPDX-License-Identifier: GPL-2.0-only
/* Tests of series: the number of steps is bounded for any times. */
#include "json.h"
#include "series.h"
#include "timeline-table.h"

#include "kselftest_harness.h"

#define MS	1000000ULL

TEST(a_step_holds_the_highest_or_the_last)
{
	struct mp_series highest = { .highest = true }, last = { 0 };

	mp_series_put(&highest, 7 * MS, 10);
	mp_series_put(&highest, 7 * MS + 10, 30);
	mp_series_put(&highest, 7 * MS + 20, 20);
	mp_series_put(&highest, 10 * MS, 5);
	ASSERT_EQ(4, highest.nr);
	EXPECT_EQ(7 * MS, highest.start_ns);
	EXPECT_EQ(30, highest.value[0]);
	/* as it stood, not as high as it was */
	EXPECT_EQ(20, highest.value[1]);
	EXPECT_EQ(20, highest.value[3]);
	mp_series_put(&last, 7 * MS, 10);
	mp_series_put(&last, 7 * MS + 10, 30);
	mp_series_put(&last, 7 * MS + 20, -20);
	mp_series_put(&last, 8 * MS, 5);
	ASSERT_EQ(2, last.nr);
	EXPECT_EQ(-20, last.value[0]);
	EXPECT_EQ(5, last.value[1]);
}

TEST(steps_get_longer_and_peaks_stay)
{
	struct mp_series series = { .highest = true };
	int64_t peak = 0;
	uint32_t i;

	for (i = 0; i < 100000; i++)
		mp_series_put(&series, i * MS, i == 777 ? 1000000 : i);
	ASSERT_LE(series.nr, MP_SERIES_POINTS);
	ASSERT_GT(series.nr, MP_SERIES_POINTS / 4);
	EXPECT_EQ(256 * MS, series.step_ns);
	for (i = 0; i < series.nr; i++)
		peak = series.value[i] > peak ? series.value[i] : peak;
	EXPECT_EQ(1000000, peak);
	EXPECT_EQ(99999, series.value[series.nr - 1]);
}

TEST(times_may_be_anything)
{
	struct mp_series series = { 0 };

	mp_series_put(&series, 5, 1);
	mp_series_put(&series, UINT64_MAX, 2);
	mp_series_put(&series, 0, 3);
	mp_series_put(&series, UINT64_MAX - 1, 4);
	EXPECT_LE(series.nr, MP_SERIES_POINTS);
	EXPECT_EQ(1, series.value[0]);
	EXPECT_EQ(4, series.value[series.nr - 1]);
}

static int read_text(struct mp_profile *profile, const char *text)
{
	struct mp_json_line line;

	return mp_json_read(profile, text, strlen(text), &line);
}

TEST(they_survive_as_json)
{
	struct mp_profile in = { 0 }, out = { 0 };
	struct mp_json_line line;
	char *text = NULL;
	size_t len, i;
	FILE *file;

	mp_series_put(&in.series[MP_SERIES_GROWTH], 5 * MS, -4096);
	mp_series_put(&in.series[MP_SERIES_GROWTH], 9 * MS, 8192);
	mp_series_put(&in.series[MP_SERIES_RESIDENT], 6 * MS, 1 << 20);
	ASSERT_EQ(2, mp_json_nr_lines(&in));
	for (i = 0; i < 2; i++) {
		file = open_memstream(&text, &len);
		mp_json_line(file, &in, i);
		fclose(file);
		ASSERT_EQ(0, mp_json_read(&out, text, len - 1, &line));
		EXPECT_EQ(MP_JSON_SERIES, line.type);
		free(text);
	}
	EXPECT_EQ(5, out.series[MP_SERIES_GROWTH].nr);
	EXPECT_EQ(-4096, out.series[MP_SERIES_GROWTH].value[0]);
	EXPECT_EQ(8192, out.series[MP_SERIES_GROWTH].value[4]);
	EXPECT_EQ(6 * MS, out.series[MP_SERIES_RESIDENT].start_ns);
	EXPECT_EQ(8192, out.series[MP_SERIES_GROWTH].last);
	EXPECT_EQ(0, out.series[MP_SERIES_LIVE].nr);
	mp_profile_free(&in);
	mp_profile_free(&out);
}

/* LIVE rose and fell in its last step: later lines have what was left of it. */
TEST(a_table_has_what_is_left_after_the_last_change)
{
	struct mp_profile profile = { .series[MP_SERIES_LIVE].highest = true };
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	mp_series_put(&profile.series[MP_SERIES_LIVE], 0, 0);
	mp_series_put(&profile.series[MP_SERIES_LIVE], 1 * MS, 8 << 20);
	mp_series_put(&profile.series[MP_SERIES_LIVE], 1 * MS + 1000, 1 << 20);
	mp_series_put(&profile.series[MP_SERIES_RESIDENT], 0, 9 << 20);
	mp_series_put(&profile.series[MP_SERIES_RESIDENT], 3 * MS, 9 << 20);
	ASSERT_TRUE(mp_timeline_table(file, &profile, 4));
	fclose(file);
	EXPECT_NE(NULL, strstr(text, "2 ms      9.0M      8.0M"));
	EXPECT_NE(NULL, strstr(text, "3 ms      9.0M      1.0M"));
	EXPECT_NE(NULL, strstr(text, "4 ms      9.0M      1.0M"));
	if (!strstr(text, "4 ms      9.0M"))
		TH_LOG("%s", text);
	free(text);
	mp_profile_free(&profile);
}

TEST(bad_ones_are_refused)
{
	struct mp_profile profile = { 0 };

	EXPECT_EQ(-EBADMSG, read_text(&profile,
		"{\"type\":\"series\",\"of\":\"inuse_space\"}"));
	EXPECT_EQ(-EBADMSG, read_text(&profile,
		"{\"type\":\"series\",\"of\":\"inuse_space\",\"values\":[1]}"));
	EXPECT_EQ(-EBADMSG, read_text(&profile,
		"{\"type\":\"series\",\"of\":\"inuse_space\",\"step_ns\":1,\"values\":[]}"));
	EXPECT_EQ(-EBADMSG, read_text(&profile,
		"{\"type\":\"series\",\"of\":\"inuse_space\",\"step_ns\":1,\"values\":[\"x\"]}"));
	EXPECT_EQ(0, read_text(&profile,
		"{\"type\":\"series\",\"of\":\"unheard\",\"step_ns\":1,\"values\":[1]}"));
	EXPECT_EQ(0, profile.series[MP_SERIES_LIVE].nr);
	mp_profile_free(&profile);
}

TEST_HARNESS_MAIN
