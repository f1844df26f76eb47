// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the timeline: its points and owners are bounded, and the sums stay. */
#include "timeline.h"

#include "kselftest_harness.h"

#define MS	1000000ULL

static struct mp_timeline_owner process(uint32_t pid, const char *comm)
{
	struct mp_timeline_owner owner = { .pid = pid };

	snprintf(owner.comm, sizeof(owner.comm), "%s", comm);
	return owner;
}

/* Adds points when they are due, each with a share that is its number. */
static void add_points(struct mp_timeline *timeline, uint64_t nr)
{
	struct mp_timeline_owner owner = process(7, "seven");
	struct mp_timeline_point *point;
	uint64_t i;

	for (i = 1; i <= nr; i++) {
		if (!mp_timeline_is_due(&timeline->live, i * MS))
			continue;
		point = mp_timeline_add(&timeline->live, i * MS, i);
		mp_timeline_put(timeline, point, &owner, i);
	}
}

TEST(points_are_bounded_and_in_order)
{
	const struct mp_timeline_point *point;
	struct mp_timeline timeline = { 0 };
	size_t i;

	add_points(&timeline, 100000);
	ASSERT_LE(timeline.live.nr, MP_TIMELINE_POINTS);
	ASSERT_GE(timeline.live.nr, MP_TIMELINE_POINTS / 3);
	for (i = 0; i < timeline.live.nr; i++) {
		point = &timeline.live.points[i];
		EXPECT_EQ(point->time_ns, point->total * MS);
		ASSERT_EQ(1, point->nr);
		EXPECT_EQ(point->total, point->shares[0].bytes);
		if (i)
			EXPECT_GT(point->time_ns, point[-1].time_ns);
	}
	EXPECT_EQ(MS, timeline.live.points[0].time_ns);
	mp_timeline_free(&timeline);
	EXPECT_EQ(0, timeline.live.nr);
}

/* A long time in which nothing changed is seen after all. */
TEST(long_holds_stay)
{
	struct mp_timeline timeline = { 0 };
	struct mp_timeline_point *point;
	bool found = false;
	uint64_t i;

	for (i = 1; i <= 50000; i++) {
		if (!mp_timeline_is_due(&timeline.live, i * MS + (i > 5 ? 9000 * MS : 0)))
			continue;
		point = mp_timeline_add(&timeline.live, i * MS + (i > 5 ? 9000 * MS : 0), i);
		point->since_ns = i == 6 ? 5 * MS : point->time_ns - MS;
	}
	for (i = 0; i < timeline.live.nr; i++)
		found |= timeline.live.points[i].since_ns == 5 * MS;
	EXPECT_TRUE(found);
	EXPECT_LE(timeline.live.nr, MP_TIMELINE_POINTS);
	mp_timeline_free(&timeline);
}

/* The end and the peak find room when all points are used. */
TEST(the_peak_is_in_its_place)
{
	struct mp_timeline timeline = { 0 };
	struct mp_timeline_track *track = &timeline.live;
	size_t i;

	for (i = 0; i < MP_TIMELINE_POINTS; i++)
		mp_timeline_add(track, (i + 1) * 10 * MS, 1);
	mp_timeline_last(track, 5000 * MS, 2);
	mp_timeline_last(track, 77 * MS, 9)->is_peak = true;
	mp_timeline_sort(track);
	ASSERT_EQ(MP_TIMELINE_POINTS + 2, track->nr);
	for (i = 1; i < track->nr; i++)
		EXPECT_GT(track->points[i].time_ns, track->points[i - 1].time_ns);
	EXPECT_TRUE(track->points[7].is_peak);
	EXPECT_EQ(2, track->points[track->nr - 1].total);
	mp_timeline_free(&timeline);
}

TEST(small_shares_are_not_kept)
{
	struct mp_timeline timeline = { 0 };
	struct mp_timeline_point *point = mp_timeline_add(&timeline.live, 1, 1000000);
	struct mp_timeline_owner owner = process(1, "small");

	EXPECT_EQ(0, mp_timeline_put(&timeline, point, &owner, 999));
	EXPECT_EQ(0, mp_timeline_put(&timeline, point, &owner, 0));
	EXPECT_EQ(0, point->nr);
	EXPECT_EQ(0, mp_timeline_put(&timeline, point, &owner, 1000));
	EXPECT_EQ(1, point->nr);
	mp_timeline_free(&timeline);
}

TEST(owners_are_known_again)
{
	struct mp_timeline_owner unnamed = process(5, ""), named = process(5, "five");
	struct mp_timeline_owner code = { .callsite = 5 };
	struct mp_timeline timeline = { 0 };
	struct mp_timeline_point *point = mp_timeline_add(&timeline.live, 1, 10);

	mp_timeline_put(&timeline, point, &unnamed, 5);
	mp_timeline_put(&timeline, point, &code, 5);
	mp_timeline_put(&timeline, point, &named, 5);
	mp_timeline_put(&timeline, point, &unnamed, 5);
	/* a callsite with the number of a process is another owner */
	ASSERT_EQ(2, timeline.nr_owners);
	EXPECT_STREQ("five", timeline.owners[0].comm);
	EXPECT_EQ(0, timeline.owners[1].pid);
	EXPECT_EQ(0, point->shares[3].owner);
	mp_timeline_free(&timeline);
}

TEST(shares_and_owners_are_bounded)
{
	struct mp_timeline timeline = { 0 };
	struct mp_timeline_point *point = NULL;
	struct mp_timeline_owner owner;
	uint32_t i;

	for (i = 0; i < 3 * MP_TIMELINE_OWNERS; i++) {
		if (i % 1000 == 0)
			point = mp_timeline_add(&timeline.live, i + 1, 1);
		owner = process(i + 1, "many");
		ASSERT_EQ(0, mp_timeline_put(&timeline, point, &owner, 1));
		ASSERT_LE(point->nr, MP_TIMELINE_SHARES);
	}
	EXPECT_EQ(MP_TIMELINE_OWNERS, timeline.nr_owners);
	mp_timeline_free(&timeline);
}

TEST_HARNESS_MAIN
