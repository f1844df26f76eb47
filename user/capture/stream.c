// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream: turns the records in the rings into events
 *
 * A round reads all rings once. The engine uses an event only after the next
 * round, because an earlier event may still arrive from another ring before
 * that. So the rings are read twice if all events up to now are needed.
 *
 * A round that ran out of time has not read all rings, so it does not count as one: its
 * events wait for the next.
 */
#include "stream.h"
#include "clock.h"
#include "existing.h"
#include "perf-synth.h"
#include "process.h"

#include <errno.h>
#include <stdlib.h>

/* The share of a CPU that may go into reading binaries; the rest is for events. */
#define READING_PERCENT	10

/* Time for the events that a report waits for. A report takes another second at most. */
#define SETTLE_NS	1000000000ULL

/* Records between two looks at the clock; some take 100 us, because of their stacks */
#define RECORDS_PER_LOOK	64

static int decode_record(void *context, const struct perf_event_header *record)
{
	struct mp_stream *stream = context;

	return mp_perf_decode_record(&stream->decode, record);
}

/* Ends the round with -ETIME after the deadline. */
static int decode_in_time(void *context, const struct perf_event_header *record)
{
	struct mp_stream *stream = context;
	int err = decode_record(stream, record);

	if (!err && ++stream->nr_records % RECORDS_PER_LOOK == 0 &&
	    mp_clock_ns() > stream->deadline_ns)
		return -ETIME;
	return err;
}

static struct mp_perf_synth synth_of(struct mp_stream *stream)
{
	return (struct mp_perf_synth){
		.put = decode_record, .context = stream,
		.areas = stream->rings->all_maps,
	};
}

void mp_stream_open(struct mp_stream *stream, struct mp_perf_rings *rings)
{
	struct mp_merge_options options = { .bins = true };
	struct mp_perf_synth synth;

	stream->rings = rings;
	synth = synth_of(stream);
	mp_binary_resolver_open(&stream->resolver, NULL, &options.ops);
	mp_unwind_limit(&stream->resolver.unwind, READING_PERCENT);
	mp_merge_init(&stream->merge, &options);
	mp_perf_decode_begin(&stream->decode, &rings->events, &stream->merge);
	stream->decode.name_of = mp_python_names_get;
	stream->decode.names = &stream->names;
	stream->err = mp_perf_synth_machine(&synth) ?:
		      mp_perf_synth_cgroups(&synth);
}

void mp_stream_existing(struct mp_stream *stream, const struct mp_prober *prober)
{
	const struct mp_perf_synth synth = synth_of(stream);

	if (!stream->err)
		stream->err = mp_existing_write(&synth, prober);
}

/* Returns false if the deadline passed before all was read. */
static bool drain(struct mp_stream *stream)
{
	int err = stream->err;

	mp_perf_decode_more(&stream->decode, &stream->rings->events);
	if (!err)
		err = mp_perf_rings_drain(stream->rings, stream->deadline_ns ?
					  decode_in_time : decode_record, stream);
	if (err == -ETIME && !stream->err)
		return false;
	stream->err = err ?: mp_merge_round(&stream->merge);
	return !stream->deadline_ns || mp_clock_ns() <= stream->deadline_ns;
}

void mp_stream_drain(struct mp_stream *stream)
{
	drain(stream);
}

/* Collects the processes that ended although their rows do not show it. */
static size_t find_ended(const struct mp_heap *heap, uint32_t *pids)
{
	const struct mp_heap_process *process;
	size_t i, nr = 0;

	for (i = 0; i < heap->nr_processes; i++) {
		process = &heap->processes[i];
		if (process->pid && !process->exit_ns &&
		    mp_process_has_ended((pid_t)process->pid))
			pids[nr++] = process->pid;
	}
	return nr;
}

/*
 * Marks processes as exited that have ended without a record of their exit.
 * Their events that are still in the rings are merged first; if there is no time for
 * them, the processes stay as they are.
 */
static int end_lost(struct mp_stream *stream, void (*settle)(struct mp_stream *stream))
{
	uint64_t now_ns = mp_clock_ns();
	uint32_t *pids;
	size_t i, nr;
	int err;

	if (stream->err)
		return stream->err;
	pids = malloc(stream->merge.heap.nr_processes * sizeof(*pids) + 1);
	if (!pids)
		return -ENOMEM;
	nr = find_ended(&stream->merge.heap, pids);
	if (nr)
		settle(stream);
	if (stream->behind_ns)
		nr = 0;
	err = stream->err;
	for (i = 0; !err && i < nr; i++)
		err = mp_merge_gone(&stream->merge, pids[i], now_ns);
	free(pids);
	return err;
}

/* Sets @behind_ns if there was not enough time. */
static void drain_twice(struct mp_stream *stream)
{
	const struct mp_order *order = &stream->merge.order;
	uint64_t now_ns, merged_ns;

	stream->behind_ns = 0;
	if (drain(stream) && drain(stream))
		return;
	now_ns = mp_clock_ns();
	merged_ns = order->handed_ns ?: order->newest_ns;
	stream->behind_ns = now_ns > merged_ns ? now_ns - merged_ns : 1;
}

int mp_stream_settle(struct mp_stream *stream)
{
	stream->deadline_ns = mp_clock_ns() + SETTLE_NS;
	drain_twice(stream);
	stream->nr_lost = mp_perf_rings_lost(stream->rings);
	if (!stream->behind_ns)
		stream->err = end_lost(stream, drain_twice);
	stream->deadline_ns = 0;
	return stream->err;
}

static void drain_all(struct mp_stream *stream)
{
	mp_stream_drain(stream);
	if (!stream->err)
		stream->err = mp_merge_flush(&stream->merge);
}

void mp_stream_stop(struct mp_stream *stream)
{
	mp_perf_rings_enable(stream->rings, false);
	stream->behind_ns = 0;
	drain_all(stream);
	stream->nr_lost = mp_perf_rings_lost(stream->rings);
	stream->err = end_lost(stream, drain_all);
}

int mp_stream_profile(struct mp_stream *stream, bool stacks,
		      struct mp_profile *profile)
{
	uint64_t nr_lost = stream->decode.nr_lost > stream->nr_lost ?
			   stream->decode.nr_lost : stream->nr_lost;
	int err = stream->err ?: mp_merge_profile(&stream->merge, profile,
						  stacks);

	if (!err && stream->behind_ns)
		err = mp_profile_add_counter(profile, "behind_ms",
					     stream->behind_ns / 1000000 + 1);
	if (!err && nr_lost)
		err = mp_profile_add_counter(profile, "event_lost", nr_lost) ?:
		      mp_profile_add_counter(profile, "event_kept",
					     stream->decode.nr_samples);
	if (!err && stream->decode.nr_cut)
		err = mp_profile_add_counter(profile, "stack_table_full",
					     stream->decode.nr_cut);
	if (!err && stream->names.nr_lost)
		err = mp_profile_add_counter(profile, "python_names_lost",
					     stream->names.nr_lost);
	if (!err)
		err = mp_sampler_counts_put(&stream->decode.counts, profile);
	return err ?: mp_binary_resolver_report(&stream->resolver, profile);
}

void mp_stream_close(struct mp_stream *stream)
{
	mp_merge_free(&stream->merge);
	mp_binary_resolver_close(&stream->resolver);
	mp_python_names_free(&stream->names);
	stream->rings = NULL;
}
