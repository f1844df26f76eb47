/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-decode: turns perf records into events of the engine
 */
#ifndef MP_PERF_DECODE_H
#define MP_PERF_DECODE_H

#include "merge.h"
#include "perf-events.h"
#include "python-event.h"
#include "sampler-counts.h"
#include "tallies.h"

/* Threads whose functions of Python are kept until their next event. */
#define MP_DECODE_THREADS	64

/**
 * struct mp_perf_decode_thread - a thread between two events of the module
 * @tid: thread id; 0: none
 * @python: its functions of Python
 */
struct mp_perf_decode_thread {
	uint32_t tid;
	struct mp_python_event python;
};

/**
 * struct mp_perf_decode - the decoder of one recording
 * @events: events of the recording; the first @nr_known have their roles set
 * @merge: gets the decoded events
 * @tallies: gets the samples that contain sums; NULL: those samples are skipped
 * @sampled_size, @sampled_space: the smallest block that stands for several, and the
 *	bytes that it stands for; 0: no block does
 * @until_ns: ignore what happened later, CLOCK_MONOTONIC; 0: take all; set by the caller
 * @others_only: ignore faults and growth that the module has charged to a callsite of its
 *	own; set by the caller
 * @tells_caller: samples at function entries have the return address
 * @nr_lost: events that the kernel dropped because a ring was full
 * @nr_samples: samples of events with a known role
 * @nr_ignored: samples of other events
 * @nr_borrowed: samples with the id of another tracer's event
 * @nr_cut: stacks that were cut to their first frame, because there are too
 *	many different stacks
 * @nr_bad: malformed records
 * @name_of: finds the name of a function of Python of a process that runs, for a sample at
 *	a time, unless it was asked for shortly before that; NULL: names are in the recording. The caller sets it
 * @names: for @name_of
 * @threads: by thread id; a later thread replaces an earlier one
 * @counts: what samplers in the processes counted
 * @first_ns, @last_ns: time of the first and of the last sample
 * @kernel_start, @kernel_end: address range of the recorded kernel's code; 0:
 *	not known
 */
struct mp_perf_decode {
	const struct mp_perf_events *events;
	size_t nr_known;
	struct mp_merge *merge;
	struct mp_tallies *tallies;
	uint64_t sampled_size, sampled_space;
	uint64_t until_ns;
	bool tells_caller, others_only;
	bool has_alloc, has_faults, has_growth;
	uint64_t nr_lost;
	uint64_t nr_samples;
	uint64_t nr_ignored, nr_borrowed;
	uint64_t nr_bad;
	uint64_t nr_cut;
	bool (*name_of)(void *names, uint32_t pid, uint64_t time_ns,
			const struct mp_python_place *place,
			struct memprof_region_function *function);
	void *names;
	struct mp_perf_decode_thread threads[MP_DECODE_THREADS];
	struct mp_sampler_counts counts;
	uint64_t first_ns, last_ns;
	uint64_t kernel_start, kernel_end;
	uint32_t minor_period;
};

/**
 * mp_perf_decode_begin - set the role of each event of a recording
 *
 * The role follows from the event's name and fields: a tracepoint of the
 * module, a probe of memprofctl or of perf, a page fault, or a system call.
 *
 * Return: number of events that have a role.
 */
size_t mp_perf_decode_begin(struct mp_perf_decode *decode,
			    struct mp_perf_events *events,
			    struct mp_merge *merge);

/**
 * mp_perf_decode_rate - mean bytes between two samples of allocations
 *
 * A recording does not contain it; it is found from the weight of a sample.
 *
 * Return: the rate; 1 if each call was recorded.
 */
uint64_t mp_perf_decode_rate(const struct mp_perf_decode *decode);

/** mp_perf_decode_more - set the roles of events that were added later */
size_t mp_perf_decode_more(struct mp_perf_decode *decode,
			   struct mp_perf_events *events);

/**
 * mp_perf_decode_record - decode a record and pass its event to the engine
 *
 * Return: 0, or -ENOMEM. A malformed record is counted in @nr_bad.
 */
int mp_perf_decode_record(struct mp_perf_decode *decode,
			  const struct perf_event_header *record);

#endif
