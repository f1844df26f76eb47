/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rss-sampler: reads the sizes of targets while they run, for when they have exited
 */
#ifndef MP_RSS_SAMPLER_H
#define MP_RSS_SAMPLER_H

#include "heap.h"
#include "prober.h"
#include "size-record.h"

/**
 * struct mp_rss_sampler - set up by mp_rss_sampler_open()
 * @filter: says which processes are targets
 * @heap: knows the living blocks; or NULL
 * @put: gets records of sizes that have changed; or NULL
 * @context: for @put
 * @sizes: the last sizes of each process and cgroup
 * @nr_late: how often the turn of a process came late
 * @cost_ns: CPU time of all turns so far
 */
struct mp_rss_sampler {
	const struct mp_prober *filter;
	const struct mp_heap *heap;
	int (*put)(void *context, const struct mp_size_record *records,
		   size_t nr);
	void *context;
	struct mp_sizes sizes;
	uint64_t nr_late;
	uint64_t cost_ns;
	uint64_t next_ns, interval_ns;
	pid_t last;
};

/** mp_rss_sampler_open - get ready. @filter, @heap, @put and @context are set */
void mp_rss_sampler_open(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_work - read sizes, if it is time
 *
 * First 50 ms after the beginning, then at growing intervals up to a second. A turn ends
 * after 20 ms of CPU time, and the next one comes 50 times later than this one took. So
 * the sampler takes 2 % of a CPU at most, unless a single process takes longer.
 *
 * Return: 0, or what @put or a lack of memory returned.
 */
int mp_rss_sampler_work(struct mp_rss_sampler *sampler);

/** mp_rss_sampler_all - read the sizes of all targets now. Return: as above */
int mp_rss_sampler_all(struct mp_rss_sampler *sampler);

/** mp_rss_sampler_wait_ms - milliseconds until the next turn */
int mp_rss_sampler_wait_ms(const struct mp_rss_sampler *sampler);

/** mp_rss_sampler_close - free all */
void mp_rss_sampler_close(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_fill - the sizes of a living process, and the parts of its RSS
 * @heap: knows the living blocks; or NULL
 * @end_ns: CLOCK_MONOTONIC at which to stop
 *
 * Return: true if the process runs, and may be looked at.
 */
bool mp_rss_sampler_fill(const struct mp_heap *heap, struct mp_row *row,
			 uint64_t end_ns);

#endif
