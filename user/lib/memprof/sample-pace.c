// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sample-pace.c: takes fewer samples in a thread that allocates fast.
 *
 * A sample costs 2 us where it is traced, and its free does, too. A thread that allocates
 * 1 GB/s would pay for 2,000 of each a second, and would tell little more by them than by
 * 200. So the distance between its samples is doubled until it takes no more than the pace,
 * and halved when it takes less than half of it. A sample counts for more bytes then, by the
 * distance that it was drawn with. The distance to the next one depends on samples that were
 * taken before, but not on what comes, so estimates are unbiased.
 *
 * Cost: 5 ns per sample, for the time.
 */
#include "sample-pace.h"

#include <memprof/attach.h>

/*
 * Samples after which a thread is too fast, if they took less time than the pace allows. A
 * short program has them all.
 */
#define WINDOW	100

#define SECOND	1000000000ULL

static unsigned int pace;

/**
 * mp_pace_set() - say how many samples a thread may take
 * @samples: samples a second; 0: any number
 */
void mp_pace_set(unsigned int samples)
{
	pace = samples;
}

/** mp_pace_now() - get the distance that a thread has reached, which asks for @rate */
uint64_t mp_pace_now(const MemProfThreadState *thread, uint64_t rate)
{
	return pace && rate != 1 ? rate << thread->pace_shift : rate;
}

static void begin_window(MemProfThreadState *thread, uint64_t now_ns)
{
	thread->window_ns = now_ns;
	thread->window_samples = 0;
}

/**
 * mp_pace_rate() - get the distance to draw after a sample
 * @thread: state of the thread, which took a sample
 * @rate: mean bytes between samples that was asked for
 * @now_ns: a time that does not go back
 *
 * Return: @rate, or up to MEMPROF_PACE_FACTOR times as much. A burst begins with WINDOW
 * samples at @rate.
 */
uint64_t mp_pace_rate(MemProfThreadState *thread, uint64_t rate, uint64_t now_ns)
{
	const uint64_t least = WINDOW * SECOND / (pace ? pace : 1);
	uint64_t passed = now_ns - thread->window_ns, samples;

	if (!pace || rate == 1)
		return rate;
	samples = ++thread->window_samples;
	if (passed < least && samples >= WINDOW) {
		if (1 << thread->pace_shift < MEMPROF_PACE_FACTOR)
			thread->pace_shift++;
		begin_window(thread, now_ns);
	} else if (passed >= least) {
		for (; thread->pace_shift && 2 * samples * least <= WINDOW * passed; passed /= 2)
			thread->pace_shift--;
		begin_window(thread, now_ns);
	}
	return mp_pace_now(thread, rate);
}
