/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rss-sampler: reads the sizes of targets while they run, because /proc has no
 * data about exited processes
 */
#ifndef MP_RSS_SAMPLER_H
#define MP_RSS_SAMPLER_H

#include "heap.h"
#include "prober.h"
#include "size-marks.h"
#include "size-record.h"

/**
 * struct mp_rss_sampler - state of the sampler, see mp_rss_sampler_open()
 * @filter: recognises the processes of targets
 * @heap: has the live blocks; or NULL
 * @put: gets records of sizes that have changed; or NULL
 * @context: for @put
 * @sizes: the last sizes of each process and cgroup
 * @marks: of processes that were read, see size-marks
 * @nr_late: number of times that a process was read late
 * @cost_ns: CPU time of all turns so far
 */
struct mp_rss_sampler {
	const struct mp_prober *filter;
	const struct mp_heap *heap;
	int (*put)(void *context, const struct mp_size_record *records,
		   size_t nr);
	void *context;
	struct mp_sizes sizes;
	struct mp_size_marks marks;
	uint64_t nr_late;
	uint64_t cost_ns;
	uint64_t begin_ns, next_ns;
	pid_t last;
};

/** mp_rss_sampler_open - initialise. The caller sets @filter, @heap, @put and @context */
void mp_rss_sampler_open(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_work - read sizes, if it is time
 *
 * The first turn is 50 ms after the begin; an interval is a sixteenth of the time since then,
 * from 50 ms to a second, so that recordings of any length show how RSS changed. A turn ends
 * after 20 ms of CPU time, and the pause after it is at least 50 times as long as the turn took,
 * or 500 times without @put, in the collector. So the sampler takes at most 2 % of a CPU, or
 * 0.2 %, unless a single process takes longer.
 *
 * Return: 0, -ENOMEM, or the error of @put.
 */
int mp_rss_sampler_work(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_all - read the sizes of all targets that changed. Return: as
 * mp_rss_sampler_work()
 */
int mp_rss_sampler_all(struct mp_rss_sampler *sampler);

/** mp_rss_sampler_wait_ms - get the milliseconds until the next turn */
int mp_rss_sampler_wait_ms(const struct mp_rss_sampler *sampler);

/** mp_rss_sampler_close - free all */
void mp_rss_sampler_close(struct mp_rss_sampler *sampler);

/**
 * mp_rss_sampler_fill - read the sizes of a living process and the parts of its
 * RSS
 * @heap: has the live blocks; or NULL
 * @end_ns: CLOCK_MONOTONIC time at which to stop
 *
 * Return: true if the process runs and can be read.
 */
bool mp_rss_sampler_fill(const struct mp_heap *heap, struct mp_row *row,
			 uint64_t end_ns);

#endif
