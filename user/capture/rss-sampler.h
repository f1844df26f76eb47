/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sizer: takes the sizes of targets while they live, for when they do not
 */
#ifndef MP_RSS_SAMPLER_H
#define MP_RSS_SAMPLER_H

#include "heap.h"
#include "prober.h"
#include "size-record.h"

/**
 * struct mp_rss_sampler - set up by mp_rss_sampler_open()
 * @filter: whose sizes
 * @heap: knows living blocks; or NULL
 * @put: takes records that tell something new; or NULL
 * @sizes: the last of each
 * @nr_late: times that a process's turn came late
 * @cost_ns: of all turns so far, of a CPU
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

/** mp_rss_sampler_open - get ready. @filter and @heap, put and context are given */
void mp_rss_sampler_open(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_work - take sizes, where it is time
 *
 * 50 ms after the beginning, then less and less often down to once a second. A
 * turn ends after 20 ms of CPU time, and the next one is 50 times later than
 * this one took: never more than 2 % of a CPU but for a single process that
 * takes longer.
 *
 * Return: 0, or what @put or a lack of memory returned.
 */
int mp_rss_sampler_work(struct mp_rss_sampler *sampler);

/** mp_rss_sampler_all - take those of all targets now. Return: as mp_rss_sampler_work() */
int mp_rss_sampler_all(struct mp_rss_sampler *sampler);

/** mp_rss_sampler_wait_ms - until when it is time */
int mp_rss_sampler_wait_ms(const struct mp_rss_sampler *sampler);

/** mp_rss_sampler_close - free all */
void mp_rss_sampler_close(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_fill - sizes of a living process, parted by its blocks
 * @heap: knows them; or NULL
 * @end_ns: CLOCK_MONOTONIC; when to have an end
 *
 * Return: whether it lives, and may be looked at.
 */
bool mp_rss_sampler_fill(const struct mp_heap *heap, struct mp_row *row,
		   uint64_t end_ns);

#endif
