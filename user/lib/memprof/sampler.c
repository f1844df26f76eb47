// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bytes pass by; after an exponentially distributed number of them the allocation
 * that holds the byte is sampled. One of n bytes is sampled with probability
 * p = 1 - exp(-n / rate), whatever came before it, and counts for n / p bytes and
 * 1 / p objects: unbiased for every size.
 *
 * Cost: a subtraction per allocation, which is not here but in the hooks; 40 ns
 * per sample.
 */
#include "sampler.h"

#include "exponential.h"

#include <time.h>

#define U_MIN 1e-10

static uint64_t split_mix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * mp_sampler_seed() - begin a thread's sequence of random numbers
 * @thread: state
 * @seed: the same one begins the same sequence
 */
void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed)
{
	thread->prng_state[0] = split_mix(&seed);
	/* both zero would stay zero */
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

/* Different for each thread, each process, and each fork of one. */
static void seed_from_time(MemProfThreadState *thread)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	mp_sampler_seed(thread, ts.tv_sec * 1000000000ULL + ts.tv_nsec +
			((uintptr_t)thread << 20));
}

/* -mean ln(u); rounded up, so that one of n bytes is sampled with exactly p. */
static int64_t draw(MemProfThreadState *thread, uint64_t mean)
{
	double u = (next_random(thread) >> 11) * 0x1p-53, bytes;

	if (u < U_MIN)
		u = U_MIN;
	if (u > 1 - U_MIN)
		u = 1 - U_MIN;
	bytes = -mp_ln(u) * (double)mean;
	if (bytes >= (double)MEMPROF_MAX_THRESHOLD)
		return MEMPROF_MAX_THRESHOLD;
	return (int64_t)bytes + 1;
}

/* The mean that is used for @rate. */
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

/* Arms the countdown anew. */
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate)
{
	if (!thread->initialized)
		seed_from_time(thread);
	thread->rate = mp_sampler_rate_valid(rate);
	thread->byte_counter = draw(thread, thread->rate);
}

/**
 * mp_sampler_decide() - does the countdown end in this allocation?
 * @thread: its byte_counter has been counted down by @size already
 * @rate: for the next countdown
 * @size: bytes
 *
 * A thread's first countdown begins here. Return: whether it is sampled; then the
 * next countdown has begun, and the rate that this one was drawn with is lost
 * where @rate is another one.
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
		/* a signal's handler has drawn the next one */
		return false;
	}
	mp_sampler_draw(thread, rate);
	return true;
}

/**
 * mp_sampler_weight_bytes() - what a sampled block stands for
 * @rate: mean bytes between samples
 * @size: of the block; 0 stands for none
 */
uint64_t mp_sampler_weight_bytes(uint64_t rate, uint64_t size)
{
	double n = (double)size, bytes;

	if (!size)
		return 0;
	bytes = n / mp_one_minus_exp(n / (double)rate);
	/* a block that is larger than this is sampled for sure */
	return bytes < 0x1p62 ? (uint64_t)(bytes + 0.5) : size;
}

/* In MP_ONE_OBJECT. */
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size)
{
	return size ? (uint64_t)((double)weight_bytes / (double)size *
				 MP_ONE_OBJECT + 0.5) : 0;
}
