/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf-decode: from perf's records to what they mean here
 */
#ifndef MP_PERF_DECODE_H
#define MP_PERF_DECODE_H

#include "merge.h"
#include "perf-events.h"

/**
 * struct mp_perf_decode - how records of one recording are read
 * @events: of the recording; @nr_known of them were looked at
 * @merge: where they go
 * @is_sampled: blocks stand for others; rate is not known
 * @tells_caller: entries of functions have their return address
 * @nr_lost: events that the kernel had no room for
 * @nr_samples: of events that mean something here
 * @nr_ignored: of others
 * @nr_cut: stacks that are known by their first frame only: there are too many
 * @nr_bad: records that are not what they should be
 * @first_ns, @last_ns: of all samples
 * @kernel_start, @kernel_end: of the kernel's code then; 0: not told
 */
struct mp_perf_decode {
	const struct mp_perf_events *events;
	size_t nr_known;
	struct mp_merge *merge;
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
 * By its name and its fields: the tracepoints of the module, probes of this
 * program's and of perf's, page faults, system calls.
 *
 * Return: how many mean something.
 */
size_t mp_perf_decode_begin(struct mp_perf_decode *decode,
			    struct mp_perf_events *events,
			    struct mp_merge *merge);

/** mp_perf_decode_more - the same for events that were added since */
size_t mp_perf_decode_more(struct mp_perf_decode *decode,
			   struct mp_perf_events *events);

/**
 * mp_perf_decode_record - take in a record
 *
 * Return: 0, or -ENOMEM. A record that makes no sense is counted.
 */
int mp_perf_decode_record(struct mp_perf_decode *decode,
			  const struct perf_event_header *record);

/** mp_perf_role_name - what an event means here, for people; "" for nothing */
const char *mp_perf_role_name(uint32_t role);

#endif
