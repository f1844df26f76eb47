// SPDX-License-Identifier: GPL-2.0-only
/* Tests that the estimates of the sampler are unbiased and accurate. */
#include "exponential.h"
#include "memprof_internal.h"
#include "sample-pace.h"
#include "sampler.h"

#include <math.h>
#include <stdint.h>

#include "kselftest_harness.h"

#define RUNS 30

static const struct mp_registers nobody;

TEST(logarithm_and_exponential_are_libms)
{
	double x;

	for (x = 1e-12; x < 1e12; x *= 1.37)
		ASSERT_GT(1e-11, fabs(mp_ln(x) - log(x)));
	for (x = 1e-9; x < 100; x *= 1.11)
		ASSERT_GT(1e-11, fabs(mp_one_minus_exp(x) / -expm1(-x) - 1));
	EXPECT_EQ(0, mp_one_minus_exp(0));
}

TEST(thresholds_are_positive_and_bounded)
{
	static const uint64_t means[] = { 0, 1, 2, 4096, 1 << 19, 1ULL << 40,
					  UINT64_MAX };
	int64_t threshold;
	int i, n;

	for (i = 0; i < 7; i++)
		for (n = 0; n < 10000; n++) {
			threshold = next_sample_threshold(means[i]);
			ASSERT_LE(1, threshold);
			ASSERT_GE(1LL << 40, threshold);
		}
}

TEST(the_mean_threshold_is_the_rate)
{
	double sum = 0;
	int n;

	mp_sampler_seed(mp_thread_find(), 1);
	for (n = 0; n < 400000; n++)
		sum += next_sample_threshold(0);
	EXPECT_GT(0.01, fabs(sum / n / (512 * 1024) - 1));
}

TEST(a_weight_is_the_inverse_of_the_chance)
{
	MemProfThreadState t = { 0 };
	uint64_t weight;

	mp_sampler_seed(&t, 1);
	EXPECT_EQ(0, mp_sampler_weight_bytes(&t, 524288, 0));
	/* rate + size / 2, and a little more */
	EXPECT_EQ(524292, mp_sampler_weight_bytes(&t, 524288, 8));
	/* 829411.4 */
	weight = mp_sampler_weight_bytes(&t, 524288, 524288);
	EXPECT_LE(829411, weight);
	EXPECT_GE(829412, weight);
	EXPECT_EQ(1 << 30, mp_sampler_weight_bytes(&t, 524288, 1 << 30));
	EXPECT_EQ(65536 * MP_ONE_OBJECT,
		  mp_sampler_weight_objects(524288, 8));
	EXPECT_EQ(MP_ONE_OBJECT, mp_sampler_weight_objects(1 << 30, 1 << 30));
}

/* Estimates bytes and objects of @nr allocations of @size, relative to the true values. */
static void estimate(uint64_t seed, uint64_t rate, uint64_t size, uint64_t nr,
		     double *bytes, double *objects)
{
	MemProfThreadState thread = { 0 };
	uint64_t i, weight;

	mp_sampler_seed(&thread, seed);
	*bytes = *objects = 0;
	for (i = 0; i < nr; i++) {
		if (thread.rate)
			thread.byte_counter -= size;
		if (thread.rate && thread.byte_counter > 0)
			continue;
		if (!mp_sampler_decide(&thread, rate, size, &nobody))
			continue;
		weight = mp_sampler_weight_bytes(&thread, rate, size);
		*bytes += weight;
		*objects += mp_sampler_weight_objects(weight, size) / 65536.0;
	}
	*bytes /= (double)size * nr;
	*objects /= nr;
}

/* A byte counts for 2.54 bytes. Rounding to the nearest number would make it 3. */
TEST(the_smallest_blocks_are_unbiased_at_small_rates)
{
	static const uint64_t rates[] = { 2, 3, 5, 8, 16, 64 };
	double bytes, objects;
	unsigned int i;
	uint64_t size;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		for (size = 1; size <= 8; size++) {
			estimate(size, rates[i], size,
				 100000 * (rates[i] / size + 1), &bytes, &objects);
			EXPECT_GT(0.01, fabs(bytes - 1)) {
				TH_LOG("%lu bytes at %lu: %f", size, rates[i],
				       bytes);
			}
			EXPECT_GT(0.01, fabs(objects - 1));
		}
}

