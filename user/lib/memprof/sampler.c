// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sampler.c: chooses the allocations to sample, and computes their weights.
 *
 * The distance between samples, in bytes, has an exponential distribution. The
 * allocation that contains the chosen byte is sampled. So an allocation of n bytes
 * is sampled with the probability p = 1 - exp(-n / rate), independent of
 * earlier allocations. A sample counts for n / p bytes and 1 / p objects, which is
 * unbiased for every size. Bytes are rounded up or down at random, so that their
 * mean is exact. At rate 1 each call is sampled and counts for itself only.
 *
 * Cost: a subtraction per allocation, in the hooks, and 40 ns per sample.
 */
#include "sampler.h"

#include "drop-counter.h"
#include "exponential.h"
#include "fork-watch.h"
#include "region-file.h"
#include "sample-clock.h"
#include "sample-pace.h"

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
 * @thread: state of the thread
 * @seed: any number; equal seeds start equal sequences
 */
void mp_sampler_seed(MemProfThreadState *thread, uint64_t seed)
{
	thread->prng_state[0] = split_mix(&seed);
	/* not 0: a state of two zeros would always give zeros */
	thread->prng_state[1] = split_mix(&seed) | 1;
	thread->initialized = 1;
}

/* Returns the next random number, by xorshift128+. */
static uint64_t next_random(MemProfThreadState *thread)
{
	uint64_t a = thread->prng_state[0], b = thread->prng_state[1];

	thread->prng_state[0] = b;
	a ^= a << 23;
	thread->prng_state[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
	return thread->prng_state[1] + b;
}

/*
 * Makes a different seed for each thread, each process and each fork. The
 * coarse clock alone is not enough. The counter makes the seeds of threads
 * different whose state is at the same address. The region makes the seeds of a
 * child and its parent different.
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

/* Returns a random number from 0 up to, but not including, 1. */
static double random_fraction(MemProfThreadState *thread)
{
	return (next_random(thread) >> 11) * 0x1p-53;
}

/*
 * Draws a distance to the next sample: -mean ln(u). It is rounded up, so that an
 * allocation of n bytes is sampled with exactly the probability p.
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

/* Returns the rate to use; for 0 the default rate. */
uint64_t mp_sampler_rate_valid(uint64_t rate)
{
	return rate ? rate : MEMPROF_DEFAULT_SAMPLING_RATE;
}

int64_t next_sample_threshold(uint64_t mean_bytes)
{
	MemProfThreadState *t = mp_thread_find();

	if (!t)
		return (int64_t)mp_sampler_rate_valid(mean_bytes);
	if (!t->initialized)
		seed_from_time(t);
	return draw(t, mp_sampler_rate_valid(mean_bytes));
}

/* Counts an allocation of a thread that has no state. Returns false. */
bool mp_sampler_not_followed(void)
{
	if (mp_region && mp_process_ours())
		mp_drop_count(MP_COUNT_thread_table_full_drops);
	return false;
}

/* Starts a new countdown. A countdown of 0 ends in the next call, also of 0 bytes. */
void mp_sampler_draw(MemProfThreadState *thread, uint64_t rate)
{
	if (!thread->initialized)
		seed_from_time(thread);
	thread->rate = mp_sampler_rate_valid(rate);
	thread->byte_counter = thread->rate == 1 ? 0 : draw(thread, thread->rate);
}

/*
 * A countdown of @ended bytes has ended in a block of @size bytes. Whether one of @distance
 * bytes, which is longer, would have: by the quotient of the two chances.
 */
static bool would_end(MemProfThreadState *thread, uint64_t ended, uint64_t distance,
		       size_t size)
{
	const double n = (double)size / (double)ended;
	double u;

	if (distance == ended || !size)
		return true;
	/* the quotient is at least ended / distance, so this random number is a multiple of that */
	u = random_fraction(thread) * (double)distance / (double)ended;
	/* and at most 1 / (1 - n / 2) times as much: few small blocks need exp() */
	if (u < 1 || (n < 1 && u * (1 - n / 2) >= 1))
		return u < 1;
	return u * mp_one_minus_exp(n) * (double)ended <
	       mp_one_minus_exp(n * (double)ended / (double)distance) * (double)distance;
}

/**
 * mp_sampler_next() - a countdown has ended: decide whether its block is sampled
 * @thread: state of the thread, whose next countdown is started
 * @rate: mean bytes between samples that was asked for
 * @size: bytes of the block
 * @site: who allocates it
 * @now_ns: a time that does not go back
 *
 * Return: as mp_sampler_decide().
 */
uint64_t mp_sampler_next(MemProfThreadState *thread, uint64_t rate, size_t size,
			 struct mp_pace_site *site, uint64_t now_ns)
{
	const uint64_t ended = thread->rate;
	uint64_t distance = mp_pace_distance(thread, site, rate);
	bool is_sampled;

	/* the countdown may be of a time when all distances were longer */
	if (distance < ended)
		distance = ended;
	is_sampled = would_end(thread, ended, distance, size);
	if (rate != 1)
		mp_pace_note(thread, site, is_sampled, now_ns);
	mp_sampler_draw(thread, mp_pace_countdown(thread, rate));
	return is_sampled ? distance : 0;
}

/**
 * mp_sampler_decide() - decide whether an allocation is sampled
 * @thread: state of the thread; byte_counter was already reduced by @size
 * @rate: mean bytes between samples that was asked for
 * @size: bytes of the allocation
 * @regs: registers of the allocator's caller
 *
 * The first countdown of a thread starts here. If a countdown has ended, the next one is
 * started.
 *
 * Return: mean bytes between samples like this one, by which it is weighed; 0 if the
 * allocation is not sampled.
 */
uint64_t mp_sampler_decide(MemProfThreadState *thread, uint64_t rate, size_t size,
			   const struct mp_registers *regs)
{
	if (!thread->rate) {
		mp_sampler_draw(thread, rate);
		if (size < (uint64_t)thread->byte_counter) {
			thread->byte_counter -= (int64_t)size;
			return 0;
		}
	} else if (thread->byte_counter > 0) {
		/*
		 * a signal handler has ended this countdown and drawn the next
		 * one
		 */
		return 0;
	}
	return mp_sampler_next(thread, rate, size,
			       mp_pace_site(thread, regs->pc, regs->sp, size),
			       mp_clock_coarse_ns());
}

/**
 * mp_sampler_weight_bytes() - the bytes that a sampled block stands for
 * @thread: state of the thread, for a random number
 * @rate: mean bytes between samples
 * @size: bytes of the block; a block of 0 bytes stands for 0 bytes
 */
uint64_t mp_sampler_weight_bytes(MemProfThreadState *thread, uint64_t rate,
				 uint64_t size)
{
	double n = (double)size, bytes;

	if (!size || rate == 1)
		return size;
	bytes = n / mp_one_minus_exp(n / (double)rate);
	/*
	 * such a large block is always sampled, so it counts for its own size
	 * only
	 */
	return bytes < 0x1p62 ? (uint64_t)(bytes + random_fraction(thread)) :
				size;
}

/* Returns a number of objects in units of 1 / MP_ONE_OBJECT; 1 for blocks of 0 bytes. */
uint64_t mp_sampler_weight_objects(uint64_t weight_bytes, uint64_t size)
{
	return size ? (uint64_t)((double)weight_bytes / (double)size *
				 MP_ONE_OBJECT + 0.5) : MP_ONE_OBJECT;
}
