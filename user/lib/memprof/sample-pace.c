// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sample-pace.c: takes fewer samples of who allocates fast.
 *
 * A sample costs 2 us where it is traced, and its free does, too. A thread that allocates
 * 1 GB/s would pay for 2,000 of each a second, and would tell little more by them than by
 * 200. So the distance between samples is doubled until the thread takes no more than the
 * pace, and halved when it takes less than half of it.
 *
 * The distance is that of a site: a caller, and the place of its frame, with a size. So a
 * leak is not hidden by a churn beside it: a site with more than an eighth of a thread's
 * samples is slowed first, and then those with more than a few. The countdown runs at the
 * distance of the thread, which is the shorter one. When it ends, the site is known, and the
 * block is sampled with the chance that it has at the site's distance, and weighed by that.
 * Both distances depend on what was sampled before, but not on what comes, so estimates are
 * unbiased.
 *
 * Where many sampled blocks live, more of them tell little, and cost memory and a search for
 * each free of a block near them. So the distance of all is doubled for each doubling of their
 * number, from CROWD on.
 *
 * The pace is for a thread. Where many threads are fast, they share PROCESS_PACE, so that a
 * program with many threads pays no more than one with a few.
 *
 * A short program would have a few hundred samples, which is too few to compare two runs of
 * it. So a process has three seconds' samples that no thread is slowed for, or a second's if the
 * pace is that of a whole machine.
 *
 * Cost: 5 ns per countdown, for the time, and 20 ns where the site has a distance of its
 * own. A countdown that ends without a sample costs 0.1 us.
 */
#include "sample-pace.h"

#include "heap-map.h"

#include <memprof/attach.h>

/* Samples after which a thread is too fast, if they took less time than the pace allows. */
#define WINDOW		100

/* Countdowns that end without a sample are cheaper, so there may be more of them. */
#define WINDOW_ENDS	(128 * WINDOW)

#define SITE_SHIFT	(64 - 8)

_Static_assert(MP_PACE_SITES == 1 << 8, "the hash of a site has eight bits");

/* Sites with more samples than FAIR in a window are slowed first, then those with more than FEW. */
#define FAIR		(WINDOW / 8)
#define FEW		(WINDOW / 50)

/* Living sampled blocks: of so many, the error of their sum is 1 %. */
#define CROWD		(1U << 15)

/* Samples of a site are counted up to that. */
#define MOST_SAMPLES	15

_Static_assert(FAIR < MOST_SAMPLES, "a site can have more than the fair number");

/* Log2 of how many times a distance grows for a thread and a site; lengthen() limits it, too. */
#define MAX_SHIFT	10

#define SECOND		1000000000ULL

/* A pace of so many samples is of processes that were chosen. */
#define CHOSEN		1000

/* Samples a second of all threads together, if that is more than the pace */
#define PROCESS_PACE	4000

/* Threads that are counted at most: with so many, a window takes a second at a pace of 2000 */
#define MOST_THREADS	(PROCESS_PACE / 100)

/* A thread with so many samples in a window is fast. */
#define FAST		(WINDOW / 4)

/* Of a time that counts as a second: a shift is cheaper than a division */
#define SECOND_SHIFT	30

static unsigned int pace;

/* Samples of the process that are left of those that slow nobody. */
static int credit;

/* Log2 of the factor of all distances, for the number of living blocks. Any thread sets it. */
static unsigned int crowd_shift;

/* Threads that were fast: of a second (upper 32 bits), and of the one before it (next 16). */
static uint64_t fast_threads;

/**
 * mp_pace_set() - say how many samples a thread may take
 * @samples: samples a second; 0: any number
 */
void mp_pace_set(unsigned int samples)
{
	pace = samples;
	__atomic_store_n(&credit, (int)(samples < CHOSEN ? samples : 3 * samples),
			 __ATOMIC_RELAXED);
}