/* This includes calls with 0 bytes, and with sizes that cannot be allocated. */
TEST(at_rate_1_each_call_counts_once)
{
	static const uint64_t sizes[] = { 0, 1, 2, 7, 8, 4096, 1ULL << 40,
					  1ULL << 63, UINT64_MAX };
	MemProfThreadState *t = mp_thread_find();
	unsigned int i, n;
	uint64_t weight;

	*t = (MemProfThreadState){ 0 };
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (n = 0; n < 1000; n++) {
			ASSERT_TRUE(mp_sampler_counts_down(sizes[i]));
			ASSERT_TRUE(mp_sampler_ended(sizes[i]));
			ASSERT_TRUE(mp_sampler_decide(t, 1, sizes[i], &nobody));
			weight = mp_sampler_weight_bytes(t, 1, sizes[i]);
			ASSERT_EQ(sizes[i], weight);
			ASSERT_EQ(MP_ONE_OBJECT,
				  mp_sampler_weight_objects(weight, sizes[i]));
		}
}

TEST(estimates_are_unbiased_from_8_bytes_to_1_gib)
{
	double bytes, objects, sum, sum_objects;
	uint64_t size, rate, nr;
	int run;

	for (size = 8; size <= 1 << 30; size *= 3) {
		/* small ones at a smaller rate: it is their ratio that counts */
		rate = size < 4096 ? 8192 : MEMPROF_DEFAULT_SAMPLING_RATE;
		nr = 1000 * rate / size + 300;
		sum = sum_objects = 0;
		for (run = 0; run < RUNS; run++) {
			estimate(run, rate, size, nr, &bytes, &objects);
			sum += bytes;
			sum_objects += objects;
		}
		EXPECT_GT(0.03, fabs(sum / RUNS - 1)) {
			TH_LOG("%lu bytes: %f", size, sum / RUNS);
		}
		EXPECT_GT(0.03, fabs(sum_objects / RUNS - 1));
	}
}

/* After an allocation of any size, the counter of the thread must be valid. */
TEST(any_size_ends_a_countdown_or_shortens_it)
{
	static const uint64_t sizes[] = { 0, 1, 499, 500, 501, 1ULL << 62,
		INT64_MAX, 1ULL << 63, 3ULL << 62, UINT64_MAX - 500, UINT64_MAX };
	MemProfThreadState *t = mp_thread_find();
	unsigned int i;
	bool ends;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		mp_sampler_draw(t, 4096);
		t->byte_counter = 500;
		ends = mp_sampler_counts_down(sizes[i]);
		EXPECT_EQ(sizes[i] >= 500, ends);
		EXPECT_EQ(ends, mp_sampler_ended(sizes[i]));
		EXPECT_EQ(ends ? 0 : 500 - (int64_t)sizes[i], t->byte_counter);
		EXPECT_EQ(ends, mp_sampler_decide(t, 4096, sizes[i], &nobody) != 0);
		EXPECT_LT(0, t->byte_counter);
		EXPECT_GE(MEMPROF_MAX_THRESHOLD, t->byte_counter);
	}
	/* a thread's first one */
	t->rate = 0;
	t->byte_counter = 0;
	EXPECT_TRUE(mp_sampler_counts_down(0));
	EXPECT_TRUE(mp_sampler_ended(0));
	EXPECT_TRUE(mp_sampler_decide(t, 4096, UINT64_MAX, &nobody));
	EXPECT_LT(0, t->byte_counter);
}

