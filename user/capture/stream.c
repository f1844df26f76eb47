// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream: turns the records in the rings into events
 *
 * An event waits in the engine until another round shows that no earlier event
 * can arrive. So rings are read twice if all events up to now are needed.
 */
#include "stream.h"
#include "perf-synth.h"

static int decode_record(void *context, const struct perf_event_header *record)
{
	struct mp_stream *stream = context;

	return mp_perf_decode_record(&stream->decode, record);
}

void mp_stream_open(struct mp_stream *stream, struct mp_perf_rings *rings)
{
	struct mp_perf_synth synth = { .put = decode_record, .context = stream };
	struct mp_merge_options options = { .bins = true };

	stream->rings = rings;
	mp_binary_resolver_open(&stream->resolver, NULL, &options.ops);
	mp_merge_init(&stream->merge, &options);
	mp_perf_decode_begin(&stream->decode, &rings->events, &stream->merge);
	stream->err = mp_perf_synth_machine(&synth) ?:
		      mp_perf_synth_cgroups(&synth);
}

void mp_stream_drain(struct mp_stream *stream)
{
	mp_perf_decode_more(&stream->decode, &stream->rings->events);
	if (!stream->err)
		stream->err = mp_perf_rings_drain(stream->rings, decode_record, stream);
	if (!stream->err)
		stream->err = mp_merge_round(&stream->merge);
}

int mp_stream_settle(struct mp_stream *stream)
{
	mp_stream_drain(stream);
	mp_stream_drain(stream);
	return stream->err;
}

void mp_stream_stop(struct mp_stream *stream)
{
	mp_perf_rings_enable(stream->rings, false);
	mp_stream_drain(stream);
	if (!stream->err)
		stream->err = mp_merge_flush(&stream->merge);
}

int mp_stream_profile(struct mp_stream *stream, bool stacks,
		      struct mp_profile *profile)
{
	int err = stream->err ?: mp_merge_profile(&stream->merge, profile,
						  stacks);

	if (!err && stream->decode.nr_lost)
		err = mp_profile_add_counter(profile, "event_lost",
					     stream->decode.nr_lost);
	if (!err && stream->decode.nr_cut)
		err = mp_profile_add_counter(profile, "stack_table_full",
					     stream->decode.nr_cut);
	return err ?: mp_binary_resolver_report(&stream->resolver, profile);
}

void mp_stream_close(struct mp_stream *stream)
{
	mp_merge_free(&stream->merge);
	mp_binary_resolver_close(&stream->resolver);
	stream->rings = NULL;
}
