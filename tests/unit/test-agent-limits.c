// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-limits: what the agent does when it uses more than it may
 */
#include "agent-limits.h"
#include "kselftest_harness.h"

#define SECOND	1000000000ULL

FIXTURE(limits)
{
	struct mp_agent_limits limits;
	struct mp_agent_use use;
	uint64_t now;
};

FIXTURE_SETUP(limits)
{
	self->limits = (struct mp_agent_limits){
		.cpu = 100, .bytes = 100 << 20, .wait_ns = 3600 * SECOND,
	};
	self->now = 1000 * SECOND;
}

FIXTURE_TEARDOWN(limits) { }

/* A minute later; CPU time in thousandths of a CPU. */
static enum mp_agent_step minute(FIXTURE_DATA(limits) *self, uint64_t agent,
				 uint64_t collector, uint64_t bytes)
{
	self->now += 60 * SECOND;
	self->use.agent_ns += agent * 60 * SECOND / 1000;
	self->use.collector_ns += collector * 60 * SECOND / 1000;
	self->use.bytes = bytes;
	return mp_agent_limits_next(&self->limits, &self->use, self->now);
}

TEST_F(limits, within_them_nothing_changes)
{
	int i;

	for (i = 0; i < 10000; i++)
		ASSERT_EQ(MP_AGENT_SAME, minute(self, 49, 50, 99 << 20));
}

TEST_F(limits, one_busy_minute_is_none)
{
	int i;

	for (i = 0; i < 100; i++) {
		ASSERT_EQ(MP_AGENT_SAME, minute(self, 900, 0, 0));
		ASSERT_EQ(MP_AGENT_SAME, minute(self, 50, 0, 0));
	}
}

TEST_F(limits, the_larger_part_is_made_less)
{
	minute(self, 0, 0, 0);
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 80, 30, 0));
	EXPECT_EQ(MP_AGENT_LONGER, minute(self, 80, 30, 0));
	EXPECT_EQ(110, self->limits.used_cpu);
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 30, 80, 0));
	EXPECT_EQ(MP_AGENT_THINNER, minute(self, 30, 80, 0));
	EXPECT_EQ(1, self->limits.stretch);
	EXPECT_EQ(1, self->limits.thin);
}

TEST_F(limits, memory_counts_at_once_until_nothing_is_left)
{
	int i;

	for (i = 1; i <= MP_AGENT_MAX_THIN; i++) {
		EXPECT_EQ(MP_AGENT_THINNER, minute(self, 0, 0, 101 << 20));
		EXPECT_EQ(i, self->limits.thin);
	}
	EXPECT_EQ(MP_AGENT_AT_END, minute(self, 0, 0, 101 << 20));
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 0, 0, 101 << 20));
	EXPECT_EQ(0, self->limits.stretch);
}

TEST_F(limits, cpu_time_has_an_end_too)
{
	int i, nr = 0;

	for (i = 0; i < 100; i++)
		nr += minute(self, 0, 500, 0) != MP_AGENT_SAME;
	EXPECT_EQ(MP_AGENT_MAX_THIN + MP_AGENT_MAX_STRETCH + 1, nr);
	EXPECT_EQ(MP_AGENT_MAX_THIN, self->limits.thin);
	EXPECT_EQ(MP_AGENT_MAX_STRETCH, self->limits.stretch);
}

/* Minutes until a step is taken back. */
static int until_back(FIXTURE_DATA(limits) *self, enum mp_agent_step want)
{
	enum mp_agent_step step = MP_AGENT_SAME;
	int minutes;

	for (minutes = 0; minutes < 3000 && step == MP_AGENT_SAME; minutes++)
		step = minute(self, 1, 1, 1 << 20);
	return step == want ? minutes : -1;
}

TEST_F(limits, a_step_back_comes_after_an_hour_and_then_later)
{
	minute(self, 0, 0, 0);
	minute(self, 0, 200, 0);
	ASSERT_EQ(MP_AGENT_THINNER, minute(self, 0, 200, 0));
	EXPECT_EQ(61, until_back(self, MP_AGENT_THICKER));
	EXPECT_EQ(0, self->limits.thin);
	minute(self, 0, 200, 0);
	ASSERT_EQ(MP_AGENT_THINNER, minute(self, 0, 200, 0));
	EXPECT_EQ(121, until_back(self, MP_AGENT_THICKER));
	/* a quarter of the limit is not little */
	minute(self, 200, 0, 0);
	ASSERT_EQ(MP_AGENT_LONGER, minute(self, 200, 0, 0));
	minute(self, 13, 13, 0);
	EXPECT_EQ(241, until_back(self, MP_AGENT_SHORTER));
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 1, 1, 1 << 20));
}

TEST_F(limits, a_new_session_is_measured_anew)
{
	minute(self, 0, 0, 0);
	minute(self, 0, 200, 0);
	mp_agent_limits_restart(&self->limits);
	self->use.collector_ns = 0;
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 0, 200, 0));
	EXPECT_EQ(MP_AGENT_SAME, minute(self, 0, 200, 0));
	EXPECT_EQ(MP_AGENT_THINNER, minute(self, 0, 200, 0));
}

TEST_F(limits, samples_become_rarer)
{
	struct mp_record_options options;

	mp_record_options_init(&options);
	options.alloc = MP_ALLOC_ON;
	options.inject = true;
	options.start.alloc_rate = 65536;
	self->limits.thin = 2;
	mp_agent_limits_thin(&self->limits, &options);
	EXPECT_EQ(1600, options.start.minor_period);
	EXPECT_EQ(16 * 65536, options.start.alloc_rate);
	EXPECT_TRUE(options.start.flags & MEMPROF_START_GROWTH);
	EXPECT_EQ(100 << 17, options.dump_bytes);
	mp_record_options_init(&options);
	self->limits.thin = 3;
	options.alloc = MP_ALLOC_ON;
	options.start.alloc_rate = 1;
	mp_agent_limits_thin(&self->limits, &options);
	EXPECT_EQ(MP_ALLOC_OFF, options.alloc);
	EXPECT_FALSE(options.start.flags & MEMPROF_START_GROWTH);
	mp_record_options_init(&options);
	self->limits.thin = MP_AGENT_MAX_THIN;
	mp_agent_limits_thin(&self->limits, &options);
	EXPECT_EQ(MP_SOURCE_SMAPS, options.source);
	EXPECT_EQ(0, mp_agent_limits_thinning(&self->limits));
}

TEST_F(limits, the_interval_has_a_bound)
{
	static struct mp_agent_config config;

	config.interval_ms = 60000;
	self->limits.stretch = 3;
	EXPECT_EQ(480000, mp_agent_limits_interval_ms(&self->limits, &config));
	config.interval_ms = 80000000;
	EXPECT_EQ(86400000, mp_agent_limits_interval_ms(&self->limits, &config));
}

TEST_HARNESS_MAIN