/* The sizes vary as in real programs. A run has about 1,000 samples. */
TEST(a_run_with_1000_samples_is_within_a_fifth)
{
	uint64_t i, size, seed, weight;
	double truth, sum;
	int run, outside = 0;

	for (run = 0; run < RUNS; run++) {
		MemProfThreadState thread = { 0 };

		mp_sampler_seed(&thread, run + 100);
		mp_sampler_draw(&thread, 4096);
		seed = run + 1;
		truth = sum = 0;
		for (i = 0; i < 100000; i++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			size = 8 + (seed >> 56 << (seed >> 40 & 3)) / 8;
			truth += size;
			thread.byte_counter -= size;
			if (thread.byte_counter > 0 ||
			    !mp_sampler_decide(&thread, 4096, size, &nobody))
				continue;
			weight = mp_sampler_weight_bytes(&thread, 4096, size);
			sum += weight;
		}
		outside += fabs(sum / truth - 1) > 0.2;
	}
	EXPECT_GE(1, outside);
}

/* What a site did in a phase */
struct phase {
	double truth, sum;
	unsigned int samples;
	uint64_t last_rate;
};

#define RATE 524288

/* Allocates @size bytes in the name of @site, and adds them to the phase. */
static void allocate_one(MemProfThreadState *t, struct phase *phase, uint64_t now_ns,
			 uint64_t size, uintptr_t site)
{
	uint64_t distance;

	phase->truth += (double)size;
	t->byte_counter -= (int64_t)size;
	if (t->byte_counter > 0)
		return;
	t->byte_counter = 0;
	distance = mp_sampler_next(t, RATE, size, mp_pace_site(t, site, 0, size), now_ns);
	if (!distance)
		return;
	phase->sum += (double)mp_sampler_weight_bytes(t, distance, size);
	phase->samples++;
	phase->last_rate = distance;
}

/* Allocates blocks for @seconds, of @size bytes and every @step_ns, by @nr sites. */
static struct phase allocate(MemProfThreadState *t, uint64_t *now_ns, double seconds,
			     uint64_t size, uint64_t step_ns, unsigned int nr)
{
	const uint64_t end_ns = *now_ns + (uint64_t)(seconds * 1e9);
	struct phase phase = { 0 };
	uint64_t i;

	for (i = 0; *now_ns < end_ns; *now_ns += step_ns, i++)
		allocate_one(t, &phase, *now_ns, size, i % nr + 1);
	return phase;
}

static void begin(MemProfThreadState *t, uint64_t seed)
{
	*t = (MemProfThreadState){ 0 };
	mp_sampler_seed(t, seed);
	mp_sampler_draw(t, RATE);
}

/* 1 GB/s would be 2,000 samples a second. By one site, or by so many that none has most. */
static void keep_the_pace(struct __test_metadata *_metadata, unsigned int sites)
{
	double sum = 0, truth = 0, after = 0, after_truth = 0;
	MemProfThreadState t;
	struct phase phase;
	uint64_t now_ns;
	int run;

	mp_pace_set(200);
	for (run = 0; run < RUNS; run++) {
		now_ns = 1000000000;
		begin(&t, run + 1);
		phase = allocate(&t, &now_ns, 5, 4096, 4096, sites);
		sum += phase.sum;
		truth += phase.truth;
		EXPECT_LE(5 * 90, phase.samples);
		EXPECT_GE(5 * 220 + 400, phase.samples);
		EXPECT_LE(RATE * 4, phase.last_rate);
		/* 1 MB/s: the first samples of it bring the distance back */
		phase = allocate(&t, &now_ns, 60, 4096, 4096000, sites);
		EXPECT_EQ(RATE, phase.last_rate);
		after += phase.sum;
		after_truth += phase.truth;
	}
	/* of RUNS runs, 700 samples each: one in a hundred thousand is as far off */
	EXPECT_GT(4.5 / sqrt(RUNS * 700.0), fabs(sum / truth - 1)) {
		TH_LOG("%f", sum / truth);
	}
	EXPECT_GT(0.15, fabs(after / after_truth - 1)) {
		TH_LOG("%f", after / after_truth);
	}
	mp_pace_set(0);
}

TEST(a_site_that_allocates_fast_keeps_the_pace_and_is_unbiased)
{
	keep_the_pace(_metadata, 1);
}

TEST(many_sites_that_allocate_fast_keep_the_pace_and_are_unbiased)
{
	keep_the_pace(_metadata, 1000);
}

