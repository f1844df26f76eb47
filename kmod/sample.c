// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples allocations by bytes, as a Poisson process. The distance between two
 * samples is an exponentially distributed number of bytes, and the allocation
 * that contains the byte at that distance is sampled. So an allocation of n bytes
 * is sampled with p = 1 - exp(-n / rate), whatever came before it. Counting it
 * 1/p times is unbiased for every size.
 *
 * Cost: a subtraction per allocation; a logarithm, an exponential and a random
 * number per sample. Fixed point, as the kernel has no floating point.
 */
#include "sample.h"
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/random.h>

#define LN2_Q32		2977044472ULL	/* ln 2 in units of 2^-32 */
#define SURE		22		/* 1 - exp(-22) is 1 in 2^-16 */

/* log2 of x > 0 in units of 2^-32. Each squaring gives one bit of the fraction. */
static u64 log2_q32(u64 x)
{
	int i, n = fls64(x) - 1;
	u64 y = x << (63 - n), result = (u64)n << 32;

	/* y is in [1, 2) in units of 2^-63 */
	for (i = 31; i >= 0; i--) {
		y = mul_u64_u64_shr(y, y, 64);
		if (y >> 63)		/* 2 or more */
			result |= 1ULL << i;
		else
			y <<= 1;
	}
	return result;
}

/*
 * Bytes to the next sample: -ln(u) x rate, for u uniform in (0, 1). The generator
 * is the CPU's own: get_random_u64() takes a lock that sleeps on PREEMPT_RT. The
 * choice of samples needs no secret.
 */
static s64 random_distance(struct rnd_state *random, u64 rate)
{
	u64 u = (u64)prandom_u32_state(random) << 32 |
		prandom_u32_state(random) | 1;
	/* -log2(u / 2^64), converted to -ln */
	u64 bits = (64ULL << 32) - log2_q32(u);
	u64 nats = mul_u64_u64_shr(bits, LN2_Q32, 32);

	return mul_u64_u64_shr(nats, rate, 32) + 1;
}

/**
 * memprof_sampler_alloc() - allocate the counters of a sampler
 * @s: zeroed
 * @rate: mean bytes between two samples, at most MEMPROF_MAX_RATE; 1: sample
 *	every allocation
 *
 * Return: 0 or -ENOMEM.
 */
int memprof_sampler_alloc(struct memprof_sampler *s, u64 rate)
{
	int cpu;

	s->rate = rate;
	s->cpus = alloc_percpu(struct memprof_sampler_cpu);
	if (!s->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct memprof_sampler_cpu *c = per_cpu_ptr(s->cpus, cpu);

		prandom_seed_state(&c->random, get_random_u64());
		c->left = random_distance(&c->random, rate);
	}
	return 0;
}

/**
 * memprof_sampler_free() - free a sampler
 * @s: sampler that nobody uses any more; may be zeroed
 */
void memprof_sampler_free(struct memprof_sampler *s)
{
	free_percpu(s->cpus);
	s->cpus = NULL;
}

/* A block of 0 bytes is sampled as a block of 1 byte. */
static u64 sampling_size(u64 size)
{
	return clamp_t(u64, size, 1, 1ULL << 62);
}

/**
 * memprof_sample() - is this allocation sampled?
 * @s: sampler
 * @size: bytes
 */
bool memprof_sample(struct memprof_sampler *s, u64 size)
{
	struct memprof_sampler_cpu *c;
	bool sampled;

	if (s->rate == 1)
		return true;
	c = get_cpu_ptr(s->cpus);
	c->left -= sampling_size(size);
	sampled = c->left <= 0;
	if (sampled)
		c->left = random_distance(&c->random, s->rate);
	put_cpu_ptr(s->cpus);
	return sampled;
}

/* exp(-x) in units of 2^-32, for x in units of 2^-16, 1 <= x < SURE. */
static u64 exp_minus_q32(u64 x)
{
	/* exp(-1)^(whole part of x), times the Taylor series of the rest */
	u64 e = 1ULL << 32, f = (x & 0xffff) << 16, term = 1ULL << 32;
	u64 even = 0, odd = 0;
	u32 i;

	for (i = x >> 16; i; i--)
		e = mul_u64_u64_shr(e, 1580030169ULL, 32);
	for (i = 1; i < 14; i++) {
		if (i & 1)
			even += term;
		else
			odd += term;
		term = div_u64(mul_u64_u64_shr(term, f, 32), i);
	}
	return mul_u64_u64_shr(e, even - odd, 32);
}

/**
 * memprof_sample_weight() - number of allocations that a sampled one stands for
 * @s: sampler
 * @size: bytes
 *
 * Return: 1 / (1 - exp(-size / rate)) in units of 2^-16, within 1e-4.
 */
u64 memprof_sample_weight(const struct memprof_sampler *s, u64 size)
{
	u64 x;

	size = sampling_size(size);
	if (s->rate == 1 || size / SURE >= s->rate)
		return MEMPROF_ONE;
	x = div64_u64(size << 16, s->rate);
	if (x >= MEMPROF_ONE)
		return div64_u64(1ULL << 48, (1ULL << 32) - exp_minus_q32(x));
	/* the Laurent series 1/x + 1/2 + x/12 - x^3/720 */
	return div64_u64(s->rate << 16, size) + MEMPROF_ONE / 2 +
	       div_u64(x, 12) - div_u64((x * x >> 16) * x >> 16, 720);
}