static unsigned int larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* How many threads are fast now */
static unsigned int threads(uint64_t now_ns)
{
	const uint64_t word = __atomic_load_n(&fast_threads, __ATOMIC_RELAXED);
	const uint32_t second = now_ns >> SECOND_SHIFT, of = word >> 32;
	const uint16_t now = word, before = word >> 16;

	if (of == second)
		return larger(before, now);
	return of + 1 == second ? now : 0;
}

/* Counts a fast thread, once a second. One that loses a race is counted by its next window. */
static void count_thread(MemProfThreadState *thread, uint64_t now_ns)
{
	uint64_t word = __atomic_load_n(&fast_threads, __ATOMIC_RELAXED), next;
	const uint32_t second = now_ns >> SECOND_SHIFT, of = word >> 32;
	const uint16_t now = word;

	if (of == second && thread->pace_second == (uint16_t)second)
		return;
	if (of != second)
		next = (uint64_t)second << 32 | (of + 1 == second ? (uint64_t)now << 16 : 0) | 1;
	else
		next = word + (now < UINT16_MAX);
	if (__atomic_compare_exchange_n(&fast_threads, &word, next, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		thread->pace_second = (uint16_t)second;
}

/* The least time that a window of samples may take */
static uint64_t least_ns(uint64_t now_ns)
{
	const uint64_t alone = WINDOW * SECOND / (pace ? pace : 1);
	unsigned int nr = threads(now_ns);

	if (nr > MOST_THREADS)
		nr = MOST_THREADS;
	return (uint64_t)nr * pace > PROCESS_PACE ? alone * nr * pace / PROCESS_PACE : alone;
}

/* Whether a window of samples may be as fast as it was */
static bool take_credit(void)
{
	return __atomic_load_n(&credit, __ATOMIC_RELAXED) >= WINDOW &&
	       __atomic_sub_fetch(&credit, WINDOW, __ATOMIC_RELAXED) >= 0;
}

/**
 * mp_pace_site() - find the site of an allocation
 * @caller: address of the code that called the allocator
 * @stack: the caller's stack pointer, which tells callers of a wrapper apart
 * @size: bytes
 */
struct mp_pace_site *mp_pace_site(MemProfThreadState *thread, uintptr_t caller, uintptr_t stack,
				  size_t size)
{
	const unsigned int bits = size ? 64 - __builtin_clzl(size) : 0;
	const uint64_t key = caller ^ stack << 20 ^ (uint64_t)bits << 56;

	/* the uppermost bits depend on all of the key */
	return &thread->sites[key * 0x9e3779b97f4a7c15ULL >> SITE_SHIFT];
}

static uint64_t lengthen(uint64_t rate, unsigned int shift)
{
	const uint64_t longest = rate * MEMPROF_PACE_FACTOR > MEMPROF_PACE_BYTES ?
				 rate * MEMPROF_PACE_FACTOR : MEMPROF_PACE_BYTES;

	shift += __atomic_load_n(&crowd_shift, __ATOMIC_RELAXED);
	return rate < longest >> shift ? rate << shift : longest;
}

/** mp_pace_countdown() - get the mean bytes of a thread's countdowns, which asks for @rate */
uint64_t mp_pace_countdown(const MemProfThreadState *thread, uint64_t rate)
{
	return pace && rate != 1 ? lengthen(rate, thread->pace_shift) : rate;
}

static bool can_grow(unsigned int shift)
{
	return shift < MAX_SHIFT;
}

/**
 * mp_pace_distance() - get the mean bytes between samples of a site
 * @rate: what was asked for
 *
 * Return: @rate, or up to MEMPROF_PACE_FACTOR times as much, or MEMPROF_PACE_BYTES.
 */
uint64_t mp_pace_distance(const MemProfThreadState *thread, const struct mp_pace_site *site,
			  uint64_t rate)
{
	return pace && rate != 1 ? lengthen(rate, thread->pace_shift + site->shift) : rate;
}

static void begin_window(MemProfThreadState *thread, uint64_t now_ns)
{
	int i;

	thread->window_ns = now_ns;
	thread->window_samples = thread->window_ends = 0;
	for (i = 0; i < MP_PACE_SITES; i++)
		thread->sites[i].samples = 0;
}

/* The distances of sites that had their own stay as they are. */
static void slow_thread(MemProfThreadState *thread)
{
	int i;

	if (!can_grow(thread->pace_shift))
		return;
	thread->pace_shift++;
	for (i = 0; i < MP_PACE_SITES; i++)
		thread->sites[i].shift -= !!thread->sites[i].shift;
}

/* Slows the sites with more samples than @most. Returns whether there was one that could be. */
static bool slow_those(MemProfThreadState *thread, unsigned int most)
{
	struct mp_pace_site *site;
	bool slowed = false;
	int i;

	for (i = 0; i < MP_PACE_SITES; i++) {
		site = &thread->sites[i];
		if (site->samples <= most || !can_grow(thread->pace_shift + site->shift))
			continue;
		site->shift++;
		slowed = true;
	}
	return slowed;
}

/* Returns the samples of sites that have only a few. */
static unsigned int scattered(const MemProfThreadState *thread)
{
	unsigned int sum = 0;
	int i;

	for (i = 0; i < MP_PACE_SITES; i++)
		sum += thread->sites[i].samples <= FEW ? thread->sites[i].samples : 0;
	return sum;
}

/*
 * Slows the sites that have most of the samples; else those that have more than a few, so that
 * a leak beside many of these is not slowed; and all, if most samples are of sites with few.
 */
static void slow_sites(MemProfThreadState *thread)
{
	if (slow_those(thread, FAIR))
		return;
	slow_those(thread, FEW);
	if (scattered(thread) > WINDOW / 2)
		slow_thread(thread);
}

/* Returns false if nothing was slow. */
static bool quicken(MemProfThreadState *thread, bool all)
{
	bool was_slow = false;
	int i;

	if (all && thread->pace_shift) {
		thread->pace_shift--;
		return true;
	}
	for (i = 0; i < MP_PACE_SITES; i++) {
		was_slow |= thread->sites[i].shift;
		thread->sites[i].shift -= !!thread->sites[i].shift;
	}
	return was_slow;
}

/* The number of living blocks must fall to a quarter, so that the distance does not swing. */
static void look_at_crowd(void)
{
	const uint32_t live = mp_heap_map_live();
	unsigned int shift = __atomic_load_n(&crowd_shift, __ATOMIC_RELAXED);

	if (live > CROWD << shift)
		shift++;
	else if (shift && live < CROWD << shift >> 2)
		shift--;
	else
		return;
	__atomic_store_n(&crowd_shift, shift, __ATOMIC_RELAXED);
}

/**
 * mp_pace_note() - a countdown of a thread has ended
 * @is_sampled: in a block that is sampled
 * @now_ns: a time that does not go back
 *
 * A burst begins with WINDOW samples at the distance that was asked for.
 */
void mp_pace_note(MemProfThreadState *thread, struct mp_pace_site *site, bool is_sampled,
		  uint64_t now_ns)
{
	const uint64_t least = least_ns(now_ns);
	uint64_t passed = now_ns - thread->window_ns, samples, ends;

	if (!pace)
		return;
	ends = ++thread->window_ends;
	samples = thread->window_samples += is_sampled;
	site->samples += is_sampled && site->samples < MOST_SAMPLES;
	if (passed < least && samples < WINDOW && ends < WINDOW_ENDS)
		return;
	if (passed >= least)
		while (2 * samples * least <= WINDOW * passed &&
		       quicken(thread, 2 * ends * least <= WINDOW_ENDS * passed))
			passed /= 2;
	else if (samples >= WINDOW && !take_credit())
		slow_sites(thread);
	else if (samples < WINDOW)
		slow_thread(thread);
	if (samples >= FAST)
		count_thread(thread, now_ns);
	look_at_crowd();
	begin_window(thread, now_ns);
}