/*
 * A site churns 10 GB/s, another one of the same thread keeps 4 MB/s. Of the 80 samples of
 * the latter in ten seconds, most are there; with a distance of the thread it would be one.
 */
TEST(a_leak_beside_a_churn_keeps_its_samples)
{
	double sum = 0, truth = 0, churn_sum = 0, churn_truth = 0;
	MemProfThreadState t;
	struct phase leak, churn;
	uint64_t now_ns, i;
	int run;

	mp_pace_set(1000);
	for (run = 0; run < RUNS; run++) {
		leak = churn = (struct phase){ 0 };
		now_ns = 1000000000;
		begin(&t, run + 1);
		/* 64 KB every 6.4 us, and 1 KB every 256 us */
		for (i = 0; now_ns < 11000000000ULL; i++, now_ns += 6400) {
			allocate_one(&t, &churn, now_ns, 65536, 1);
			if (i % 40 == 0)
				allocate_one(&t, &leak, now_ns, 1024, 2);
		}
		EXPECT_LE(40, leak.samples);
		EXPECT_GE(RATE * 2, leak.last_rate);
		EXPECT_LE(RATE * 16, churn.last_rate);
		EXPECT_GE(20000, churn.samples);
		sum += leak.sum;
		truth += leak.truth;
		churn_sum += churn.sum;
		churn_truth += churn.truth;
	}
	/* of RUNS runs, 70 and 6,000 samples each */
	EXPECT_GT(4.5 / sqrt(RUNS * 40.0), fabs(sum / truth - 1)) {
		TH_LOG("%f", sum / truth);
	}
	EXPECT_GT(4.5 / sqrt(RUNS * 6000.0), fabs(churn_sum / churn_truth - 1)) {
		TH_LOG("%f", churn_sum / churn_truth);
	}
	mp_pace_set(0);
}

/* Of 256 places, two keys in 256 are the same. */
TEST(sites_differ_by_caller_stack_and_size)
{
	unsigned int kind, i, same;
	MemProfThreadState t;

	for (kind = 0; kind < 3; kind++) {
		same = 0;
		for (i = 0; i < 40; i++)
			same += mp_pace_site(&t, 0x401000, 0x7ffd12345670, 1) ==
				mp_pace_site(&t, 0x401000 + (kind == 0 ? i + 1 : 0) * 16,
					     0x7ffd12345670 + (kind == 1 ? i + 1 : 0) * 16,
					     kind == 2 ? 2ULL << i : 1);
		EXPECT_GE(5, same);
	}
}

/* Blocks that are larger than the distance are sampled each, and count for themselves. */
TEST(large_blocks_of_a_fast_site_count_once)
{
	MemProfThreadState t;
	struct phase phase;
	uint64_t now_ns = 1000000000;

	mp_pace_set(200);
	begin(&t, 1);
	allocate(&t, &now_ns, 5, 4096, 400, 1);
	phase = allocate(&t, &now_ns, 1, 1ULL << 32, 10000000, 1);
	EXPECT_EQ(100, phase.samples);
	EXPECT_EQ(phase.truth, phase.sum);
	mp_pace_set(0);
}

TEST(without_a_pace_the_distance_stays)
{
	struct mp_pace_site *site;
	MemProfThreadState t;
	int i;

	begin(&t, 1);
	site = mp_pace_site(&t, 1, 2, 3);
	for (i = 0; i < 1000; i++)
		mp_pace_note(&t, site, true, 1);
	EXPECT_EQ(RATE, mp_pace_distance(&t, site, RATE));
	EXPECT_EQ(RATE, mp_pace_countdown(&t, RATE));
	mp_pace_set(200);
	for (i = 0; i < 2000; i++)
		mp_pace_note(&t, site, true, 1);
	EXPECT_EQ(1, mp_pace_distance(&t, site, 1));
	EXPECT_EQ(RATE * 64, mp_pace_distance(&t, site, RATE));
	EXPECT_EQ(RATE, mp_pace_countdown(&t, RATE));
	mp_pace_set(0);
}

TEST_HARNESS_MAIN
