// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampler.c: chooses the allocations to sample, and computes their weights.
 *
 * The distance between samples, in bytes, has an exponential distribution. The
 * allocation that contains the chosen byte is sampled. An allocation of n bytes
 * is sampled with the probability p = 1 - exp(-n / rate), independent of
 * earlier ones. It counts for n / p bytes and 1 / p objects: unbiased for every
 * size. Bytes are whole numbers: they are rounded up or down at random, so that
 * their mean is exact. At rate 1 each call counts once, as it is.
 *
 * Cost: a subtraction per allocation, which is in the hooks; 40 ns per sample.
 */
#include "sampler.h"

#include "exponential.h"
#include "region-file.h"
#include "sample-clock.h"

#define U_MIN 1e-10

static uint64_t split_mix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * mp_sampler_seed() - start a thread's sequence of random numbers
 * @thread: state
 * @seed: an equal seed starts an equal sequence
 */
void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed)
{
	thread->prng_state[0] = split_mix(&seed);
	/* a state of two zeros would stay zero */
	thread->prng_state[1] = split_mix(&seed) | 1;
	thread->initialized = 1;
}

/* xorshift128+ */
static uint64_t next_random(MemProfThreadState *thread)
{
	uint64_t a = thread->prng_state[0], b = thread->prng_state[1];

	thread->prng_state[0] = b;
	a ^= a << 23;
	thread->prng_state[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
	return thread->prng_state[1] + b;
}

/*
 * A different seed for each thread, each process and each fork. The clock is
 * coarse: threads that have the same memory one after the other differ by the
 * counter, and forks by their region.
 */
static void seed_from_time(MemProfThreadState *thread)
{
	static uint64_t nr_seeds;
	uint64_t seed = mp_clock_coarse_ns() + ((uintptr_t)thread << 20);

	seed += __atomic_add_fetch(&nr_seeds, 1, __ATOMIC_RELAXED) << 44;
	if (mp_region)
		seed ^= (mp_region->start_ns << 8) + mp_region->pid;
	mp_sampler_seed(thread, split_mix(&seed));
}

/* From 0 to 1, without 1. */
static double random_fraction(MemProfThreadState *thread)
{
	return (next_random(thread) >> 11) * 0x1p-53;
}

/*
 * -mean ln(u), rounded up, so that an allocation of n bytes is sampled with
 * exactly p.
 */
static int64_t draw(MemProfThreadState *thread, uint64_t mean)
{
	double u = random_fraction(thread), bytes;

	if (u < U_MIN)
		u = U_MIN;
	if (u > 1 - U_MIN)
		u = 1 - U_MIN;
	bytes = -mp_ln(u) * (double)mean;
	if (bytes >= (double)MEMPROF_MAX_THRESHOLD)
		return MEMPROF_MAX_THRESHOLD;
	return (int64_t)bytes + 1;
}

/* The mean that the sampler uses for @rate. */
uint64_t mp_sampler_rate_valid(uint64_t rate)
{
	return rate ? rate : MEMPROF_DEFAULT_SAMPLING_RATE;
}

int64_t next_sample_threshold(uint64_t mean_bytes)
{
	if (!memprof_thread.initialized)
		seed_from_time(&memprof_thread);
	return draw(&memprof_thread, mp_sampler_rate_valid(mean_bytes));
}

/* Starts a new countdown. One from 0 ends in every call, also of 0 bytes. */
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate)
{
	if (!thread->initialized)
		seed_from_time(thread);
	thread->rate = mp_sampler_rate_valid(rate);
	thread->byte_counter = thread->rate == 1 ? 0 : draw(thread, thread->rate);
}

/**
 * mp_sampler_decide() - does the countdown end in this allocation?
 * @thread: its byte_counter has already been reduced by @size
 * @rate: for the next countdown
 * @size: bytes
 *
 * The first countdown of a thread starts here. Return: whether the allocation
 * is sampled. Then the next countdown has started, and the rate of the last one
 * is overwritten by @rate.
 */
bool mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size)
{
	if (!thread->rate) {
		mp_sampler_draw(thread, rate);
		if (size < (uint64_t)thread->byte_counter) {
			thread->byte_counter -= (int64_t)size;
			return false;
		}
	} else if (thread->byte_counter > 0) {
		/* a signal handler has drawn the next countdown */
		return false;
	}
	mp_sampler_draw(thread, rate);
	return true;
}

/**
 * mp_sampler_weight_bytes() - the bytes that a sampled block stands for
 * @thread: for a random number
 * @rate: mean bytes between samples
 * @size: of the block; 0 stands for 0 bytes
 */
uint64_t mp_sampler_weight_bytes(MemProfThreadState *thread, uint64_t rate,
				 uint64_t size)
{
	double n = (double)size, bytes;

	if (!size || rate == 1)
		return size;
	bytes = n / mp_one_minus_exp(n / (double)rate);
	/* a larger block is always sampled */
	return bytes < 0x1p62 ? (uint64_t)(bytes + random_fraction(thread)) :
				size;
}

/* In MP_ONE_OBJECT. Blocks of 0 bytes are sampled at rate 1 only. */
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size)
{
	return size ? (uint64_t)((double)weight_bytes / (double)size *
				 MP_ONE_OBJECT + 0.5) : MP_ONE_OBJECT;
}
