// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the engine's timeline: its last point, and whose shares it has.
 */
#include "merging.h"

/* The last sample is older than the exit, by which nothing lives. */
TEST_F(merge, a_timeline_ends_after_the_exit)
{
	const struct mp_timeline_track *track = &self->merge.timeline.live;
	uint64_t sampled_ns;

	self->merge.has_timeline = true;
	name(self, 10, "ends", true);
	alloc(self, 10, 0x1000, 100, NULL, 0);
	sampled_ns = self->time_ns;
	self->time_ns += 20000000;
	tell(self, MP_EVENT_EXIT, 10, 0);
	ASSERT_EQ(0, mp_merge_flush(&self->merge));
	ASSERT_EQ(0, mp_merge_timeline_end(&self->merge, sampled_ns));
	ASSERT_LT(1, track->nr);
	EXPECT_EQ(0, track->points[track->nr - 1].total);
	EXPECT_EQ(self->time_ns, track->points[track->nr - 1].time_ns);
}

/* The free is the last event: what is left then did not fall slowly until the end. */
TEST_F(merge, a_timeline_holds_its_last_value)
{
	const struct mp_timeline_track *track = &self->merge.timeline.live;
	uint64_t end_ns;

	self->merge.has_timeline = true;
	name(self, 10, "idle", true);
	alloc(self, 10, 0x1000, 100, NULL, 0);
	end_ns = self->time_ns + 3000000000;
	ASSERT_EQ(0, mp_merge_flush(&self->merge));
	ASSERT_EQ(0, mp_merge_timeline_end(&self->merge, end_ns));
	ASSERT_LT(1, track->nr);
	EXPECT_EQ(100, track->points[track->nr - 1].total);
	EXPECT_EQ(end_ns, track->points[track->nr - 1].time_ns);
	EXPECT_EQ(self->time_ns, track->points[track->nr - 1].since_ns);
}

/* A report may show two stacks of one callsite in two rows; small ones are one owner. */
TEST_F(merge, large_stacks_of_a_callsite_are_apart_in_a_timeline)
{
	const struct mp_timeline *timeline = &self->merge.timeline;
	const struct mp_timeline_point *point;
	uint64_t frames[3] = { 0x400100, 0x400200 };
	uint64_t bytes[3] = { 0 };
	size_t i;

	self->merge.has_timeline = true;
	name(self, 10, "splits", true);
	for (i = 0; i < 2; i++) {
		frames[2] = 0x400300 + i * 0x100;
		alloc(self, 10, 0x10000 * (i + 1), 20000 * (i + 1), frames, 3);
	}
	for (i = 0; i < 20; i++) {
		frames[2] = 0x500000 + i * 0x100;
		alloc(self, 10, 0x100000 + i * 0x1000, 50, frames, 3);
	}
	ASSERT_EQ(0, mp_merge_flush(&self->merge));
	ASSERT_EQ(0, mp_merge_timeline_end(&self->merge, self->time_ns + 1));
	point = &timeline->live.points[timeline->live.nr - 1];
	ASSERT_EQ(61000, point->total);
	ASSERT_EQ(4, point->nr);
	for (i = 0; i < point->nr; i++) {
		const struct mp_timeline_owner *owner =
			&timeline->owners[point->shares[i].owner];

		bytes[owner->pid ? 0 : owner->frames ? 1 : 2] += point->shares[i].bytes;
	}
	EXPECT_EQ(61000, bytes[0]);
	EXPECT_EQ(60000, bytes[1]);
	EXPECT_EQ(1000, bytes[2]);
}

TEST_HARNESS_MAIN
