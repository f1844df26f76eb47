/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-decode: makes events of records
 */
#ifndef MP_PERF_DECODE_H
#define MP_PERF_DECODE_H

#include "merge.h"
#include "perf-events.h"
#include "tallies.h"

/**
 * struct mp_perf_decode - the decoder of one recording
 * @events: of the recording; the first @nr_known were looked at
 * @merge: gets the events
 * @tallies: gets the samples that are sums; NULL: they are passed over
 * @is_sampled: blocks stand for others; the rate is not known
 * @tells_caller: entries of functions have their return address
 * @nr_lost: events that the kernel had no room for
 * @nr_samples: of events that are known here
 * @nr_ignored: of other events
 * @nr_cut: stacks that were cut to their first frame, because there are too many
 * @nr_bad: malformed records
 * @first_ns, @last_ns: of all samples
 * @kernel_start, @kernel_end: addresses of the code of the kernel that recorded; 0: not
 *	known
 */
struct mp_perf_decode {
	const struct mp_perf_events *events;
	size_t nr_known;
	struct mp_merge *merge;
	struct mp_tallies *tallies;
	bool is_sampled;
	bool tells_caller;
	bool has_alloc, has_faults, has_growth;
	uint64_t nr_lost;
	uint64_t nr_samples;
	uint64_t nr_ignored;
	uint64_t nr_bad;
	uint64_t nr_cut;
	uint64_t first_ns, last_ns;
	uint64_t kernel_start, kernel_end;
	uint32_t minor_period;
};

/**
 * mp_perf_decode_begin - find out what each event of a recording means
 *
 * By its name and its fields: tracepoints of the module, probes of memprofctl and of
 * perf, page faults, system calls.
 *
 * Return: how many events are known here.
 */
size_t mp_perf_decode_begin(struct mp_perf_decode *decode,
			    struct mp_perf_events *events,
			    struct mp_merge *merge);

/** mp_perf_decode_more - the same for events that were added since then */
size_t mp_perf_decode_more(struct mp_perf_decode *decode,
			   struct mp_perf_events *events);

/**
 * mp_perf_decode_record - decode a record
 *
 * Return: 0, or -ENOMEM. A malformed record is counted.
 */
int mp_perf_decode_record(struct mp_perf_decode *decode,
			  const struct perf_event_header *record);

#endif
