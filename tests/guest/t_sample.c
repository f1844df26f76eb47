// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampled sessions: what the samples stand for is right on average, for each size.
 */
#include "allocator.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "kselftest_harness.h"
#include "session.h"
#include "allocator-fixture.h"

#define TEST_TIMEOUT 480

TEST_F_TIMEOUT(alloc, samples_are_unbiased_for_every_size, TEST_TIMEOUT)
{
	static const long sizes[] = { 16, 1000, 30000, 65536, 300000, 64 * MIB };
	const double rate = 65536;
	struct memprof_alloc a;
	unsigned int i;
	long j;

	ASSERT_EQ(0, allocator_start(self->fd, rate, 1 << 20, 0, 0));
	for (i = 0; i < 6; i++) {
		/* about 300 samples, if the number of calls allows it */
		long n = 300 * (1 + rate / sizes[i]);
		double p = 1 - exp(-sizes[i] / rate), sigma;

		n = n > 60000 ? 60000 : n;
		ASSERT_EQ(0, session_snapshot(self->fd, MEMPROF_SNAPSHOT_RESET));
		for (j = 0; j < n; j++)
			my_malloc(sizes[i]);
		LOOK(a);
		sigma = sqrt(n * (1 - p) / p) + 1;
		EXPECT_LE(n - 5 * sigma, a.alloc_objects)
			TH_LOG("%ld of %ld bytes: %llu", n, sizes[i],
			       a.alloc_objects);
		EXPECT_GE(n + 5 * sigma, a.alloc_objects)
			TH_LOG("%ld of %ld bytes: %llu", n, sizes[i],
			       a.alloc_objects);
		EXPECT_LE((n - 5 * sigma) * sizes[i] * .999, a.alloc_space);
		EXPECT_GE((n + 5 * sigma) * sizes[i] * 1.001, a.alloc_space);
		/* each estimate is within 1e-3 of the formula for the weight */
		EXPECT_LE(a.samples / p * .999 - 1, a.alloc_objects);
		EXPECT_GE(a.samples / p * 1.001 + 1, a.alloc_objects);
	}
}

/* Sizes, each with a rate and a number of calls that give about 1000 samples per run. */
static const struct {
	long size, rate, n;
} runs[] = {
	{ 16, 1024, 60000 }, { 1000, 16384, 20000 }, { 30000, 65536, 2000 },
	{ 65536, 65536, 1000 }, { 300000, 65536, 500 }, { 64 * MIB, 65536, 50 },
};

TEST_F_TIMEOUT(alloc, mean_of_30_runs_is_within_3_percent_per_callsite,
	       TEST_TIMEOUT)
{
	struct memprof_site site;
	unsigned int i;
	long j;

	if (getenv("TEST_SLOW_KERNEL"))
		SKIP(return, "two million calls take too long in this kernel");
	close(self->fd);
	/* the first one has most of the calls */
	for (i = getenv("SAMPLE_ALL") ? 0 : 1; i < sizeof(runs) / sizeof(runs[0]); i++) {
		double truth = (double)runs[i].n * runs[i].size, mean = 0;
		int run;

		for (run = 0; run < 30; run++) {
			self->fd = session_open();
			ASSERT_EQ(0, session_target_pid(self->fd, getpid(), 0));
			ASSERT_EQ(0, allocator_probe(self->fd));
			ASSERT_EQ(0, allocator_start(self->fd, runs[i].rate, 0, 0, 0));
			for (j = 0; j < runs[i].n; j++)
				caller_a(runs[i].size);
			ASSERT_EQ(0, session_snapshot(self->fd, 0));
			ASSERT_EQ(0, session_site_in(self->fd, caller_a, &site));
			mean += site.alloc.inuse_space / 30.;
			close(self->fd);
		}
		TH_LOG("%ld bytes: %.2f %% off", runs[i].size,
		       100 * (mean / truth - 1));
		EXPECT_LT(.97 * truth, mean);
		EXPECT_GT(1.03 * truth, mean);
	}
	self->fd = session_open();
}

TEST_HARNESS_MAIN
